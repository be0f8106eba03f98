"""Recorded runs: written only when asked, read for the same scene only, and never trusted blindly."""

import json
from pathlib import Path

import pytest

from diagnostics.facts.peers import peers_of
from diagnostics.reference.compare import compared
from diagnostics.reference.peers import peer_of
from diagnostics.reference.recorded import MOST_VALUES, CannotRecord, record, recorded
from runs.remote.cache import VARIABLE
from tests.support.runs import ring_cameras
from tests.support.training import healthy_run


def test_a_recorded_run_is_alike_and_compares_as_it_did(tmp_path: Path) -> None:
    """Thinning a series must not change what is compared at its end."""
    record(healthy_run(path=Path("first/run")), tmp_path)
    own = healthy_run(path=Path("second/run"))
    (kept,) = recorded(own, tmp_path)
    told = compared(peer_of(own), kept)
    assert told.unlike == ()
    assert [one.change for one in told.found] == pytest.approx([0.0] * len(told.found))
    assert max(len(series) for series in kept.series.values()) <= MOST_VALUES


def test_a_run_is_not_its_own_reference(tmp_path: Path) -> None:
    """Diagnosed again after it was recorded, it would agree with itself."""
    record(healthy_run(path=Path("first/run")), tmp_path)
    assert recorded(healthy_run(path=Path("first/run")), tmp_path) == ()


def test_another_scene_is_not_offered(tmp_path: Path) -> None:
    record(healthy_run(path=Path("first/run")), tmp_path)
    assert recorded(healthy_run(path=Path("second/run"), cameras=ring_cameras(20)), tmp_path) == ()


def test_without_cameras_nothing_can_be_matched(tmp_path: Path) -> None:
    with pytest.raises(CannotRecord, match="cameras are not known"):
        record(healthy_run(cameras=()), tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"version": 99}), '{"version": 1, "series": {"a": 3}}'])
def test_a_spoiled_record_is_left_out(tmp_path: Path, text: str) -> None:
    """A cache folder may hold anything."""
    path = record(healthy_run(path=Path("first/run")), tmp_path)
    path.write_text(text, "utf-8")
    assert recorded(healthy_run(path=Path("second/run")), tmp_path) == ()


def test_runs_of_one_name_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most trainings lie in a folder that is called output or run."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    record(healthy_run(path=Path("first/run")))
    record(healthy_run(path=Path("third/run")))
    assert sorted(peer.name for peer in peers_of(healthy_run(path=Path("second/run")))) == ["first/run", "third/run"]

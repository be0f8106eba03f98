"""The suite's cache: a second look costs nothing, and never answers with what another program made."""

from pathlib import Path

import pytest

from tests.lab import suite
from tests.lab.case import Case
from tests.lab.suite import Place, outcome_of

CASE = Case("cameras-look-backwards", True, 1.0, "studio", 0, "mini", "tuning")  # nothing is drawn: the fastest of all runs


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPLATDOCTOR_LAB_CACHE", str(tmp_path))
    return tmp_path


def test_a_case_is_trained_and_judged_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuning a limit must not train anew, and looking again must not even judge anew."""
    first = outcome_of(CASE)
    assert first.findings
    assert (cache / "runs" / CASE.slug / "run" / "cfg_args").is_file()
    for work in ("train", "judge"):
        monkeypatch.setattr(suite, work, _never)
    assert outcome_of(CASE) == first


@pytest.mark.usefixtures("cache")
def test_another_doctor_judges_the_kept_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of a detector the run stays and the verdict goes."""
    first = outcome_of(CASE)
    monkeypatch.setattr(suite, "train", _never)
    monkeypatch.setattr(suite, "diagnosis_key", lambda key: f"other {key}")
    second = outcome_of(CASE)
    assert second.codes == first.codes
    assert second.trained == first.trained


@pytest.mark.usefixtures("cache")
def test_what_was_made_otherwise_is_not_taken() -> None:
    """A folder under the same name but of another engine or plan is none."""
    outcome_of(CASE)
    held = Place(CASE, "another key")
    assert held.trained() is None
    assert held.judged("another key") is None


def _never(*_: object) -> None:
    raise AssertionError("this was to be taken from the cache")

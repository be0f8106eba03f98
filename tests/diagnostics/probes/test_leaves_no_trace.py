"""A probe reads a run and writes nothing: not into its folder, not beside its photos, not into the temporary folder."""

import tempfile
from pathlib import Path

import pytest

import diagnostics.probes.questions  # noqa: F401  (registers every probe)
from diagnostics.probes.ask import ask
from diagnostics.probes.bench import Limits, Wish
from diagnostics.probes.registry import PROBES
from tests.lab.opened import opened

# Each probe gets a few seconds: what it would leave behind, it would leave when it is cut short too.
LIMITS = Limits(seconds=4.0)
WISHES = {"fix-trial": Wish(finding="LR-HI", seeds=1, steps=20)}


def _everything(*folders: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for folder in folders for path in folder.rglob("*")}


@pytest.mark.parametrize("name", sorted(PROBES))
def test_nothing_is_written_anywhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it ends by itself or because its time is over."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run = opened("usual-court-0_court-0_mini")
    assert run.data is not None
    before = _everything(run.path, run.data)
    result = ask(name, run, wish=WISHES.get(name, Wish(steps=20)), limits=LIMITS)
    assert result.answer.says
    assert _everything(run.path, run.data) == before
    assert not list(tmp_path.iterdir())

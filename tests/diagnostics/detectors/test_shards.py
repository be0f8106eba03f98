"""Missing parts of a save: told with how much is missing, and never where one process saved everything."""

import pytest

from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.shards import saved_by
from tests.support.training import healthy_run

NAME = "shards-missing"


@pytest.mark.parametrize(("files", "processes"), [(1, 2), (3, 4), (1, 8)])
def test_how_much_is_missing_is_told(files: int, processes: int) -> None:
    """The user must know whether to look for one file or for seven."""
    finding = found(NAME, saved_by(files, processes))
    assert f"those of {files} of {processes} processes" in finding.says
    assert finding.facts["absent"] == processes - files
    assert finding.iterations == (200, 2000)


def test_the_logged_count_is_told_beside_the_saved_one() -> None:
    """450 of 900: the proof that a part is missing."""
    assert "450 of 900" in found(NAME, saved_by(1, 2)).says


def test_a_single_process_saves_everything() -> None:
    """Most trainings."""
    assert verdict(NAME, healthy_run()) is None
    assert verdict(NAME, saved_by(4, 4)) is None

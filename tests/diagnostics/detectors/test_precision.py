"""Coordinates of a survey: told where single precision is too coarse for the scene, and not merely where numbers are large."""

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from runs.points import PointCloud
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.capture import at, in_a_national_grid, world_of_size
from tests.support.runs import changed, made_run
from tests.support.training import LAST, healthy_run, moved

NAME = "georeferenced-offset"


def test_the_offset_and_the_step_are_told() -> None:
    """The user subtracts this offset; half a metre is the step at 4.6 million."""
    finding = found(NAME, in_a_national_grid())
    assert "4,649,77" in finding.facts["offset"]
    assert {row.what: row.value for row in finding.evidence}["step of single precision there"] == 0.5


@pytest.mark.parametrize(("metres", "expected"), [(0.0, False), (1e3, False), (1e4, False), (3e5, True), (5e6, True)])
def test_the_points_decide_how_far_is_too_far(metres: float, expected: bool) -> None:
    """Points 0.1 units apart stand fine at ten thousand, where a step is a thousandth of a unit."""
    assert (verdict(NAME, at((metres, 0.0, 0.0))) is not None) is expected


def test_a_large_world_is_as_good_as_a_small_one() -> None:
    """A town in metres about the origin: coordinates are large, and so are the distances between points."""
    assert verdict(NAME, world_of_size(1e5)) is None


def test_the_offset_is_no_fault_of_frames_or_poses() -> None:
    """Everything stands where it should, seen from far away."""
    assert not {"N-20", "IF-04"} & {reported.pattern.code for reported in diagnose(in_a_national_grid()).findings}


def test_coinciding_points_are_infinitely_coarse() -> None:
    """Rounded to the same few places: the finding must survive a distance of zero."""
    heap = PointCloud(np.full((50, 3), 4e6), None, "input.ply")
    assert found(NAME, healthy_run(input_points=heap)).confidence > 0.9


@pytest.mark.parametrize(("metres", "expected"), [(0.0, False), (3e5, True)])
def test_a_saved_file_alone_tells_it_too(metres: float, expected: bool) -> None:
    """Viewers and converters meet such files without anything beside them; the rows of a save stand in for the start."""
    offset = np.array([metres, 0.0, 0.0])
    means = np.asarray(moved().means.astype(np.float64) + offset, np.float32)
    run = made_run(checkpoints={LAST: changed(moved(), means=means)})
    assert (verdict(NAME, run) is not None) is expected

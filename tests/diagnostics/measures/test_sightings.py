"""Reach, size, angle and height of Gaussians in pictures, against numbers worked out by hand."""

import numpy as np
import pytest

from diagnostics.measures.sightings import Seen, sightings, support_px
from runs.cameras import Camera, look_at
from tests.support.runs import ring_cameras


def nothing() -> None:
    """A beat that lets go on."""


def seen(means: list[list[float]], cameras: tuple[Camera, ...], *, size: float = 1e-6, opacity: float = 0.01) -> Seen:
    count = len(means)
    return sightings(np.array(means, np.float32), np.full((count, 3), size, np.float32), np.full(count, opacity, np.float32),
                     cameras, nothing)


@pytest.mark.parametrize(("opacity", "pixels"), [
    (1.0, 10.4), (0.5, 9.1), (0.1, 6.1), (0.05, 4.8), (0.02, 3.1), (0.01, 1.8), (0.005, 0.46), (1 / 255, 0.0), (0.001, 0.0),
])
def test_support_at_the_smallest_size_is_the_published_table(opacity: float, pixels: float) -> None:
    """Science A.3: pixels that can move a Gaussian of the dilation's size."""
    smallest = np.array([np.sqrt(0.3)])
    assert support_px(smallest, smallest, np.array([opacity]))[0] == pytest.approx(pixels, abs=0.05)


def test_size_support_and_depth_come_from_the_nearest_view() -> None:
    near, far = (look_at(np.array([0, 0, -z]), np.zeros(3), size_px=(100, 100)) for z in (2.0, 8.0))
    found = seen([[0, 0, 0], [0, 0, 50]], (far, near), size=0.1)
    assert found.cameras.tolist() == [2, 2]
    assert found.nearest.tolist() == [2, 52]
    assert found.size_px[0] == pytest.approx(0.1 * near.fx / 2)


def test_who_is_in_no_picture_has_no_reach() -> None:
    found = seen([[0, 0, -30]], (look_at(np.array([0.0, 0, -2]), np.zeros(3), size_px=(100, 100)),))
    assert (found.cameras[0], found.support_px[0]) == (0, 0)
    assert np.isnan(found.height[0])
    assert np.isinf(found.nearest[0])


def test_angles_are_never_told_too_small() -> None:
    """Two cameras a unit apart see a point at distance d under atan(1 / d)."""
    pair = tuple(look_at(np.array([x, 0.0, 0.0]), np.array([x, 0.0, 1.0]), size_px=(100, 100)) for x in (-0.5, 0.5))
    for distance in (5.0, 100.0, 1e4):
        exact = np.degrees(2 * np.arctan(0.5 / distance))
        assert exact * 0.999 <= seen([[0, 0, distance]], pair).spread_deg[0] <= 1.01 * exact


def test_height_is_the_place_in_the_picture() -> None:
    camera = look_at(np.array([0.0, 0.0, -3.0]), np.zeros(3), size_px=(100, 100))
    middle, above = seen([[0, 0, 0], [0, -1, 0]], (camera,)).height
    assert middle == pytest.approx(0.5)
    assert above < 0.2  # y points down


def test_a_stop_is_asked_for_at_every_camera() -> None:
    """A user who cancels does not wait for all cameras."""
    beats: list[int] = []
    sightings(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32), np.ones(1, np.float32), ring_cameras(7),
              lambda: beats.append(1))
    assert len(beats) == 14

"""Coverage of pictures by points: counted per picture, against cases that can be counted by hand."""

import numpy as np

from diagnostics.measures.coverage import CELLS, coverage_of
from runs.cameras import Camera
from tests.support.runs import ring_cameras

AHEAD = Camera("a.png", np.eye(4), 100.0, 100.0, 48.0, 40.0, (96, 80))


def test_a_point_in_every_cell_covers_the_picture() -> None:
    """Cells are counted in both directions, also where the picture is not square."""
    x, y = np.meshgrid((np.arange(CELLS) + 0.5) * 96 / CELLS, (np.arange(CELLS) + 0.5) * 80 / CELLS)
    points = np.stack([(x.ravel() - 48) / 100, (y.ravel() - 40) / 100, np.ones(CELLS**2)], axis=1)
    full = coverage_of(points, [AHEAD], "input.ply")
    assert full.counts.tolist() == [CELLS**2]
    assert full.empty_shares.tolist() == [0.0]
    assert coverage_of(points[:CELLS], [AHEAD], "").empty_shares[0] == 1 - 1 / CELLS


def test_points_behind_and_beside_do_not_count() -> None:
    """A cloud behind the cameras covers nothing."""
    points = np.array([[0, 0, -1.0], [50, 0, 1], [0, 0, 1]])
    found = coverage_of(points, [AHEAD], "")
    assert found.counts.tolist() == [1]
    assert found.inside_share == 1 / 3
    assert coverage_of(np.zeros((0, 3)), [AHEAD], "").inside_share == 0


def test_a_tiny_world_is_covered_like_a_large_one() -> None:
    """COLMAP's unit is arbitrary, so no distance in it may decide what counts as seen."""
    tiny = 0.001 * np.array([[0, 0, 1.0], [0.1, 0, 1]])
    assert coverage_of(tiny, [AHEAD], "").counts.tolist() == [2]


def test_the_order_is_that_of_the_cameras() -> None:
    """The poorest pictures are named; a wrong order would name others."""
    cameras = ring_cameras(5)
    points = cameras[3].centre + np.outer(np.linspace(0.5, 1, 7), cameras[3].forward)
    found = coverage_of(points, cameras, "")
    assert found.names == tuple(camera.name for camera in cameras)
    assert found.counts[3] == 7

"""A frustum is a promise: it stands where the photo was taken, and a click on it looks through that photo."""

import numpy as np
import pytest

from render.viewport.frusta import frustum_lines, frustum_size, project_lines, under_pixel
from runs.cameras import Camera, look_at
from tests.support.runs import ring_cameras

VIEW = look_at(np.array([0.0, -2.0, -8.0]), np.zeros(3), size_px=(640, 360))


def test_corners_lie_on_the_rays_through_the_corners_of_the_photo() -> None:
    """With an off-centre principal point too, or the drawn field of view is not the photo's."""
    camera = Camera("a", ring_cameras(5)[2].world_from_camera, 80, 90, 30, 60, (96, 96))
    lines = frustum_lines(camera, 0.5)
    corners = lines[:4, 1] @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    pixels = corners[:, :2] / corners[:, 2:] * [80, 90] + [30, 60]
    np.testing.assert_allclose(pixels, [[0, 0], [96, 0], [96, 96], [0, 96]], atol=1e-9)
    np.testing.assert_allclose(corners[:, 2], 0.5)
    np.testing.assert_allclose(lines[:4, 0], np.tile(camera.centre, (4, 1)))
    np.testing.assert_allclose(lines[4:8], np.stack([lines[:4, 1], np.roll(lines[:4, 1], -1, axis=0)], axis=1))  # closed


def test_the_tip_shows_which_edge_of_the_photo_is_up() -> None:
    """A frustum is symmetrical without it: the tip stands above the middle of the upper edge and is joined to its corners."""
    photo = Camera("a", np.eye(4), 80, 90, 30, 60, (96, 48))
    pictured = project_lines(frustum_lines(photo, 0.5), photo)
    np.testing.assert_allclose(pictured[8:, [0, 1]], [[[0, 0], [48, -12]], [[48, -12], [96, 0]]], atol=1e-9)


def test_lines_project_as_points_do() -> None:
    """Where both ends are in front of the camera, clipping must change nothing."""
    lines = frustum_lines(ring_cameras(6)[1], 0.4)
    seen = lines @ VIEW.camera_from_world[:3, :3].T + VIEW.camera_from_world[:3, 3]
    wanted = seen[..., :2] / seen[..., 2:] * [VIEW.fx, VIEW.fy] + [VIEW.cx, VIEW.cy]
    np.testing.assert_allclose(project_lines(lines, VIEW), wanted)


def test_a_line_that_starts_behind_is_clipped_and_one_wholly_behind_is_not_drawn() -> None:
    """Dividing by a negative depth draws cameras behind the viewer in front of him."""
    view = Camera("v", np.eye(4), 100, 100, 50, 50, (100, 100))
    lines = np.array([[[0, 0, -1.0], [1, 1, 1]], [[0, 0, -1.0], [1, 0, -2]]])
    pictured = project_lines(lines, view, near=0.01)
    np.testing.assert_allclose(pictured[0, 0], np.array([0.505, 0.505]) / 0.01 * 100 + 50)
    np.testing.assert_allclose(pictured[0, 1], [150, 150])
    assert np.isnan(pictured[1]).all()


def test_the_nearest_frustum_under_the_pixel_is_found() -> None:
    """Clicking the outline of a camera must name that camera, and clicking beside all of them none."""
    cameras = ring_cameras(8)
    pictured = [project_lines(frustum_lines(camera, 0.3), VIEW) for camera in cameras]
    for index, lines in enumerate(pictured):
        assert under_pixel(pictured, *lines[4].mean(axis=0), within_px=2) == index
    assert under_pixel(pictured, 5, 5) is None
    assert under_pixel([], 5, 5) is None
    assert under_pixel([np.full((3, 2, 2), np.nan)], 5, 5) is None


@pytest.mark.parametrize(("x", "y", "hit"), [
    (50, 27, True), (50, 29, False), (12, 20, True), (11, 20, False), (88, 20, True), (89, 20, False), (15, 27, False),
])
def test_a_line_ends_where_it_ends(x: float, y: float, hit: bool) -> None:
    """Its prolongation is not drawn, so a click there means nothing; 8 pixels beside or beyond it still count."""
    assert (under_pixel([np.array([[[20.0, 20], [80, 20]]])], x, y) == 0) == hit


@pytest.mark.parametrize("scale", [0.01, 1.0, 500.0])
def test_size_follows_the_scene(scale: float) -> None:
    """COLMAP's unit is arbitrary: frusta must be neither dots nor cover everything."""
    ring = ring_cameras(12, radius=3.0 * scale)
    assert 0.05 * scale < frustum_size(ring) < scale
    assert frustum_size(ring[:1]) > 0
    assert frustum_size([ring[0], ring[0]]) > 0  # two cameras in one place

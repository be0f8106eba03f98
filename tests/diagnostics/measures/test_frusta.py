"""Bare projection: which points a camera has in its picture."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.frusta import project, sample, seen_by
from runs.cameras import look_at
from tests.support.runs import ring_cameras

CAMERA = look_at(np.array([0.0, 0, -3]), np.zeros(3), size_px=(80, 40))


def test_the_target_falls_on_the_principal_point() -> None:
    """Half a pixel here would shift every photo colour that is looked up."""
    seen = project(np.zeros((1, 3)), CAMERA)
    np.testing.assert_allclose([seen.x_px[0], seen.y_px[0], seen.depth[0]], [40, 20, 3])
    assert seen.inside.all()


def test_nothing_behind_or_before_the_near_plane_is_seen() -> None:
    """A point behind the camera projects to a perfectly plausible pixel."""
    points = np.array([[0, 0, -4.0], [0, 0, -2.9]])
    seen = project(points, CAMERA, near=0.2)
    assert not seen.inside.any()
    assert np.isnan(seen.x_px[0])
    assert project(points, CAMERA).inside.tolist() == [False, True]  # photos have no near plane


@given(st.integers(0, 79), st.integers(0, 39), st.floats(0.3, 50))
def test_every_pixel_of_the_picture_is_inside(column: int, row: int, depth: float) -> None:
    """Unprojecting any pixel and projecting it again must come back to that pixel."""
    local = np.array([(column + 0.5 - CAMERA.cx) / CAMERA.fx, (row + 0.5 - CAMERA.cy) / CAMERA.fy, 1]) * depth
    seen = project((CAMERA.world_from_camera[:3, :3] @ local + CAMERA.centre)[None], CAMERA)
    assert seen.inside.all()
    image = np.arange(80 * 40, dtype=np.float32).reshape(40, 80, 1)
    assert sample(image, seen.x_px, seen.y_px)[0, 0] == row * 80 + column


def test_a_ring_sees_its_middle_and_not_its_outside() -> None:
    """The count of cameras decides between a start cloud from photos and a random one."""
    views = ring_cameras(12)
    assert seen_by(np.array([[0.0, 0, 0], [0, 50, 0]]), views).tolist() == [12, 0]

"""Projection: where a splat lands on the picture and how large it is there."""

from dataclasses import replace

import numpy as np
import pytest

from render.covariance import covariances
from render.projection import DILATION_PX2, directions, project, slope_limits
from runs.cameras import Camera
from tests.support.splats import inside, off_centre, outside, placed_splats, random_splats, straight


def pinhole(points: np.ndarray, camera: Camera) -> np.ndarray:
    """Pixels [N, 2] of world points, by the definition of a pinhole camera."""
    seen = (np.c_[points, np.ones(len(points))] @ np.linalg.inv(camera.world_from_camera).T)[:, :3]
    return seen[:, :2] / seen[:, 2:] * (camera.fx, camera.fy) + (camera.cx, camera.cy)


def test_the_optical_axis_meets_the_principal_point() -> None:
    """A splat on the axis of a 33 px picture sits in the centre of pixel 16, at 16.5: COLMAP's convention."""
    seen = project(placed_splats([0, 0, 2.0], scales=0.1, opacities=[0.9], colours=[1, 1, 1]), straight())
    np.testing.assert_allclose(seen.means_px, [[16.5, 16.5]])
    np.testing.assert_allclose(seen.depths, [2.0])


@pytest.mark.parametrize("camera", [outside(), inside(), off_centre()], ids=["outside", "inside", "off-centre"])
def test_centres_follow_the_pinhole_model(camera: Camera) -> None:
    """Poses, axes and principal point are all in this one equation."""
    splats = random_splats(50)
    seen = project(splats, camera)
    expected = pinhole(splats.means.astype(np.float64), camera)
    np.testing.assert_allclose(seen.means_px[seen.visible], expected[seen.visible], rtol=1e-9)


def test_covariance_is_the_linearised_pinhole_model() -> None:
    """Σ' = (∂px/∂world) Σ (∂px/∂world)ᵀ + 0.3·I inside the picture, with the derivative taken numerically."""
    splats, camera = random_splats(40), outside()
    seen = project(splats, camera)
    shown = seen.visible & (seen.means_px > 0).all(axis=1) & (seen.means_px < camera.size_px).all(axis=1)
    assert shown.sum() > 20
    for i in np.flatnonzero(shown):
        point = splats.means[i].astype(np.float64)
        steps = 1e-5 * np.eye(3)
        derivative = (pinhole(point + steps, camera) - pinhole(point - steps, camera)).T / 2e-5
        world = covariances(splats.scales[i : i + 1], splats.quats[i : i + 1])[0]
        expected = derivative @ world @ derivative.T + DILATION_PX2 * np.eye(2)
        np.testing.assert_allclose(seen.covariances_px2[i], expected, rtol=1e-6, atol=1e-6)


def test_far_outside_the_picture_the_jacobian_is_clamped() -> None:
    """Without INRIA's clamp a splat beside the near camera would cover the whole picture."""
    camera = straight()
    _, limit, _, _ = slope_limits(camera)
    at_limit = placed_splats([limit * 0.5, 0, 0.5], scales=0.05, opacities=[0.9], colours=[1, 1, 1])
    beyond = placed_splats([9 * limit * 0.5, 0, 0.5], scales=0.05, opacities=[0.9], colours=[1, 1, 1])
    np.testing.assert_allclose(project(beyond, camera).covariances_px2, project(at_limit, camera).covariances_px2, rtol=1e-6)
    assert limit == pytest.approx(1.3 * (camera.size_px[0] / 2) / camera.fx)


def test_clamp_reaches_as_far_beyond_either_edge_for_an_off_centre_principal_point() -> None:
    """INRIA knows no principal point; gsplat's rule keeps the margin equal on both sides."""
    camera = replace(straight(), cx=5.0)
    low, high, _, _ = slope_limits(camera)
    edges = -5.0 / camera.fx, (33 - 5.0) / camera.fx
    assert edges[0] - low == pytest.approx(high - edges[1])


def test_near_and_faint_splats_are_not_visible() -> None:
    """INRIA drops z <= 0.2, and below 1/255 nothing can be blended."""
    splats = placed_splats([[0, 0, 0.19], [0, 0, 0.21], [0, 0, -1], [0, 0, 2]], scales=0.1,
                           opacities=[0.9, 0.9, 0.9, 0.0038], colours=np.ones((4, 3)))
    assert project(splats, straight()).visible.tolist() == [False, True, False, False]
    assert project(splats, straight(), near=0.1).visible.tolist() == [True, True, False, False]


def test_directions_point_from_the_camera_to_the_splat() -> None:
    """The other way round would mirror every highlight."""
    splats = placed_splats([[0, 0, 2.0]], scales=0.1, opacities=[0.9], colours=[1, 1, 1])
    np.testing.assert_allclose(directions(splats, straight()), [[0, 0, 1]])

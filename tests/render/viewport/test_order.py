"""A wrong order shows wrong colours, and a splat that the cull loses is a hole that no test of one picture would notice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.projection import NEAR, project
from render.viewport.order import depth_order, reach
from runs.arrays import F32
from runs.cameras import Camera, look_at
from tests.render.viewport.scenes import CAMERAS, mixed

AHEAD = look_at(np.array([0.0, 0.0, -2.0]), np.zeros(3), size_px=(64, 48))


def depths_of(means: F32, camera: Camera) -> F32:
    """float32 [M], by the same float32 sum as the kernel."""
    row = camera.camera_from_world[2].astype(np.float32)
    return row[0] * means[:, 0] + row[1] * means[:, 1] + row[2] * means[:, 2] + row[3]


@given(st.integers(0, 2**32 - 1), st.integers(0, 300), st.floats(0.0, 8.0))
def test_order_is_that_of_a_stable_argsort_of_falling_depth(seed: int, count: int, magnitudes: float) -> None:
    """The radix sort works on float bits: every exponent, ties and the empty set must come out as numpy has them."""
    rng = np.random.default_rng(seed)
    means = np.zeros((count, 3), np.float32)
    means[:, 2] = np.round(10 ** rng.uniform(-magnitudes, magnitudes, count), 3)  # rounding makes ties
    order = depth_order(means, np.ones(count, np.float32), AHEAD)
    kept = np.sort(order)
    depths = depths_of(means, AHEAD)[kept]
    np.testing.assert_array_equal(order, kept[np.argsort(-depths, kind="stable")])
    assert len(kept) == (means[:, 2] > -2).sum()
    assert order.dtype == np.uint32


@pytest.mark.parametrize("name", CAMERAS)
@pytest.mark.parametrize("turn", [0.0, 0.05])
def test_cull_keeps_every_splat_that_touches_the_picture(name: str, turn: float) -> None:
    """The order of a moment ago is drawn while the camera moves, so it must also hold what a small turn brings in."""
    splats, camera = mixed(3000, spread=1.5), CAMERAS[name]
    order = depth_order(splats.means, reach(splats), camera)
    turned = look_at(camera.centre, camera.centre + camera.forward + [turn, turn, 0], size_px=camera.size_px)
    now = Camera("now", turned.world_from_camera if turn else camera.world_from_camera, camera.fx, camera.fy, camera.cx,
                 camera.cy, camera.size_px)
    missing = np.setdiff1d(np.flatnonzero(touching(splats, now)), order)
    assert not len(missing)
    assert len(order) < 0.95 * len(splats)  # and it does drop what is far outside


@pytest.mark.parametrize("name", CAMERAS)
def test_of_small_splats_those_in_the_enlarged_picture_are_kept(name: str) -> None:
    """Whatever is kept beside it costs time in every picture; the enlargement is the stated share of each side."""
    camera = CAMERAS[name]
    shares = np.random.default_rng(2).uniform(-1, 2, (3000, 2))
    pixels = shares * camera.size_px
    seen = np.column_stack([(pixels - [camera.cx, camera.cy]) / [camera.fx, camera.fy], np.ones(3000)]) * 2.0
    means = (seen @ camera.world_from_camera[:3, :3].T + camera.centre).astype(np.float32)
    for margin in (0.0, 0.25, 0.6):
        order = depth_order(means, np.full(3000, 1e-6, np.float32), camera, margin)
        beyond = np.abs(shares - 0.5).max(axis=1) - 0.5 - margin  # share of the side; within a thousandth either is right
        kept = np.isin(np.arange(3000), order)
        np.testing.assert_array_equal(kept[np.abs(beyond) > 1e-3], beyond[np.abs(beyond) > 1e-3] < 0)


def touching(splats, camera: Camera):  # type: ignore[no-untyped-def]
    """bool [M]: the box around the contour alpha = 1/255 meets the picture."""
    seen = project(splats, camera, near=NEAR)
    sigmas = np.sqrt(2 * np.log(np.maximum(splats.opacities * 255, 1)))
    half = sigmas[:, None] * np.sqrt(np.stack([seen.covariances_px2[:, 0, 0], seen.covariances_px2[:, 1, 1]], axis=1))
    inside = (seen.means_px + half > 0) & (seen.means_px - half < np.array(camera.size_px))
    return seen.visible & inside.all(axis=1)


def test_reach_is_where_alpha_falls_to_one_step_of_eight_bits() -> None:
    """Too small a reach culls visible splats; one for faint splats would keep what nobody draws."""
    splats = mixed(500)
    radii = reach(splats)
    seen = radii > 0
    alpha = splats.opacities * np.exp(-0.5 * (radii / splats.scales.max(axis=1)) ** 2)
    np.testing.assert_allclose(alpha[seen], 1 / 255, rtol=1e-4)
    np.testing.assert_array_equal(seen, splats.opacities > np.float32(1 / 255))
    assert not seen.all()

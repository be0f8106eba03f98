"""A wrong gradient trains, only worse, and would be taken for a fault of the user's run: proved by finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render.projection import project, slope_limits
from render.raster.differentiable import Gradients, render
from render.raster.parameters import GROUPS, Parameters
from render.splats import prepare
from runs.arrays import Array
from runs.cameras import Camera, look_at
from tests.support.splats import inside, off_centre, outside, straight
from tests.support.trainable import BACKGROUND, gradients, incoming, linear_loss, random_parameters, relative_errors

SIZE = (26, 19)
NARROW = look_at(np.array([0.1, -0.2, -1.2]), np.zeros(3), fov_y_deg=25, size_px=SIZE)
CAMERAS = {"outside": outside(SIZE), "inside": inside(SIZE), "off-centre": off_centre(SIZE), "narrow": NARROW}
STEP = 1e-6


def differences(parameters: Parameters, camera: Camera, gradient: tuple[Array, Array], name: str) -> Array:
    """Central differences of the linear loss by each number of a group."""
    values = getattr(parameters, name)
    flat, found = values.reshape(-1), np.zeros(values.size)
    for k, value in enumerate(flat.tolist()):
        flat[k] = value + STEP
        above = linear_loss(parameters, camera, gradient)
        flat[k] = value - STEP
        found[k] = (above - linear_loss(parameters, camera, gradient)) / (2 * STEP)
        flat[k] = value
    return found.reshape(values.shape)


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS.keys())
@pytest.mark.parametrize("degree", [3, 4])
def test_gradients_are_finite_differences(camera: Camera, degree: int) -> None:
    """All six groups through projection, slope clamp, harmonics and blending; achieved: 6e-6 relative."""
    parameters, gradient = random_parameters(25, degree=degree), incoming(camera)
    found = gradients(parameters, camera, gradient)
    expected = Gradients(*(differences(parameters, camera, gradient, name) for name in GROUPS), found.means2d_px)
    errors = relative_errors(found, expected)
    assert max(errors.values()) < 1e-4, errors


def test_the_narrow_camera_sees_splats_beyond_the_slope_clamp() -> None:
    """Otherwise the proof above would say nothing about the clamp's derivative."""
    splats = prepare(random_parameters(25).gaussians())
    seen = project(splats, NARROW)
    x_low, x_high, y_low, y_high = slope_limits(NARROW)
    slopes = (seen.means_px - (NARROW.cx, NARROW.cy)) / (NARROW.fx, NARROW.fy)
    beyond = seen.visible & ((slopes < (x_low, y_low)) | (slopes > (x_high, y_high))).any(axis=1)
    found = gradients(random_parameters(25), NARROW, incoming(NARROW))
    assert (beyond & (found.logit_opacities != 0)).sum() >= 3


def test_means2d_say_what_a_shift_of_the_picture_does() -> None:
    """Densification goes by them: their sum is the derivative by the principal point, which moves slope limits too."""
    camera, parameters = outside(SIZE), random_parameters(25, size=0.1)
    parameters.means[:] *= 0.3  # all inside the limits
    gradient = incoming(camera)
    found = gradients(parameters, camera, gradient).means2d_px.sum(axis=0)
    for axis, name in enumerate(("cx", "cy")):
        above, below = (linear_loss(parameters, replace(camera, **{name: getattr(camera, name) + step}), gradient)
                        for step in (STEP, -STEP))
        assert found[axis] == pytest.approx((above - below) / (2 * STEP), rel=1e-6)


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS.keys())
def test_float32_gradients_are_those_of_float64(camera: Camera) -> None:
    """Training runs in float32, with a polynomial for exp; the proofs run in float64. Achieved: 5e-5."""
    parameters, gradient = random_parameters(120), incoming(camera)
    errors = relative_errors(gradients(parameters.astype(np.float32), camera, gradient), gradients(parameters, camera, gradient))
    assert max(errors.values()) < 5e-4, errors


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), factors=st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
def test_gradients_are_linear_in_what_comes_in(seed: int, factors: tuple[float, float]) -> None:
    """backward(a·g + b·h) = a·backward(g) + b·backward(h), and no call leaves a trace in the next."""
    camera = inside(SIZE)
    picture = render(random_parameters(30, seed=seed), camera, background=BACKGROUND)
    g, h = incoming(camera, seed), incoming(camera, seed + 1)
    both = picture.backward(*(factors[0] * one + factors[1] * other for one, other in zip(g, h, strict=True)))
    first, second = picture.backward(*g), picture.backward(*h)
    for name in (*GROUPS, "means2d_px"):
        expected = factors[0] * getattr(first, name) + factors[1] * getattr(second, name)
        np.testing.assert_allclose(getattr(both, name), expected, atol=1e-9 * (1 + np.abs(expected).max(initial=0)))


def test_coefficients_above_the_drawn_degree_get_no_gradient() -> None:
    """SH warm-up: Adam must not move what has not been switched on."""
    found = render(random_parameters(30), outside(SIZE), sh_degree=1).backward(incoming(outside(SIZE))[0])
    assert found.sh_rest[:, :3].any()
    assert not found.sh_rest[:, 3:].any()


def test_quaternion_gradients_are_at_right_angles_to_the_quaternion() -> None:
    """Its length means nothing, so no gradient may change it."""
    parameters, camera = random_parameters(40), outside(SIZE)
    found = gradients(parameters, camera, incoming(camera)).quats_wxyz
    assert np.abs(found).max() > 0.1
    np.testing.assert_allclose((found * parameters.quats_wxyz).sum(axis=1), 0, atol=1e-12)


def test_a_capped_alpha_and_a_clamped_colour_let_nothing_through() -> None:
    """alpha = min(0.99, …) and max(colour, 0) are flat there: the opaque splat's only pixel, and a colour below black."""
    parameters = Parameters(np.array([[0, 0, 2.0]]), np.full((1, 3), np.log(0.5)), np.array([[1.0, 0, 0, 0]]), np.array([9.0]),
                            np.array([[1.0, -3.0, 1.0]]), np.zeros((1, 0, 3)))
    camera = straight((1, 1))
    found = render(parameters, camera).backward(np.ones((1, 1, 3)))
    assert found.logit_opacities[0] == 0
    assert not found.means.any()
    np.testing.assert_allclose(found.sh0[0], [0.99 * 0.28209479, 0, 0.99 * 0.28209479])


def test_a_nan_gradient_reaches_what_the_pixel_shows_and_nothing_else() -> None:
    """As in the real thing: a NaN loss must kill a run here too, one NaN pixel only what lies under it."""
    camera = straight((33, 33))
    parameters = Parameters(np.array([[0, 0, 2.0], [0.1, 0, 2.0]]), np.full((2, 3), np.log(0.01)),
                            np.tile([1.0, 0, 0, 0], (2, 1)), np.zeros(2), np.zeros((2, 3)), np.zeros((2, 0, 3)))
    gradient = np.ones((33, 33, 3))
    gradient[16, 16] = np.nan
    found = render(parameters, camera).backward(gradient)
    for name in ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "means2d_px"):
        assert np.isnan(getattr(found, name)[0]).any()
        assert np.isfinite(getattr(found, name)[1]).all()
    everything = render(parameters, camera).backward(np.full((33, 33, 3), np.nan))
    assert np.isnan(everything.means).any(axis=1).all()

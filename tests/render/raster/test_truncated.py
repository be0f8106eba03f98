"""A surrogate gradient that is wrong still trains, and its gains and losses would be told as those of the method."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render.projection import ALPHA_MIN
from render.raster.differentiable import Rendered, render
from render.raster.parameters import GROUPS, Parameters
from render.raster.truncated import CODE_CONTOUR, PAPER_CONTOUR, Surrogate, Truncation, surrogate
from runs.arrays import Array
from runs.cameras import Camera
from tests.render.raster.slow_truncated import colours_of, slow_surrogate, tail
from tests.support.splats import C0, inside, off_centre, outside, straight
from tests.support.trainable import BACKGROUND, incoming, random_parameters

SIZE = (26, 19)
CAMERAS = {"outside": outside(SIZE), "inside": inside(SIZE), "off-centre": off_centre(SIZE)}
HOWS = {
    "code": Truncation(0.01, 3e-7, padding_px=8.2, padded_below_px=5),
    "paper": Truncation(0.005, 1e-7, PAPER_CONTOUR, by_opacity=False),
    "all-without-sign": Truncation(1.0, 1e-4, by_sign=False), "steep": Truncation(0.05, 3e-3, padding_px=30, padded_below_px=30),
    "colours": Truncation(0.05, 1e-7, by_centre=False, by_opacity=False),
}


def faint(count: int = 60, seed: int = 0, dtype: type = np.float64) -> Parameters:
    """Small Gaussians, of which some are opaque, some faint, some below what is drawn at all."""
    parameters = random_parameters(count, seed=seed, size=0.1, opaque=3.0, dtype=dtype)
    parameters.logit_opacities[:] -= 2
    return parameters


def drawn(parameters: Parameters, camera: Camera) -> Rendered:
    return render(parameters, camera, background=BACKGROUND)


def close(found: Array, expected: Array, within: float) -> None:
    assert np.abs(found - expected).max() <= within * max(np.abs(expected).max(), 1e-12)


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS.keys())
@pytest.mark.parametrize("how", HOWS.values(), ids=HOWS.keys())
@pytest.mark.parametrize(("dtype", "within"), [(np.float64, 2e-6), (np.float32, 3e-4)])
def test_equals_the_slow_twin(camera: Camera, how: Truncation, dtype: type, within: float) -> None:
    """Transmittance in front, light from behind, filters, tail, boxes. The twin reads float32 columns, hence 2e-6."""
    parameters, gradient = faint(dtype=dtype), incoming(camera)[0]
    found, colours = surrogate(drawn(parameters, camera), gradient, how), colours_of(parameters, camera, 3)
    expected = slow_surrogate(parameters, camera, np.array(BACKGROUND), gradient, how, colours)
    opacity = 1 / (1 + np.exp(-parameters.logit_opacities.astype(np.float64)))
    close(found.gradients.means2d_px, expected.centres, within)
    close(found.gradients.logit_opacities, expected.opacities * opacity * (1 - opacity), within)
    close(found.gradients.sh0, expected.colours * C0 * (colours > 0), within)
    assert np.abs(found.pulling_px - expected.pulling).max() <= 3  # a pixel centre on the edge of a box
    assert found.calls.sum() == found.pulling_px.sum()
    assert how.by_centre == (expected.pulling.sum() > 20)


def test_the_tail_goes_on_where_the_density_is_cut() -> None:
    """C0 at the contour, by component, from both sides; and it never falls below the true derivative."""
    direction, how = np.array([0.8, -0.3]), Truncation(0.01, 1e-5)
    for square in (CODE_CONTOUR * (1 + 1e-9), CODE_CONTOUR, 40.0, 1e4, 1e8):
        along = direction * np.sqrt(square)  # Σ' = I: Δ itself, d² = square·|direction|²
        along *= np.sqrt(square) / np.linalg.norm(along)
        density = np.exp(-square / 2)
        found = tail(along, square, density, how)
        assert (np.abs(found) >= np.abs(density * along) - 1e-15).all()
        if square < 12:
            np.testing.assert_allclose(found, -density * along, rtol=1e-6)
        if square == 1e8:
            np.testing.assert_allclose(found, -density * along)


def one_dead(opacity: float = 0.004, scale: float = 0.05, dtype: type = np.float64) -> Parameters:
    """A dead splat in the middle of `straight()`: variance (40·scale/2)² + 0.3 = 1.3 px²."""
    return Parameters(np.array([[0, 0, 2.0]], dtype), np.full((1, 3), np.log(scale), dtype), np.array([[1.0, 0, 0, 0]], dtype),
                      np.array([np.log(opacity / (1 - opacity))], dtype), np.array([[1.0, 1.0, 1.0]], dtype),
                      np.zeros((1, 0, 3), dtype))


def pulled(x: int, sign: float, how: Truncation, parameters: Parameters | None = None) -> Surrogate:
    """By one pixel of the middle row that wants more light (-1) or less (1)."""
    gradient = np.zeros((33, 33, 3))
    gradient[16, x] = sign
    return surrogate(render(parameters or one_dead(), straight()), gradient, how)


def test_a_pixel_calls_a_dead_gaussian_to_itself() -> None:
    """In a step against the gradient the centre moves towards the pixel that wants it; the other axis stays."""
    how = Truncation(0.01, 1e-7, padding_px=20, padded_below_px=10)
    for x, towards in ((30, 1), (2, -1)):
        found = pulled(x, -1.0, how)
        step = -found.gradients.means2d_px[0]
        assert np.sign(step[0]) == towards
        assert step[1] == 0
        assert np.sign(-found.gradients.means[0, 0]) == towards
        assert found.pulling_px[0] == 1
    slope = np.exp(-CODE_CONTOUR / 2) * np.sqrt(CODE_CONTOUR / 1.3) - 1e-7 * (14**2 / 1.3 - CODE_CONTOUR)
    strength = 0.004 * 3 * (C0 + 0.5) * slope
    assert -pulled(30, -1.0, how).gradients.means2d_px[0, 0] == pytest.approx(strength, rel=1e-9)


def test_filters_leave_nothing() -> None:
    """A pixel that wants less coverage, one outside the box, a Gaussian that is not dead, a part that is switched off."""
    how = Truncation(0.01, 1e-7, padding_px=20, padded_below_px=10)
    unpadded = Truncation(0.01, 1e-7, padding_px=20, padded_below_px=4)
    assert not pulled(30, 1.0, how).gradients.means2d_px.any()
    assert pulled(30, 1.0, Truncation(0.01, 1e-7, padding_px=20, padded_below_px=10, by_sign=False)).gradients.means2d_px.any()
    assert not pulled(30, -1.0, unpadded).gradients.means2d_px.any()
    assert not pulled(30, -1.0, how, one_dead(0.011)).gradients.means2d_px.any()
    assert not pulled(30, -1.0, Truncation(0.01, 1e-7, padding_px=20, padded_below_px=10, by_centre=False)).pulling_px.any()


def test_inside_the_contour_only_opacity_hears_of_it() -> None:
    """The code's third path: alpha is below 1/255 but the density is not; no sign filter there."""
    for sign in (-1.0, 1.0):
        found = pulled(18, sign, Truncation(0.01, 1e-7)).gradients
        assert not found.means2d_px.any()
        assert np.sign(found.logit_opacities[0]) == sign
    assert not pulled(18, -1.0, Truncation(0.01, 1e-7, by_opacity=False)).gradients.logit_opacities.any()


def test_what_a_pixel_shows_has_the_true_gradient_alone() -> None:
    """Pairs that are blended belong to the first pass: with its box inside the contour alpha >= 1/255 nothing is added."""
    parameters = one_dead(0.0099, scale=0.05)
    picture = render(parameters, straight())
    gradient = np.where(picture.alpha[..., None] >= ALPHA_MIN, -1.0, 0.0) * np.ones(3)
    assert picture.backward(gradient).means.any() or picture.alpha.max() > ALPHA_MIN
    found = surrogate(picture, gradient, Truncation(0.01, 1e-7)).gradients
    assert not any(getattr(found, name).any() for name in GROUPS)


def test_the_reset_value_counts_as_dead() -> None:
    """0.01 is what opacities are reset to, in float32: rounding must not decide."""
    logit = np.float32(np.log(0.01 / 0.99))
    parameters = one_dead(dtype=np.float32)
    parameters.logit_opacities[:] = logit
    assert pulled(30, -1.0, Truncation(0.01, 1e-7, padding_px=20, padded_below_px=10), parameters).pulling_px[0] == 1


def test_who_stands_behind_an_opaque_surface_is_not_called() -> None:
    """The early stop: what lies behind is not reached by the picture's gradient either."""
    wall = Parameters(np.array([[0, 0, 1.0]]).repeat(4, 0), np.full((4, 3), np.log(2.0)), np.tile([1.0, 0, 0, 0], (4, 1)),
                      np.full(4, 9.0), np.zeros((4, 3)), np.zeros((4, 0, 3)))
    how = Truncation(0.01, 1e-7, padding_px=20, padded_below_px=10)
    assert not pulled(30, -1.0, how, one_dead().joined(wall)).pulling_px.any()
    wall.means[:, 2] = 3.0
    assert pulled(30, -1.0, how, one_dead().joined(wall)).pulling_px[0] == 1


def test_the_statistic_of_densification_never_sees_it() -> None:
    """Else the method would grow Gaussians by its own pull."""
    parameters, camera = faint(), outside(SIZE)
    picture, gradient = drawn(parameters, camera), incoming(camera)[0]
    plain, added = picture.backward(gradient), surrogate(picture, gradient, HOWS["steep"])
    total = added.added_to(plain)
    np.testing.assert_array_equal(total.means2d_px, plain.means2d_px)
    np.testing.assert_array_equal(total.means, plain.means + added.gradients.means)
    assert added.gradients.means.any()
    assert not added.gradients.log_scales.any()
    assert not added.gradients.quats_wxyz.any()


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), count=st.integers(0, 40), width=st.integers(1, 40), height=st.integers(1, 40),
       padding=st.floats(0, 60), eye=st.tuples(*[st.floats(-2, 2)] * 3))
def test_any_picture_gives_finite_pulls_that_do_not_depend_on_threads(
    seed: int, count: int, width: int, height: int, padding: float, eye: tuple[float, float, float],
) -> None:
    """Sizes that are no multiple of a segment, no Gaussian at all, cameras inside the cloud."""
    camera = outside((width, height))
    camera.world_from_camera[:3, 3] = eye
    parameters, gradient = faint(count, seed, np.float32), incoming(camera, seed)[0]
    how = Truncation(0.3, 1e-6, padding_px=padding, padded_below_px=20)
    one, four = (surrogate(render(parameters, camera, threads=threads), gradient, how) for threads in (1, 4))
    for name in (*GROUPS, "means2d_px"):
        assert np.isfinite(getattr(one.gradients, name)).all()
        np.testing.assert_array_equal(getattr(one.gradients, name), getattr(four.gradients, name))
    assert (one.pulling_px <= width * height).all()


def test_only_our_own_pictures_can_be_looked_behind() -> None:
    """gsplat's transmittance stays on the device."""
    with pytest.raises(ValueError, match="on the CPU only"):
        surrogate(object(), np.zeros((1, 1, 3)), HOWS["code"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="like the picture"):
        surrogate(drawn(faint(), outside(SIZE)), np.zeros((1, 1, 3)), HOWS["code"])

"""PSNR and SSIM decide between healthy and sick: they must be the published ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.raster.compare import WINDOW_PX, error_image, psnr, psnr_of_channels, ssim


@given(st.floats(0.001, 0.5))
def test_psnr_of_a_constant_difference(difference: float) -> None:
    """-20·log10(d), by definition."""
    dark = np.full((4, 5, 3), 0.25)
    assert psnr(dark, dark + difference) == pytest.approx(-20 * np.log10(difference))


def test_the_mean_over_channels_is_above_the_pooled_psnr() -> None:
    """INRIA's training report logs it: it weighs each colour alike, however small its error."""
    errors = np.broadcast_to([0.1, 0.1, 0.01], (4, 4, 3))
    assert psnr_of_channels(errors, np.zeros((4, 4, 3))) == pytest.approx((20 + 20 + 40) / 3)
    assert psnr(errors, np.zeros((4, 4, 3))) == pytest.approx(-10 * np.log10(0.0201 / 3))


def test_psnr_clips_the_picture_as_trainers_do() -> None:
    """Splat colours exceed 1; unclipped they would cost decibels that no trainer logs."""
    assert psnr(np.full((2, 2, 3), 3.0), np.ones((2, 2, 3))) == float("inf")


def test_ssim_equals_the_definition_at_every_pixel() -> None:
    """Brute force over the 11×11 Gaussian window, zeros outside."""
    rng = np.random.default_rng(0)
    a = rng.uniform(size=(14, 17, 3))
    b = np.clip(a + rng.normal(0, 0.1, a.shape), 0, 1)
    offsets = np.arange(WINDOW_PX) - 5
    window = np.exp(-(offsets[:, None] ** 2 + offsets[None] ** 2) / (2 * 1.5**2))[..., None]
    window /= window.sum()
    padded_a, padded_b = (np.pad(image, ((5, 5), (5, 5), (0, 0))) for image in (a, b))
    values = []
    for y in range(14):
        for x in range(17):
            p, q = padded_a[y : y + 11, x : x + 11], padded_b[y : y + 11, x : x + 11]
            mean_p, mean_q = (window * p).sum((0, 1)), (window * q).sum((0, 1))
            var_p, var_q = (window * p * p).sum((0, 1)) - mean_p**2, (window * q * q).sum((0, 1)) - mean_q**2
            covariance = (window * p * q).sum((0, 1)) - mean_p * mean_q
            values.append((2 * mean_p * mean_q + 1e-4) * (2 * covariance + 9e-4)
                          / ((mean_p**2 + mean_q**2 + 1e-4) * (var_p + var_q + 9e-4)))
    assert ssim(a, b) == pytest.approx(np.mean(values), abs=1e-12)


def test_equal_pictures_are_alike() -> None:
    """The upper end of both scales."""
    image = np.random.default_rng(0).uniform(size=(20, 20, 3))
    assert ssim(image, image) == pytest.approx(1)
    assert psnr(image, image) == float("inf")
    assert not error_image(image, image).any()


def test_error_image_is_the_mean_over_channels() -> None:
    """One number per pixel, so that it can be drawn with a scale."""
    error = error_image(np.zeros((1, 1, 3)), np.array([[[0.3, 0.0, 0.6]]]))
    np.testing.assert_allclose(error, [[0.3]], rtol=1e-6)

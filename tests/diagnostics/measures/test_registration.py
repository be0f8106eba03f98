"""Residual shift: how far a render lies beside its photo, and whether that explains anything."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from scipy.ndimage import shift as moved

from diagnostics.measures.registration import residual_shift


def texture(seed: int = 0, size: int = 96) -> np.ndarray:
    """Smooth noise, 0..1, as float32 [H, W, 3]."""
    grey = gaussian_filter(np.random.default_rng(seed).normal(size=(size, size)), 2)
    grey = (grey - grey.min()) / np.ptp(grey)
    return np.repeat(grey[..., None], 3, axis=2).astype(np.float32)


@pytest.mark.parametrize(("x", "y"), [(0.3, -0.2), (2.0, 1.0), (-4.0, 3.0)])
def test_a_known_shift_is_measured_and_explains_the_difference(x: float, y: float) -> None:
    """The limit is 0.15 px: a tenth of a pixel must be seen, and several pixels must not be lost."""
    render = texture()
    photo = moved(render, (y, x, 0), order=3, mode="nearest")
    found = residual_shift(render, photo)
    assert found is not None
    assert (found.x_px, found.y_px) == pytest.approx((x, y), abs=0.1)
    assert found.explained > 0.9


def test_equal_pictures_lie_on_each_other() -> None:
    """A healthy run must measure nothing."""
    found = residual_shift(texture(), texture())
    assert found is not None
    assert found.length_px == pytest.approx(0, abs=1e-6)
    assert found.explained == 0


def test_exposure_is_not_taken_for_a_shift() -> None:
    """A photo that is a little brighter is another fault (N-07)."""
    found = residual_shift(0.8 * texture(), 0.8 * texture() + 0.1)
    assert found is not None
    assert found.length_px < 0.01


def test_noise_may_shift_but_explains_nothing() -> None:
    """A blurred or failed render yields shifts of pixels; only `explained` tells them from wrong poses."""
    found = residual_shift(texture(1), texture(2))
    assert found is None or found.explained < 0.25
    blurred = gaussian_filter(texture(3), (6, 6, 0))
    found = residual_shift(blurred, texture(3))
    assert found is not None
    assert found.explained < 0.02


def test_a_flat_or_tiny_picture_cannot_tell() -> None:
    """An answer from nothing would be an invented number."""
    assert residual_shift(np.zeros((96, 96, 3), np.float32), texture()) is None
    assert residual_shift(texture(size=20), texture(size=20)) is None

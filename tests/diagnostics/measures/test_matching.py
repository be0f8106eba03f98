"""Gains, sharpness and cells: exact where the answer is known."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

from diagnostics.measures.matching import cell_means, channel_gains, sharpness, squared_error

RNG = np.random.default_rng(0)
PICTURE = RNG.uniform(0.1, 0.6, (40, 30, 3)).astype(np.float32)
EVERYWHERE = np.ones((40, 30), bool)


@given(st.tuples(*(st.floats(0.3, 1.6),) * 3))
def test_gains_come_out_again(gains: tuple[float, float, float]) -> None:
    """And leave nothing."""
    photo = (PICTURE * np.array(gains)).astype(np.float32)
    found = channel_gains(PICTURE, photo, EVERYWHERE)
    np.testing.assert_allclose(found, gains, rtol=1e-4)
    assert squared_error(PICTURE, photo, EVERYWHERE, found) < 1e-6


def test_only_the_mask_counts() -> None:
    """Background pixels would pull every gain towards one."""
    photo = 2 * PICTURE
    photo[:20] = PICTURE[:20]
    below = EVERYWHERE.copy()
    below[:20] = False
    np.testing.assert_allclose(channel_gains(PICTURE, photo, below), 2, rtol=1e-5)
    assert np.isnan(channel_gains(np.zeros_like(PICTURE), photo, below)).all()


def test_blur_lowers_sharpness_and_brightness_does_not_raise_it_unseen() -> None:
    """Twice as bright is four times as sharp by definition: compare photos with renders, not with a number."""
    soft = gaussian_filter(PICTURE, (2, 2, 0))
    assert sharpness(soft) < 0.02 * sharpness(PICTURE)
    np.testing.assert_allclose(sharpness(2 * PICTURE), 4 * sharpness(PICTURE), rtol=1e-4)


@given(st.integers(1, 40), st.integers(1, 40))
def test_cells_cover_every_pixel_once(height: int, width: int) -> None:
    """Means weighted by their pixels give the picture's mean, whatever its size."""
    values = np.random.default_rng(height).random((height, width)).astype(np.float32)
    rows, columns = (np.diff(np.linspace(0, side, 9).round().astype(int)) for side in values.shape)
    weights = np.outer(rows, columns)
    found = cell_means(values)
    assert np.isfinite(found[weights > 0]).all()
    np.testing.assert_allclose(np.nansum(found * weights), values.sum(dtype=np.float64), rtol=1e-5)

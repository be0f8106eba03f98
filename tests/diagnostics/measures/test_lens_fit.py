"""One lens for all keypoints: exact where it is the reason, untouched by wrong matches."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.lens_fit import AS_IT_IS, fit_lens


@given(st.floats(0.4, 2.5), st.floats(-30, 30), st.floats(-30, 30), st.integers(0, 1000))
def test_the_lens_is_found_among_wrong_matches(zoom: float, x: float, y: float, seed: int) -> None:
    """A fifth of the keypoints belong elsewhere, as in any reconstruction."""
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(-200, 200, (300, 2))
    marked = zoom * drawn + (x, y)
    marked[:60] += rng.uniform(-100, 100, (60, 2))
    found = fit_lens(drawn, marked)
    assert abs(found.zoom - zoom) < 0.02
    assert np.hypot(found.x_px - x, found.y_px - y) < 1.5


def test_what_does_not_spread_tells_nothing() -> None:
    """All points in one place, or none at all, or all behind the camera."""
    assert fit_lens(np.ones((9, 2)), np.zeros((9, 2))) == AS_IT_IS
    assert fit_lens(np.full((9, 2), np.nan), np.zeros((9, 2))) == AS_IT_IS
    assert fit_lens(np.zeros((2, 2)), np.zeros((2, 2))) == AS_IT_IS

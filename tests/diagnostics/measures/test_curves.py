"""Curves: the levels that alarms compare must not depend on what came later, nor on gaps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from diagnostics.measures.curves import best, last_finite, running_median, since, until
from runs.series import Series

VALUES = arrays(np.float64, st.integers(0, 40), elements=st.floats(-100, 100) | st.just(float("nan")))


def series(values: np.ndarray) -> Series:
    return Series("x", np.arange(len(values), dtype=np.int64) * 3, values, "", "made up")


@given(VALUES, st.integers(1, 7))
def test_the_running_median_is_the_median_of_the_last_values(values: np.ndarray, width: int) -> None:
    """Against the plain definition; a value that leaked backwards would move the onset of a fault."""
    found = running_median(values, width)
    assert len(found) == len(values)
    for i, level in enumerate(found):
        window = values[max(0, i - width + 1):i + 1]
        known = window[np.isfinite(window)]
        assert np.isnan(level) if not len(known) else level == np.median(known)


@given(VALUES)
def test_best_and_last_ignore_what_is_not_finite(values: np.ndarray) -> None:
    """One NaN in a log must not hide the best value."""
    found, finite = best(series(values)), values[np.isfinite(values)]
    assert (found is None) == (last_finite(series(values)) is None) == (not len(finite))
    if found is not None:
        assert found[1] == finite.max()
        assert values[found[0] // 3] == finite.max()


@given(VALUES, st.integers(-5, 130))
def test_until_and_since_part_a_series_without_loss(values: np.ndarray, at: int) -> None:
    """What is before and what is after make up the whole."""
    whole = series(values)
    assert np.array_equal(np.concatenate([until(whole, at).values, since(whole, at + 1).values]), values, equal_nan=True)

"""Soft steps and shares: what scores and limits are made of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.ramps import ramp
from diagnostics.measures.shares import quantile, share, weighted_quantile, weighted_share


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(-10, 10), st.floats(0.01, 10))
def test_a_ramp_stays_between_0_and_1_and_never_falls(values: list[float], low: float, width: float) -> None:
    """Scores are multiplied; one outside 0..1 would let a cue count twice."""
    ordered = ramp(np.sort(values), low, low + width)
    assert ordered.min() >= 0
    assert ordered.max() <= 1
    assert (np.diff(ordered) >= 0).all()


def test_a_ramp_may_run_downwards_and_keeps_the_unknown() -> None:
    """Few views are suspicious, many are not; an unknown number is neither."""
    np.testing.assert_allclose(ramp(np.array([0.35, 0.25, 0.15, np.nan]), 0.35, 0.15), [0, 0.5, 1, np.nan], atol=1e-12)


def test_shares_of_rows_and_of_weight_differ() -> None:
    """A thousand invisible rows are a large share of the rows and none of the picture."""
    mask, weights = np.array([True, True, False]), np.array([0.0, np.nan, 4.0])
    assert share(mask) == pytest.approx(2 / 3)
    assert weighted_share(mask, weights) == 0
    assert np.isnan(weighted_share(mask, np.zeros(3)))
    assert np.isnan(share(np.zeros(0, bool)))


def test_the_weighted_median_follows_the_weight() -> None:
    """The median colour deviation is meant over the picture, not over the rows."""
    values, weights = np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 1.0, 5.0, 100.0])
    assert weighted_quantile(values, weights, 0.5) == 3
    assert quantile(values, 0.5) == 2
    assert np.isnan(weighted_quantile(values, np.zeros(4), 0.5))

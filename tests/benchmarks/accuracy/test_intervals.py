"""Intervals of shares: a figure from few runs must say how little it is sure of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from benchmarks.accuracy.intervals import Share, clopper_pearson


# Values of the exact interval as published tables give them (two-sided, 95 %).
@pytest.mark.parametrize(("hits", "of", "low", "high"), [
    (0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (5, 10, 0.1871, 0.8129), (1, 20, 0.0013, 0.2487), (81, 263, 0.2527, 0.3676),
    (0, 30, 0.0, 0.1157),
])
def test_published_values(hits: int, of: int, low: float, high: float) -> None:
    """0 false alarms in 30 runs still allows a rate of 11 %: whoever reads the page must see that."""
    assert clopper_pearson(hits, of) == pytest.approx((low, high), abs=6e-5)


@given(st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_ends_are_where_the_seen_count_becomes_unlikely(pair: tuple[int, int]) -> None:
    """The definition: at each end 2.5 % of all repetitions are as extreme as what was seen."""
    hits, of = pair
    low, high = clopper_pearson(hits, of)
    assert 0 <= low <= hits / of <= high <= 1
    if hits:
        assert binom.sf(hits - 1, of, low) == pytest.approx(0.025, rel=1e-6)
    if hits < of:
        assert binom.cdf(hits, of, high) == pytest.approx(0.025, rel=1e-6)


def test_nothing_counted_is_nothing_known() -> None:
    """No runs must not read as 0 %."""
    assert Share(0, 0).value is None
    assert Share(0, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize("pair", [(2, 1), (-1, 3)])
def test_more_hits_than_runs_are_refused(pair: tuple[int, int]) -> None:
    """A slip in counting must not become a figure."""
    with pytest.raises(ValueError, match="is no share"):
        Share(*pair)

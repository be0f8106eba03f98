"""A plot that loses a spike or a gap tells a wrong story, so thinning and axes are held to their bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.report.axes import iteration_axis, linear_axis, log_axis
from diagnostics.report.plots import curve, envelope, finding_plots, overview_plots, value_axis
from diagnostics.verdict import EvidenceRow
from runs.series import Series
from tests.diagnostics.report.support import diagnosis, pattern, reported, training_run


@given(st.integers(0, 10_000), st.integers(2, 400), st.integers(1, 5000))
def test_the_envelope_keeps_every_bin_s_extremes(seed: int, bins: int, length: int) -> None:
    """One bad iteration in 30,000 must stay visible; with 2 points a bin, that is a promise and not luck."""
    values = np.random.default_rng(seed).normal(size=length)
    values[np.random.default_rng(seed + 1).random(length) < 0.01] = np.nan
    kept = envelope(values, bins)
    assert (np.diff(kept) > 0).all()
    assert len(kept) <= 3 * bins + 2
    for part in np.split(np.arange(length), np.linspace(0, length, bins + 1).astype(int)[1:-1]):
        if np.isfinite(values[part]).any():
            assert {np.nanmin(values[part]), np.nanmax(values[part])} <= set(values[kept])
        if np.isnan(values[part]).any():
            assert np.isnan(values[kept[np.isin(kept, part)]]).any()


def test_nonfinite_values_are_gaps_and_are_told() -> None:
    """A line drawn across a NaN would claim a value that nobody measured."""
    series = Series("loss/total", np.arange(5), np.array([1, np.nan, 2, np.inf, 3.0]), "", "metrics.jsonl")
    drawn = curve(series)
    assert drawn.nonfinite.tolist() == [1, 3]
    np.testing.assert_array_equal(drawn.values, [1, np.nan, 2, np.nan, 3])


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_linear_axis_holds_its_values(first: float, second: float) -> None:
    """No curve may leave its frame."""
    low, high = min(first, second), max(first, second)
    axis = linear_axis(low, high)
    assert axis.place(low) >= -1e-6
    assert axis.place(high) <= 1 + 1e-6
    assert 2 <= len(axis.ticks) <= 9


@given(st.floats(1e-12, 1e12), st.floats(1.0, 1e9))
def test_a_log_axis_holds_its_values(low: float, ratio: float) -> None:
    """The same on a logarithmic scale, with few enough ticks to print."""
    axis = log_axis(low, low * ratio)
    assert -1e-6 <= axis.place(low) <= axis.place(low * ratio) <= 1 + 1e-6
    assert len(axis.ticks) <= 7


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_iterations_are_whole_numbers(first: int, length: int) -> None:
    """There is no iteration 100.2, and both ends stay where they are."""
    axis = iteration_axis(first, first + length)
    assert all(tick == int(tick) and axis.low <= tick <= axis.high for tick in axis.ticks)
    assert 1 <= len(axis.ticks) <= 11
    if length:
        assert (axis.low, axis.high) == (first, first + length)


def test_a_curve_over_many_powers_of_ten_gets_a_log_axis() -> None:
    """A loss that explodes and comes back would else look flat."""
    assert value_axis(np.array([0.01, 40.0])).log
    assert not value_axis(np.array([0.0, 40.0])).log
    assert value_axis(np.array([0.1, 0.5])).low == 0


@pytest.mark.parametrize(("says", "title"), [
    ("test PSNR fell by 3.1 dB", "Image quality"), ("12,000 Gaussians pruned at once", "Number of Gaussians"),
    ("the total loss is not finite", "Loss"),
])
def test_a_finding_shows_the_series_it_speaks_of(says: str, title: str) -> None:
    """The plot beside a finding is evidence, not decoration."""
    found = reported(pattern(7), says=says, evidence=(EvidenceRow("measured", 1.0),))
    assert finding_plots(diagnosis(found), found)[0].title == title


def test_plots_carry_range_interval_and_schedule() -> None:
    """A dip at a reset is only understood with the reset drawn."""
    found = reported()
    plot = finding_plots(diagnosis(found), found)[0]
    assert (plot.span, plot.interval) == ((0, 1500), (900, 1500))
    assert [(mark.iteration, mark.label) for mark in plot.marks] == [
        (400, "opacity reset"), (800, "opacity reset"), (900, "densification ends")]
    assert [drawn.title for drawn in overview_plots(diagnosis(found))] == ["Image quality", "Loss", "Number of Gaussians"]


def test_a_run_without_logs_has_no_plots() -> None:
    """Nothing is drawn where nothing was measured."""
    found = reported()
    silent = diagnosis(found, run=training_run(series={"loss/total": {1: np.nan, 2: np.inf}}))
    assert overview_plots(silent) == ()
    assert finding_plots(silent, found) == ()

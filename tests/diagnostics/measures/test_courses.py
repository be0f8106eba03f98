"""Courses: falls that stay, lines with their doubt, and jumps that a slope does not make."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.courses import jumps, one_way_fall, repeats, trend
from runs.series import Series


def series(*values: float) -> Series:
    return Series("train/psnr", np.arange(len(values), dtype=np.int64) * 100, np.array(values), "dB", "log")


def test_a_fall_is_told_with_its_edge() -> None:
    fall = one_way_fall(series(10, 20, 30, 5, 6, 5))
    assert fall is not None
    assert (fall.before, fall.after, fall.best_after, fall.depth, fall.later) == ((200, 30), (300, 5), 6, 24, 3)


def test_a_dip_is_no_fall_and_a_slow_decline_a_shallow_one() -> None:
    assert one_way_fall(series(10, 20, 5, 25)) is None
    slow = one_way_fall(series(30, 29.5, 29, 28.5))
    assert slow is not None
    assert slow.depth == pytest.approx(0.5)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=30))
def test_a_course_that_rises_never_falls(values: list[float]) -> None:
    """Whatever the steps, a sorted course has no way down."""
    assert one_way_fall(series(*sorted(values))) is None


def test_values_that_are_no_numbers_are_no_fall() -> None:
    """They are another pattern's, and must not count as low."""
    assert one_way_fall(series(10, 20, float("nan"), float("inf"))) is None


def test_a_line_and_its_error() -> None:
    """Exactly known where the course is a line, doubtful where it is noise."""
    line = trend(series(1, 2, 3, 4, 5))
    assert line is not None
    assert (line.gain, line.per_thousand) == (pytest.approx(4), pytest.approx(10))
    assert line.error == pytest.approx(0, abs=1e-9)
    noisy = trend(series(1, 5, 1, 5, 1))
    assert noisy is not None
    assert noisy.error > 1
    assert trend(series(1, 2)) is None


def test_a_slope_makes_no_jumps() -> None:
    assert jumps(np.array([1.0, 2, 3, 4])).tolist() == [0, 0]
    assert jumps(np.array([0.0, 1, 0])).tolist() == [1]


def test_repeats_by_six_digits() -> None:
    assert repeats(np.array([0.473236, 0.473236, 0.4732361])) == 1
    assert repeats(np.array([0.47, 0.48, 0.48])) == pytest.approx(0.5)
    assert repeats(np.array([np.nan, np.nan])) == 0

"""Stretches of a steady count, and how evenly memory rises over them."""

import numpy as np

from diagnostics.measures.leaks import rises, steady_stretch
from runs.series import Series


def series(iterations: range, values: list[float]) -> Series:
    return Series("x", np.array(iterations, np.int64), np.array(values), "", "log")


def test_the_stretch_begins_after_the_last_change_of_the_count() -> None:
    """Growth until 40, then a flat count; a value that is no number is left out."""
    counts = series(range(0, 100, 10), [1e3, 2e3, 3e3, 4e3, 5e3, 5e3, 5e3, 5e3, 5e3, 5e3])
    memory = series(range(0, 100, 10), [1.0, 2, 3, 4, 5, 6, np.nan, 8, 9, 10])
    found = steady_stretch(counts, memory, 0.01, 4)
    assert found is not None
    assert found.iterations.tolist() == [40, 50, 70, 80, 90]
    assert steady_stretch(counts, memory, 0.01, 6) is None
    assert steady_stretch(series(range(2), [np.nan, np.nan]), memory, 0.01, 1) is None


def test_a_straight_line_rises_evenly_and_a_step_does_not() -> None:
    """Three rises: all alike, or all in one."""
    assert np.allclose(rises(np.arange(100.0)), 25)
    step = rises(np.where(np.arange(100) < 50, 0.0, 30.0))
    assert step.tolist() == [0, 30, 0]

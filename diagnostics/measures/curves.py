"""Curves: levels of a noisy series, what came before and what after."""

import numpy as np

from runs.arrays import F64
from runs.series import Series


def running_median(values: F64, width: int) -> F64:
    """float64, shape of `values`: the median of the last `width` values, so that no later value leaks backwards."""
    if width <= 1 or not len(values):
        return values
    padded = np.concatenate([np.full(width - 1, np.nan), values])
    windows = np.lib.stride_tricks.sliding_window_view(padded, width)
    known = np.isfinite(windows).any(axis=1)
    levels = np.full(len(values), np.nan)
    levels[known] = np.nanmedian(windows[known], axis=1)
    return levels


def best(series: Series) -> tuple[int, float] | None:
    """(iteration, value) of the largest finite value; the earliest of equals."""
    finite = np.flatnonzero(np.isfinite(series.values))
    if not len(finite):
        return None
    index = finite[np.argmax(series.values[finite])]
    return int(series.iterations[index]), float(series.values[index])


def until(series: Series, last: int) -> Series:
    """The part with iteration <= last."""
    return series.between(int(series.iterations[0]), last) if len(series) else series


def since(series: Series, first: int) -> Series:
    """The part with iteration >= first."""
    return series.between(first, int(series.iterations[-1])) if len(series) else series


def last_finite(series: Series) -> tuple[int, float] | None:
    """(iteration, value) of the last finite value."""
    finite = np.flatnonzero(np.isfinite(series.values))
    return (int(series.iterations[finite[-1]]), float(series.values[finite[-1]])) if len(finite) else None

"""Middles and spreads that a few wild values cannot move, and soft steps between two limits."""

import numpy as np

from runs.arrays import F64, Array

# Scales the median absolute deviation to the standard deviation of a normal distribution.
NORMAL_MAD = 1.4826


def middle_and_spread(values: Array) -> tuple[float, float]:
    """Median and scaled median absolute deviation of the finite values; both NaN where there are none."""
    finite = np.asarray(values, np.float64)
    finite = finite[np.isfinite(finite)]
    if not len(finite):
        return float("nan"), float("nan")
    middle = float(np.median(finite))
    return middle, NORMAL_MAD * float(np.median(np.abs(finite - middle)))


def robust_z(values: Array) -> F64:
    """float64, shape of `values`: distance from the median in robust standard deviations; 0 where all values agree."""
    middle, spread = middle_and_spread(values)
    if not spread > 0:
        return np.where(np.isfinite(values), 0.0, np.nan)
    return np.asarray((np.asarray(values, np.float64) - middle) / spread)


def ramp(values: Array, low: float, high: float) -> F64:
    """float64, 0 at or below `low`, 1 at or above `high`, straight between; NaN stays NaN. `high` may lie below `low`."""
    return np.asarray(np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1))

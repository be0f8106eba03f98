"""Soft steps: where a cue starts to count, and where it is fully there."""

import numpy as np

from runs.arrays import F64, Array


def ramp(values: Array, low: float, high: float) -> F64:
    """float64, 0 at or below `low`, 1 at or above `high`, straight between; NaN stays NaN. `high` may lie below `low`."""
    return np.asarray(np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1))

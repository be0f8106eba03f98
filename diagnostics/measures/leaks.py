"""Memory that rises where it should stand: stretches of a steady count, and how evenly a series rises."""

import numpy as np

from runs.arrays import F64
from runs.series import Series

PARTS = 4


def steady_stretch(counts: Series, values: Series, steady: float, least: int) -> Series | None:
    """The last and longest part of `values` over which the count stays within `steady` (share) of its last level.

    None where fewer than `least` finite values lie in it.
    """
    known = np.isfinite(counts.values)
    if not known.any():
        return None
    iterations, levels = counts.iterations[known], counts.values[known]
    away = np.flatnonzero(np.abs(levels - levels[-1]) > steady * max(1.0, levels[-1]))
    begin = int(iterations[away[-1] + 1]) if len(away) else int(iterations[0])
    found = values.between(begin, int(values.iterations[-1]))
    finite = np.isfinite(found.values)
    if finite.sum() < least:
        return None
    return Series(found.name, found.iterations[finite], found.values[finite], found.unit, found.source)


def rises(values: F64) -> F64:
    """float64 [3]: from the median of each quarter to that of the next; all alike where the values rise in a straight line."""
    medians = [float(np.median(part)) for part in np.array_split(values, PARTS)]
    return np.diff(medians)

"""Min/max envelopes: a curve with one column per pixel in which no spike is lost, at any zoom."""

import numpy as np

from runs.arrays import F64, Array


def envelope(iterations: Array, values: Array, first: float, last: float, columns: int) -> tuple[F64, F64]:
    """The finite part of a curve between `first` and `last`, at most 4 points a column: entry, lowest, highest, exit.

    One value on either side of the range is kept, so that the line runs out of the picture instead of ending in it.
    `iterations` int or float [T], increasing; `values` [T]; the result's points are points of the curve.
    """
    good = np.isfinite(values)
    x, y = np.asarray(iterations, np.float64)[good], np.asarray(values, np.float64)[good]
    start = max(int(np.searchsorted(x, first)) - 1, 0)
    stop = min(int(np.searchsorted(x, last, side="right")) + 1, len(x))
    x, y = x[start:stop], y[start:stop]
    if len(x) <= 4 * columns:
        return x, y
    starts = np.unique(np.linspace(0, len(x), columns, endpoint=False).astype(np.int64))
    ends = np.append(starts[1:], len(x))
    keep = [starts, ends - 1, _first_equal(y, np.minimum.reduceat(y, starts), starts, ends),
            _first_equal(y, np.maximum.reduceat(y, starts), starts, ends)]
    chosen = np.unique(np.concatenate(keep))
    return x[chosen], y[chosen]


def _first_equal(values: F64, wanted: F64, starts: Array, ends: Array) -> Array:
    """Index of the first value of each column that equals `wanted` of that column."""
    hits = np.flatnonzero(values == np.repeat(wanted, ends - starts))
    return hits[np.searchsorted(hits, starts)]


def not_finite(iterations: Array, values: Array) -> F64:
    """Iterations at which something was logged that is not a number; they get a mark of their own."""
    return np.asarray(iterations, np.float64)[~np.isfinite(values)]

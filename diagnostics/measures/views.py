"""Views among each other: which evaluations dip, and which views' losses stay behind those of the others."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from runs.series import Series

FIRST, LAST = 3, 3  # visits whose median tells where a view began and where it ended
LEAST_SPREAD = 0.02  # of the loss's logarithm: views that are alike to 2 % have no outliers


@dataclass(frozen=True)
class Standing:
    """One view's loss against the median view's."""

    name: str
    first: int  # iteration of its first and last visit
    last: int
    level: float  # its loss at the end / the median view's
    left: float  # its loss at the end / at the start
    lag: float  # `left` / the median view's
    spreads: float  # robust standard deviations (1.4826 MAD) of the losses' logarithms from the median


def dips(series: Series, depth: float) -> list[int]:
    """Iterations of inner values that lie more than `depth` below both neighbours."""
    values = series.values
    low = np.flatnonzero((values[1:-1] < values[:-2] - depth) & (values[1:-1] < values[2:] - depth)) + 1
    return [int(series.iterations[place]) for place in low]


def standings(losses: Mapping[str, Series], fewest: int) -> list[Standing]:
    """Of the views with at least `fewest` positive, finite losses; all against their median."""
    known = {}
    for name, series in losses.items():
        sound = np.isfinite(series.values) & (series.values > 0)
        if sound.sum() >= fewest:
            known[name] = series.iterations[sound], np.log(series.values[sound])
    if not known:
        return []
    ends = np.array([np.median(logs[-LAST:]) for _, logs in known.values()])
    gains = ends - np.array([np.median(logs[:FIRST]) for _, logs in known.values()])
    levels, lags = ends - np.median(ends), gains - np.median(gains)
    spread = max(1.4826 * float(np.median(np.abs(levels))), LEAST_SPREAD)
    return [
        Standing(name, int(iterations[0]), int(iterations[-1]), float(np.exp(levels[i])), float(np.exp(gains[i])),
                 float(np.exp(lags[i])), float(levels[i] / spread))
        for i, (name, (iterations, _)) in enumerate(known.items())
    ]

"""Shares: how much of a population, or of its weight, lies under a mask."""

import numpy as np

from runs.arrays import Array


def share(mask: Array) -> float:
    """0..1, the part of the entries that is True; NaN for an empty mask."""
    return float(np.mean(mask)) if len(mask) else float("nan")


def weighted_share(mask: Array, weights: Array) -> float:
    """0..1, the part of the finite weight that lies under `mask`; NaN where there is no weight at all."""
    known = np.isfinite(weights)
    total = float(np.sum(weights[known], dtype=np.float64))
    return float(np.sum(weights[known & mask], dtype=np.float64)) / total if total > 0 else float("nan")


def quantile(values: Array, q: float) -> float:
    """The quantile q (0..1) of the finite values; NaN where there are none."""
    finite = values[np.isfinite(values)]
    return float(np.quantile(finite, q)) if len(finite) else float("nan")


def weighted_quantile(values: Array, weights: Array, q: float) -> float:
    """The value below which the share q of the weight of the finite values lies; NaN where they have none."""
    known = np.isfinite(values) & np.isfinite(weights) & (weights > 0)
    if not known.any():
        return float("nan")
    order = np.argsort(values[known])
    below = np.cumsum(weights[known][order], dtype=np.float64)
    return float(values[known][order][np.searchsorted(below, q * below[-1])])

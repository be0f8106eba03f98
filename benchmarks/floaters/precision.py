"""How well a score ranks known Gaussians before all others: average precision."""

import numpy as np

from runs.arrays import F64, Array, Mask


def average_precision(scores: Array, guilty: Mask) -> float:
    """0..1: the mean over the guilty of the precision down to each of them, Σ (recall step × precision).

    `scores` [N], high where guilt is suspected; NaN says nothing and ranks last. Equal scores are one step, so that the order
    of rows decides nothing. NaN where nobody is guilty. Chance gives the share of the guilty.
    """
    if not guilty.any():
        return float("nan")
    values = np.where(np.isnan(scores), -np.inf, np.asarray(scores, np.float64))
    order = np.argsort(-values, kind="stable")
    hits = np.cumsum(guilty[order])
    ends = np.flatnonzero(np.append(values[order][1:] != values[order][:-1], True))
    found: F64 = hits[ends].astype(np.float64)
    return float((np.diff(found, prepend=0.0) * found / (ends + 1)).sum() / found[-1])

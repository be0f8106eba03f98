"""Twins: Gaussians at exactly the same place, as a clone and its parent are until something moves them apart."""

import numpy as np

from runs.arrays import Array, Mask


def twins(means: Array) -> Mask:
    """bool [N], True where another row of means [N, 3] has the very same finite coordinates, bit by bit."""
    finite = np.flatnonzero(np.isfinite(means).all(axis=1))
    rows = np.ascontiguousarray(means[finite])
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, group, size = np.unique(keys, return_inverse=True, return_counts=True)
    found = np.zeros(len(means), bool)
    found[finite] = size[group] > 1
    return found

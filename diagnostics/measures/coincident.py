"""Gaussians at exactly the same place, as copies of a row are until something moves them apart."""

import numpy as np

from runs.arrays import Array, Mask


def coincident(means: Array) -> Mask:
    """bool [N], True where another row of the finite means [N, 3] has the very same coordinates."""
    found, order = np.zeros(len(means), bool), np.lexsort(means.T)
    same = (means[order[1:]] == means[order[:-1]]).all(axis=1)
    found[order[1:]] |= same
    found[order[:-1]] |= same
    return found

"""The simple rules that tools offer for cleaning splats, as scores: high where they would delete first."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F64
from runs.gaussians import Gaussians

OUTLIER_NEIGHBOURS = 20  # Open3D's usual choice; the rule deletes beyond mean + 2 σ of what is ranked here
NEAR_NEIGHBOURS = 3


def mean_distance(gaussians: Gaussians, neighbours: int) -> F64:
    """float64 [N]: mean distance of each finite Gaussian to its nearest others, world units; NaN elsewhere."""
    finite = gaussians.finite
    means = np.asarray(gaussians.means[finite], np.float64)
    found = np.full(gaussians.count, np.nan)
    found[finite] = np.asarray(cKDTree(means).query(means, k=neighbours + 1)[0])[:, 1:].mean(axis=1)
    return found


def _transparency(gaussians: Gaussians) -> F64:
    return np.asarray(-gaussians.opacities, np.float64)


def _size(gaussians: Gaussians) -> F64:
    return np.asarray(gaussians.scales.max(axis=1), np.float64)


BASELINES: Mapping[str, Callable[[Gaussians], F64]] = MappingProxyType({
    "outlier": lambda gaussians: mean_distance(gaussians, OUTLIER_NEIGHBOURS),
    "isolation": lambda gaussians: mean_distance(gaussians, NEAR_NEIGHBOURS),
    "opacity": _transparency,
    "scale": _size,
})

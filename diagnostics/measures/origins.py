"""Which starting point each initial Gaussian was made from, told by where it lies."""

import numpy as np
from scipy.spatial import cKDTree

from diagnostics.measures.shares import quantile
from runs.arrays import F64, I64, Mask

NEIGHBOURS = 3  # the recipe's own measure of how far points lie apart


def origins_by_row(means: F64, xyz: F64, apart: float) -> I64 | None:
    """int64 [N], 0 … N-1, for means [N, 3] that still lie near the points [N, 3] of the same rows; else None.

    Near is at most `apart` times the median distance of a point from the middle of the cloud, in the median.
    """
    if means.shape != xyz.shape:
        return None
    spread = quantile(np.linalg.norm(xyz - np.median(xyz, axis=0), axis=1), 0.5)
    way = quantile(np.linalg.norm(means - xyz, axis=1), 0.5)
    return np.arange(len(means)) if way <= apart * spread else None


def nearest_origins(means: F64, xyz: F64, apart: float) -> I64 | None:
    """int64 [N], the nearest of the points [P, 3] to each of the finite means [N, 3]; None where the two are different clouds.

    They are one where the median mean lies within `apart` spacings of its point. A spacing is the median distance to the
    three nearest of its own kind, in the denser of both clouds: few points are near to no more than few Gaussians.
    """
    points = cKDTree(xyz)
    way, nearest = (np.asarray(column) for column in points.query(means))
    spacing = np.fmin(_spacing(points), _spacing(cKDTree(means)))
    return nearest.astype(np.int64) if quantile(way, 0.5) <= apart * spacing else None


def near_points(means: F64, xyz: F64, spacings: float) -> Mask:
    """bool [N]: means [N, 3] that lie within so many distances between points of one of the points [P, 3]; False for NaN."""
    points, finite = cKDTree(xyz), np.isfinite(means).all(axis=1)
    near = np.zeros(len(means), bool)
    way, nearest = (np.asarray(column) for column in points.query(means[finite]))
    apart = np.asarray(points.query(xyz, k=NEIGHBOURS + 1)[0])[:, 1:]
    between = np.where(np.isfinite(apart), apart, np.nan).mean(axis=1)
    near[finite] = way < spacings * between[nearest]
    return near


def _spacing(cloud: cKDTree) -> float:
    """NaN for a single point."""
    distances = np.asarray(cloud.query(cloud.data, k=NEIGHBOURS + 1)[0])[:, 1:]
    return quantile(np.where(np.isfinite(distances), distances, np.nan).mean(axis=1), 0.5)

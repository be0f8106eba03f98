"""Matching rows of two files that keep no common order: by place, base colour and size, with a confidence for each pair.

For sorted or quantised exchange formats, for trainers that shuffle rows, and for two runs of one scene.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F32, F64, I64
from runs.gaussians import Gaussians

# A colour difference of so many SH units, and such a logarithm of the ratio of two sizes, count as much as one typical size of
# distance.
COLOUR, SIZE = 0.5, 0.5
FAR = 8.0  # typical sizes: farther than that no row is looked for


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows that are each other's best match."""

    before: I64  # int64 [k], rows of the one state …
    after: I64  # int64 [k], … and of the other, increasing
    confidence: F32  # float32 [k], 0..1: 1 where the match is exact, 0 where a second row is as like


def match(earlier: Gaussians, later: Gaussians) -> Pairs:
    """Mutual best matches. Some seconds for a million rows; empty where nothing is near."""
    unit = _typical_size(earlier, later)
    old, new = _points(earlier, unit), _points(later, unit)
    known_old, known_new = (np.flatnonzero(np.isfinite(points).all(axis=1)) for points in (old, new))
    if not len(known_old) or not len(known_new):
        return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    old, new = old[known_old], new[known_new]
    there, near, second = _nearest(old, new)
    back, _, _ = _nearest(new, old)
    mutual = np.flatnonzero((there < len(old)) & (back[np.minimum(there, len(old) - 1)] == np.arange(len(new))))
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(near == 0, 0, near / second)  # twins: 0 / 0, told apart by nothing
    confidence = np.where((near == 0) & (second == 0), 0, 1 - ratio)[mutual]
    return Pairs(known_old[there[mutual]], known_new[mutual], confidence.astype(np.float32))


def _typical_size(earlier: Gaussians, later: Gaussians) -> float:
    """Median of the largest scales of both states, world units; 1 where none is finite."""
    sizes = np.concatenate([gaussians.scales.max(axis=1) for gaussians in (earlier, later)])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return float(np.median(sizes)) if len(sizes) else 1.0


def _points(gaussians: Gaussians, unit: float) -> F64:
    """float64 [N, 7]."""
    sizes = gaussians.log_scales.mean(axis=1, keepdims=True) / SIZE
    return np.concatenate([gaussians.means / unit, gaussians.sh0 / COLOUR, sizes], axis=1).astype(np.float64)


def _nearest(points: F64, asked: F64) -> tuple[I64, F64, F64]:
    """Of `points` the nearest to each asked one (their number: none is near), its distance, and that of the second."""
    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    found = tree.query(asked, k=[1, 2], distance_upper_bound=FAR)
    distances, rows = np.asarray(found[0], np.float64), np.asarray(found[1], np.int64)
    return rows[:, 0], distances[:, 0], distances[:, 1]

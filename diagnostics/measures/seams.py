"""Seams: planes across a cloud on which Gaussians stand twice, as they do where two models overlap."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F64, I64, Array, Mask

CLOSE = 0.1  # of the median distance to the nearest neighbour: nearer than that two stand for one (failures N-38)
SLAB = 0.02  # of the cloud's width along the axis
WIDTH = (0.01, 0.99)  # quantiles between which the cloud's width is taken: a few far ones must not stretch it
ENOUGH = 50_000  # rows whose neighbours are looked up


@dataclass(frozen=True, eq=False)
class Seam:
    """The slab across one axis that holds most of the close pairs."""

    axis: int  # 0 x, 1 y, 2 z
    at: float  # its middle, world units
    inside: float  # 0..1, rows with a close neighbour, of the rows in the slab
    outside: float  # 0..1, the same of all other rows
    held: float  # 0..1, of all rows with a close neighbour: those in the slab
    thinner_side: float  # 0..1, of all rows: those on the side of the slab with fewer
    rows: I64  # int64, rows with a close neighbour in the slab, of those looked up


def seam_of(means: Array, rng: np.random.Generator) -> Seam:
    """The clearest one of finite `means` [N, 3], N > 1; it holds nothing where no two rows are close. O(N log N)."""
    count = len(means)
    rows = np.arange(count) if count <= ENOUGH else np.sort(rng.choice(count, ENOUGH, replace=False))
    sample = np.asarray(means, np.float64)[rows]
    nearest: F64 = np.asarray(cKDTree(means).query(sample, k=2)[0])[:, 1]
    spacing = float(np.median(nearest))
    close = nearest < CLOSE * spacing
    return max((_along(axis, sample, close, rows) for axis in range(3)), key=lambda seam: seam.held)


def _along(axis: int, sample: F64, close: Mask, rows: I64) -> Seam:
    """The fullest of slabs that overlap by half."""
    along = sample[:, axis]
    low, high = np.quantile(along, WIDTH)
    if not (high > low and close.any()):
        return Seam(axis, float(low), 0.0, 0.0, 0.0, 0.0, rows[:0])
    step = SLAB * (high - low) / 2
    cells = np.clip(np.floor((along - low) / step), -2, 2 / SLAB + 2).astype(np.int64) + 2
    pairs = np.bincount(cells[close], minlength=int(2 / SLAB) + 6)
    first = int(np.argmax(pairs[:-1] + pairs[1:]))
    inside = (cells == first) | (cells == first + 1)
    total, held = int(inside.sum()), int((inside & close).sum())
    before, after = float((cells < first).mean()), float((cells > first + 1).mean())
    outside = (int(close.sum()) - held) / max(1, len(rows) - total)
    return Seam(axis, float(low + (first - 1) * step), held / max(1, total), outside, held / int(close.sum()),
                min(before, after), rows[inside & close])

"""Parents by the order of one densification: clones stand in the order of their parents, then the halves of splits, twice.

What two newborns inherit may be alike, and learning blurs it within some hundred iterations; the order of rows stays. INRIA's
trainer and gsplat's default strategy append the clones in the order of their parents, then one half of every split in that
order, then the other halves likewise.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F64, I64, Array
from runs.gaussians import Gaussians
from runs.kernels import kernel

CANDIDATES = 48  # earlier Gaussians around a newborn
SHRUNK = float(np.log(1.6))  # logarithm of what a split divides the axes by (Kerbl et al. 2023)
# One unit of unlikeness: SH units of base colour, logarithm of an axis, difference of unit quaternions, distance in sizes.
COLOUR, SIZE, ROTATION, PLACE = 0.4, 0.4, 0.4, 1.0
HALVES_APART = 3.0  # places of two halves lie farther apart than that of a clone and its parent: drawn from the parent itself
WORST = 12.0  # more unlike than that is no parent
SAME = 6.0  # two halves of one split are less unlike than that
COMPARED = 64  # pairs of halves by which a number of splits is tried
ALIKE = 0.6  # share of them that must be alike
IN_ORDER = 0.7  # share of the newborns whose parents must be found in order, or the order says nothing


@dataclass(frozen=True, eq=False)
class Features:
    """What is compared between two Gaussians; float64, a row each."""

    means: F64
    sh0: F64
    log_scales: F64
    quats: F64  # unit length
    sizes: F64  # largest axis

    @classmethod
    def of(cls, gaussians: Gaussians, rows: I64) -> "Features":
        quats = gaussians.quats_wxyz[rows].astype(np.float64)
        log_scales = gaussians.log_scales[rows].astype(np.float64)
        unit = quats / np.maximum(np.linalg.norm(quats, axis=1, keepdims=True), 1e-12)
        return cls(gaussians.means[rows].astype(np.float64), gaussians.sh0[rows].astype(np.float64), log_scales, unit,
                   np.exp(log_scales.max(axis=1)))

    def take(self, rows: Array) -> "Features":
        return Features(self.means[rows], self.sh0[rows], self.log_scales[rows], self.quats[rows], self.sizes[rows])


def unlikeness(child: Features, parent: Features, shrunk: float, reach: float) -> F64:
    """float64 [n]: sum of squares of what a child has from its parent; `reach`: how far it may lie from it, in sizes."""
    turned = 1 - np.abs((child.quats * parent.quats).sum(axis=-1))  # q and -q are one rotation
    apart = np.linalg.norm(child.means - parent.means, axis=-1) / parent.sizes
    return np.asarray(
        ((child.sh0 - parent.sh0) ** 2).sum(axis=-1) / COLOUR**2
        + ((child.log_scales - parent.log_scales + shrunk) ** 2).sum(axis=-1) / SIZE**2
        + 2 * turned / ROTATION**2 + (apart / (PLACE * reach)) ** 2, np.float64)


def parents_in_order(
    earlier: Gaussians, stayed: I64, gone: I64, later: Gaussians, newborn: I64, most: int,
) -> tuple[I64, I64] | None:
    """Rows of `later` among `newborn`, and the row of `earlier` that each is a child of, -1 where it is unlike all around it.

    `stayed` and `gone`: finite rows of `earlier` that still exist and that do not; all row numbers increase. Of more than
    `most` newborns so many are looked at, evenly spread, halves of one split together. None where the newborns are not those
    of one densification.
    """
    children = Features.of(later, newborn)
    splits = splits_at_end(children, min(len(newborn) // 2, len(gone)))
    clones = len(newborn) - 2 * splits
    spread = max(1.0, len(newborn) / most)
    asked, pairs = _spread(clones, spread), clones + _spread(splits, spread)
    cloned = _aligned([children.take(asked)], earlier, stayed, 0.0, 1.0)
    halves = _aligned([children.take(pairs), children.take(pairs + splits)], earlier, gone, SHRUNK, HALVES_APART)
    rows, parents = np.concatenate([asked, pairs, pairs + splits]), np.concatenate([cloned, halves, halves])
    return (newborn[rows], parents) if len(rows) and (parents >= 0).mean() >= IN_ORDER else None


def _spread(count: int, spread: float) -> I64:
    """Every `spread`-th of so many."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, max(1, round(count / spread)))).astype(np.int64))


def splits_at_end(children: Features, most: int) -> int:
    """How many splits, up to `most`, the last rows are halves of: the number at which most pairs of halves are alike."""
    one = children
    return int(most_pairs(one.means, one.sh0, one.log_scales, one.quats, one.sizes, most))


@kernel
def most_pairs(means: F64, sh0: F64, log_scales: F64, quats: F64, sizes: F64, most: int) -> int:
    """Up to `most` splits: `unlikeness` of some halves and the one as many rows on, for each number of splits."""
    best, alike = 0, 0.0
    for splits in range(1, most + 1):
        start, compared, found = len(means) - 2 * splits, min(splits, COMPARED), 0
        for k in range(compared):
            i = start + k * (splits - 1) // max(compared - 1, 1)
            j = i + splits
            apart, colour, shape, turned = 0.0, 0.0, 0.0, 0.0
            for axis in range(3):
                apart += (means[i, axis] - means[j, axis]) ** 2
                colour += (sh0[i, axis] - sh0[j, axis]) ** 2
                shape += (log_scales[i, axis] - log_scales[j, axis]) ** 2
            for part in range(4):
                turned += quats[i, part] * quats[j, part]
            unlike = apart / (sizes[j] * PLACE * 2 * HALVES_APART) ** 2 + colour / COLOUR**2 + shape / SIZE**2
            found += unlike + 2 * (1 - abs(turned)) / ROTATION**2 < SAME
        if found >= ALIKE * compared and found * splits > alike * compared:
            best, alike = splits, found * splits / compared
    return best


def _aligned(copies: list[Features], earlier: Gaussians, rows: I64, shrunk: float, reach: float) -> I64:
    """int64 [n]: for each of n children the row among `rows`, in order; `copies`: one or two children of each parent."""
    count = len(copies[0].means)
    if not count or not len(rows):
        return np.full(count, -1, np.int64)
    parents = Features.of(earlier, rows)
    near = np.sort(np.hstack([nearest_places(copy, parents) for copy in copies]), axis=1)
    cost = sum(unlikeness(with_candidates(copy), parents.take(near), shrunk, reach) for copy in copies) / len(copies)
    gain = np.maximum(WORST - np.asarray(cost), 0.0)
    gain[:, 1:][near[:, 1:] == near[:, :-1]] = 0.0  # found by both copies
    return np.append(rows, -1)[heaviest_rise(near, gain, len(rows))]


def nearest_places(children: Features, parents: Features) -> I64:
    """int64 [n, k]: for each child the CANDIDATES nearest parents, or all of fewer."""
    tree = cKDTree(parents.means, balanced_tree=False, compact_nodes=False)
    return np.asarray(tree.query(children.means, k=np.arange(1, min(CANDIDATES, len(parents.means)) + 1))[1], np.int64)


def with_candidates(one: Features) -> Features:
    """With an axis for the candidates."""
    return Features(one.means[:, None], one.sh0[:, None], one.log_scales[:, None], one.quats[:, None], one.sizes[:, None])


@kernel
def heaviest_rise(candidates: I64, gain: F64, positions: int) -> I64:
    """int64 [n]: one of each row's `candidates` [n, k], rising strictly from row to row, of the largest summed `gain` [n, k].

    -1 where a row has none; a gain of 0 is no candidate. Best ends so far lie in a Fenwick tree over the `positions`.
    """
    count, width = candidates.shape
    total, before = np.zeros((count, width)), np.full((count, width), -1, np.int64)  # `before`: flat index of the one before
    best, holder = np.zeros(positions + 1), np.full(positions + 1, -1, np.int64)
    for i in range(count):
        for k in range(width):
            if gain[i, k] > 0:
                value, before[i, k] = _best_below(best, holder, candidates[i, k])
                total[i, k] = value + gain[i, k]
        for k in range(width):
            if gain[i, k] > 0:
                _raise(best, holder, candidates[i, k] + 1, total[i, k], i * width + k)
    chosen = np.full(count, -1, np.int64)
    end = int(np.argmax(total)) if total.max() > 0 else -1
    while end >= 0:
        chosen[end // width] = candidates[end // width, end % width]
        end = before[end // width, end % width]
    return chosen


@kernel
def _best_below(best: F64, holder: I64, position: int) -> tuple[float, int]:
    """The heaviest end at a lower position, and whose it is; (0, -1) without any."""
    value, whose, node = 0.0, -1, position
    while node > 0:
        if best[node] > value:
            value, whose = best[node], holder[node]
        node -= node & -node
    return value, whose


@kernel
def _raise(best: F64, holder: I64, node: int, value: float, whose: int) -> None:
    while node < len(best):
        if value > best[node]:
            best[node], holder[node] = value, whose
        node += node & -node

"""Who became whom between two saved states of one run: rows that stayed, rows that went, and rows that were born."""

from bisect import bisect_left
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F64, I64, Mask
from runs.gaussians import Gaussians

# Of larger states so many rows are searched, in runs of neighbours: the fate of a row shows beside that of the rows around it.
SEARCHED, NEIGHBOURS = 30_000, 1_000
# A colour difference of so many SH units counts as much as one typical size of distance: 0.5 is 36 of 255 grey levels.
COLOUR = 0.5
FAR = 8.0  # typical sizes: farther than that no row is looked for


@dataclass(frozen=True, eq=False)
class Lineage:
    """Rows of a later state by what they were in an earlier one.

    Trainers of the 3DGS family keep the order of rows: those that stay close up, newborns come last (first clones, then
    the children of splits; INRIA's and gsplat's densification). All of this rests on that; `order` says how well it held.
    """

    before: I64  # int64 [k], rows of the earlier state that still exist …
    after: I64  # int64 [k], … and the rows that they are now; both strictly increasing
    known: Mask  # bool, rows of the earlier state whose fate was looked for: all of them, or runs of neighbours of large states
    gone: I64  # int64, those of them that no row was found to continue: pruned, or replaced by a split
    newborn: I64  # int64, rows of the later state that were born in between
    order: float  # 0..1, share of the best matches that keep the order of rows: near 1 where nothing else was born near them
    matched: float  # 0..1, share of the searched rows before the first newborn that found their like
    _old: "_Tree"
    _stayed: "_Tree"  # of the later state, without its newborns

    def survive(self, rows: I64) -> Mask:
        """bool [len(rows)]: these rows of the earlier state still exist. Those of unknown fate are looked for one by one."""
        found = np.isin(rows, self.before)
        unknown = np.flatnonzero(~self.known[rows])
        candidates = self._stayed.nearest(self._old.points[rows[unknown]])
        back = self._old.nearest(self._stayed.points[np.maximum(candidates, 0)])
        found[unknown] = (candidates >= 0) & (back == rows[unknown])
        return found


def trace(earlier: Gaussians, later: Gaussians) -> Lineage | None:
    """Match two states that lie few densifications apart; None where nothing matches. Seconds for a million rows.

    Best mutual matches in place and base colour, of which a longest series that keeps the order of rows is believed.
    """
    unit = _typical_size(earlier, later)
    if unit is None:
        return None
    old, new = _Tree(earlier, unit), _Tree(later, unit)
    first = _matches(old, new)
    if first is None:
        return None
    end = _boundary(old, new, first)
    stayed = new.until(end)  # without the newborns, which may have taken their parents' places
    final = _mutual(old, stayed, *first.until(end))
    if final is None:
        return None
    before, after = _filled(final.before[final.kept], final.after[final.kept])
    known = _known(before, after, earlier.count)
    gone = known.copy()
    gone[before] = False
    return Lineage(
        before, after, known, np.flatnonzero(gone), np.arange(end + 1, later.count),
        first.order, len(final.kept) / len(final.after), old, stayed,
    )


def longest_rise(values: I64) -> I64:
    """Indices of a longest strictly increasing subsequence (patience sorting, O(n log n))."""
    lowest_ends: list[int] = []  # of the rising series of each length
    holders: list[int] = []
    previous = np.full(len(values), -1, np.int64)
    for index, value in enumerate(values.tolist()):
        length = bisect_left(lowest_ends, value)
        if length:
            previous[index] = holders[length - 1]
        lowest_ends[length:length + 1] = [value]
        holders[length:length + 1] = [index]
    chain = []
    index = holders[-1] if holders else -1
    while index >= 0:
        chain.append(index)
        index = int(previous[index])
    return np.array(chain[::-1], np.int64)


def _typical_size(earlier: Gaussians, later: Gaussians) -> float | None:
    """Median of the largest scales of both states, world units: the unit of distance."""
    sizes = np.concatenate([gaussians.scales.max(axis=1) for gaussians in (earlier, later)])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return float(np.median(sizes)) if len(sizes) else None


class _Tree:
    """Rows of one state, searchable by place and base colour."""

    def __init__(self, gaussians: Gaussians, unit: float) -> None:
        self.points: F64 = np.concatenate([gaussians.means / unit, gaussians.sh0 / COLOUR], axis=1).astype(np.float64)
        self.rows: I64 = np.flatnonzero(np.isfinite(self.points).all(axis=1))
        self._grow()

    def _grow(self) -> None:
        self._tree = cKDTree(self.points[self.rows], balanced_tree=False, compact_nodes=False)

    def until(self, last: int) -> "_Tree":
        """The same, without the rows after `last`."""
        shorter = copy(self)
        shorter.rows = self.rows[self.rows <= last]
        shorter._grow()
        return shorter

    def some(self) -> I64:
        """Rows that stand for all: runs of neighbours, evenly spread."""
        if len(self.rows) <= SEARCHED:
            return self.rows
        starts = np.linspace(0, len(self.rows) - NEIGHBOURS, SEARCHED // NEIGHBOURS).astype(np.int64)
        return self.rows[np.unique(starts[:, None] + np.arange(NEIGHBOURS))]

    def nearest(self, points: F64) -> I64:
        """int64: the nearest row of each point, -1 where none is near."""
        found = np.asarray(self._tree.query(points, distance_upper_bound=FAR)[1])
        return np.append(self.rows, -1)[found]


@dataclass(frozen=True, eq=False)
class _Matches:
    """Some rows of the later state, and the nearest row of the earlier one for each."""

    after: I64
    before: I64  # -1 where none is near
    kept: I64  # indices of the two: best mutual matches, of which a longest series keeps the order of rows
    order: float  # 0..1, share of the best mutual matches that this is

    def until(self, last: int) -> tuple[I64, I64]:
        """`after` and `before` without the rows after `last`."""
        inside = self.after <= last
        return self.after[inside], self.before[inside]


def _matches(old: _Tree, new: _Tree) -> _Matches | None:
    if not len(old.rows) or not len(new.rows):
        return None
    after = new.some()
    return _mutual(old, new, after, old.nearest(new.points[after]))


def _mutual(old: _Tree, new: _Tree, after: I64, before: I64) -> _Matches | None:
    """Of the rows `after` and their nearest rows `before`, those that are also the other way round each other's nearest."""
    mutual = np.flatnonzero(before >= 0)
    mutual = mutual[new.nearest(old.points[before[mutual]]) == after[mutual]]
    if not len(mutual):
        return None
    kept = mutual[longest_rise(before[mutual])]
    return _Matches(after, before, kept, len(kept) / len(mutual))


def _boundary(old: _Tree, new: _Tree, coarse: _Matches) -> int:
    """The last row of the later state that was there before; where only some rows were searched, those around it are too."""
    last = _last_survivor(coarse.kept, len(coarse.after))
    start, stop = int(coarse.after[last]), int(np.append(coarse.after, coarse.after[last] + 1)[last + 1])
    between = new.rows[(new.rows > start) & (new.rows < stop)]
    if not len(between):
        return start
    after = np.append(coarse.after[: last + 1], between)
    fine = _mutual(old, new, after, np.append(coarse.before[: last + 1], old.nearest(new.points[between])))
    return start if fine is None else int(after[_last_survivor(fine.kept, len(after))])


def _last_survivor(kept: I64, searched: int) -> int:
    """Index of the last searched row that was there before: where those found until it outweigh those missed most clearly.

    A newborn may take its parent's place in a match, so the last match alone would say too much.
    """
    weight = np.full(searched, -1)
    weight[kept] = 1
    return int(np.argmax(np.cumsum(weight)))


def _filled(before: I64, after: I64) -> tuple[I64, I64]:
    """Between two matches that lie equally far apart in both states nobody went, so the rows between are the same ones."""
    steps = np.diff(after)
    same = (np.diff(before) == steps) & (steps < NEIGHBOURS)
    lengths = np.append(np.where(same, steps, 1), 1)
    offsets = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(before, lengths) + offsets, np.repeat(after, lengths) + offsets


def _known(before: I64, after: I64, count: int) -> Mask:
    """bool [count]: what lies between two matches of one run of neighbours; all of it where every row was searched."""
    known = np.zeros(count, bool)
    breaks = np.flatnonzero(np.diff(after) >= NEIGHBOURS)
    firsts, lasts = np.append(0, breaks + 1), np.append(breaks, len(after) - 1)
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        known[before[first]:before[last] + 1] = True
    if not len(breaks):
        known[:] = True
    return known

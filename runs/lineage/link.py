"""Link: the rows of one save by what they were in an earlier one, from the surest source that holds for both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from runs.arrays import F16, I32, I64, U8, Mask
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.gaussians import Gaussians
from runs.lineage.births import births_of, nobody
from runs.lineage.likeness import match
from runs.lineage.recorded import Recorded, recorded
from runs.lineage.relocation import relocation
from runs.lineage.row_order import ALIKE, unlikeness_by_row
from runs.lineage.trace import trace
from runs.recorder import ADDED, CLONE, HALF, RELOCATED, STAYED
from runs.run import Run
from runs.strategy import keeps_order, moves_the_dead
from runs.trainers.shared.filtered import as_trained

# What a row is. DESCENDED: a child's child, or later; BORN: newborn for sure, and nobody knows of whom.
SAME, CLONED, SPLIT, COPIED, DESCENDED, BORN, UNKNOWN = range(7)
KIND_OF = {STAYED: SAME, CLONE: CLONED, HALF: SPLIT, RELOCATED: COPIED, ADDED: COPIED}  # of the recorder's

# Shares of such claims that were right in trainings that knew the truth (benchmarks/lineage.py, "claims").
UNCHANGED, NOT_RECOGNISED = 1.0, 0.99  # no row was born and none went; of those, a row that is not like itself
ONE_APART, SEVERAL_APART = 0.999, 0.99  # a row is itself: one densification apart, and up to nine
NEWBORN, GONE = 0.99, 0.98
PARENT = 0.97  # told by the order of newborns, which now and then is believed after two densifications too
STAYED_IN_PLACE, SOURCE, ADDED_SOURCE = 0.999, 0.9, 0.95  # MCMC
LIKE = 0.5  # confidence of a pair below which it is not told; at it, 94 % are right one densification apart

FOUND = 0.1  # least share of rows that are followed: 0.4-1.0 in sound runs, 0.03 where training tore the scene apart
FOLLOWED = 0.6  # least share of survivors that are alike for an order to be believed: 0.6-0.7 right after a reset
MOST_TOLD = 0.5  # share of newborns with a parent in order, from which on only one densification lies between
# Least share of rows that are like themselves, of all and of so many last ones, where counts are equal, for none to have been
# born: 0.49-1.0 after densification, 0.002-0.02 during it.
UNMOVED, LAST_ROWS = 0.25, 64
IN_PLACE = 0.5  # least share of rows that stayed for relocations to be told: 0.70-0.99 measured
MOST_BIRTHS = 200_000  # newborns whose parents are looked for

Source = Literal["a record of the training", "the order of rows", "rows that stay in place (MCMC)", "likeness"]
RECORD: Source = "a record of the training"
ORDER: Source = "the order of rows"
PLACES: Source = "rows that stay in place (MCMC)"
LIKENESS: Source = "likeness"


@dataclass(frozen=True, eq=False)
class Link:
    """Rows of a later save."""

    parents: I32  # int32 [N], row of the earlier save: its own, or that of its parent there; -1 where it is not known
    kinds: U8  # uint8 [N], SAME, CLONED, …
    confidence: F16  # float16 [N], 0..1, share of such claims that were right where it was measured; 0 where UNKNOWN
    source: Source

    def from_row(self, row: int) -> I64:
        """int64, rows of the later state that are this row of the earlier one, or come from it."""
        return np.flatnonzero(self.parents == row)

    def goes_on_nowhere(self, row: int) -> bool:
        """Of a row that no later one is: whether all those between its neighbours are somebody else, where order is kept."""
        same = np.flatnonzero(self.kinds == SAME)
        after = int(np.searchsorted(self.parents[same], row))
        ends = np.concatenate([[-1], same, [len(self.kinds)]])
        return not np.any(self.kinds[ends[after] + 1: ends[after + 1]] == UNKNOWN)

    @property
    def complete(self) -> bool:
        """Of every row it is known where it comes from, so what is not continued has no children."""
        return not np.isin(self.kinds, (BORN, UNKNOWN)).any()


def link_between(run: Run, earlier: Checkpoint, later: Checkpoint, beat: Callable[[], None]) -> Link:
    """Seconds for a million rows. Raises RunError where a save cannot be read, and whatever `beat` raises."""
    link = sure_link(run, earlier, later, beat)
    return _alike(as_trained(earlier.gaussians), as_trained(later.gaussians)) if link is None else link


def sure_link(
    run: Run, earlier: Checkpoint, later: Checkpoint, beat: Callable[[], None], *, parents: bool = True,
) -> Link | None:
    """The same, but None where only likeness could tell. Without `parents` newborns are BORN, where no record names them.

    Then a second for a million rows. Raises as `link_between` does.
    """
    if not (earlier.keeps_rows and later.keeps_rows):
        return None
    known = _recorded(run, earlier, later)
    if known is not None or not keeps_order(run):
        return known
    before, after = as_trained(earlier.gaussians), as_trained(later.gaussians)
    beat()
    found = _relocated(before, after) if moves_the_dead(run) else _ordered(before, after, beat, parents)
    beat()
    return found


def _recorded(run: Run, earlier: Checkpoint, later: Checkpoint) -> Link | None:
    """From the recorder, where it wrote of these very rows; a save lies before the densification of its iteration."""
    try:
        found = recorded(run.path, earlier.iteration, later.iteration - 1, earlier.count)
    except RunError as error:
        run.book.add_error(error)
        return None
    return None if found is None or len(found.rows) != later.count else _from_record(found)


def _from_record(found: Recorded) -> Link:
    kinds = np.array([KIND_OF[kind] for kind in range(len(KIND_OF))], np.uint8)[found.kinds]
    kinds[found.births > 1] = DESCENDED
    kinds[found.rows < 0] = BORN
    return Link(found.rows.astype(np.int32), kinds, np.ones(len(kinds), np.float16), RECORD)


def _ordered(before: Gaussians, after: Gaussians, beat: Callable[[], None], parents: bool) -> Link | None:
    alike = _unmoved(before, after)
    if alike is not None:
        rows, link = np.arange(after.count), _nothing_known(after.count, ORDER)
        _claim(link, rows, rows, SAME, np.where(alike, UNCHANGED, NOT_RECOGNISED))
        return link
    lineage = trace(before, after, beat)
    if lineage is None or lineage.matched < FOLLOWED or len(lineage.before) < FOUND * min(before.count, after.count):
        return None
    link = _nothing_known(after.count, ORDER)
    beat()
    births = births_of(lineage, before, after, most=MOST_BIRTHS, only_sure=True) if parents else nobody()
    one_apart = 0 < MOST_TOLD * len(lineage.newborn) <= len(births.child)
    # Of the last rows so many may be those of the earlier save that were not followed to its end.
    doubtful = before.count - 1 - lineage.before[-1]
    _claim(link, lineage.newborn[doubtful:], -1, BORN, NEWBORN)
    _claim(link, births.child, births.parent, np.where(births.survives, CLONED, SPLIT), PARENT)
    _claim(link, lineage.after, lineage.before, SAME, ONE_APART if one_apart else SEVERAL_APART)
    return link


def _unmoved(before: Gaussians, after: Gaussians) -> Mask | None:
    """bool [N]: rows that are like themselves, where every row is itself: none was born and none went.

    A row that goes moves all those after it, so the last ones tell.
    """
    if before.count != after.count:
        return None
    alike = unlikeness_by_row(before, after) < ALIKE
    return np.asarray(alike) if min(alike.mean(), alike[-LAST_ROWS:].mean()) >= UNMOVED else None


def _relocated(before: Gaussians, after: Gaussians) -> Link | None:
    found = relocation(before, after)
    if found is None:
        return None
    changed = np.concatenate([found.relocated, found.moved])
    stayed = np.setdiff1d(np.arange(before.count), changed, assume_unique=True)
    if len(stayed) < IN_PLACE * before.count:
        return None
    link = _nothing_known(after.count, PLACES)
    _claim(link, stayed, stayed, SAME, STAYED_IN_PLACE)
    _claim(link, found.relocated, found.sources, COPIED, SOURCE)
    _claim(link, found.added, found.added_sources, np.where(found.added_sources >= 0, COPIED, BORN), ADDED_SOURCE)
    return link


def _alike(before: Gaussians, after: Gaussians) -> Link:
    pairs = match(before, after)
    told = pairs.confidence >= LIKE
    link = _nothing_known(after.count, LIKENESS)
    _claim(link, pairs.after[told], pairs.before[told], SAME, pairs.confidence[told])
    return link


def _nothing_known(count: int, source: Source) -> Link:
    return Link(np.full(count, -1, np.int32), np.full(count, UNKNOWN, np.uint8), np.zeros(count, np.float16), source)


def _claim(link: Link, rows: I64, parents: int | I64, kinds: int | I64, confidence: float | np.ndarray) -> None:
    link.parents[rows], link.kinds[rows], link.confidence[rows] = parents, kinds, confidence

"""Link: the rows of one save by what they were in an earlier one, from the surest source that holds for both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from runs.arrays import F16, I32, I64, U8
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.gaussians import Gaussians
from runs.lineage.births import births_of
from runs.lineage.likeness import match
from runs.lineage.recorded import Recorded, recorded
from runs.lineage.relocation import relocation
from runs.lineage.trace import trace
from runs.recorder import ADDED, CLONE, HALF, RELOCATED, STAYED
from runs.run import Run
from runs.strategy import keeps_order, moves_the_dead
from runs.trainers.shared.filtered import as_trained

SAME, CLONED, SPLIT, COPIED, DESCENDED, UNKNOWN = range(6)  # what a row is; DESCENDED: a child's child, or later
KIND_OF = {STAYED: SAME, CLONE: CLONED, HALF: SPLIT, RELOCATED: COPIED, ADDED: COPIED}  # of the recorder's

# Shares of such claims that were right in trainings that knew the truth (benchmarks/lineage.py, "claims").
UNCHANGED = 1.0  # no row was born and none went
ONE_APART, SEVERAL_APART = 0.999, 0.99  # a row is itself: one densification apart, and up to nine
PARENT = 0.97  # told by the order of newborns, which now and then is believed after two densifications too
STAYED_IN_PLACE, SOURCE, ADDED_SOURCE = 0.999, 0.9, 0.95  # MCMC
LIKE = 0.5  # confidence of a pair below which it is not told; at it, 94 % are right one densification apart

FOLLOWED = 0.6  # least share of survivors that are alike for an order to be believed: 0.6-0.7 right after a reset
IN_PLACE = 0.5  # least share of rows that stayed for relocations to be told: 0.70-0.99 measured
MOST_BIRTHS = 200_000  # newborns whose parents are looked for

Source = Literal["a record of the training", "the order of rows", "rows that stay in place (MCMC)", "likeness"]


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

    @property
    def complete(self) -> bool:
        """Every row is known: what is not continued is gone, and has no children."""
        return bool((self.kinds != UNKNOWN).all())


def link_between(run: Run, earlier: Checkpoint, later: Checkpoint, beat: Callable[[], None]) -> Link:
    """Seconds for a million rows. Raises RunError where a save cannot be read, and whatever `beat` raises."""
    in_rows = earlier.keeps_rows and later.keeps_rows
    known = _recorded(run, earlier, later) if in_rows else None
    if known is not None:
        return known
    before, after = as_trained(earlier.gaussians), as_trained(later.gaussians)
    beat()
    found = None
    if in_rows and keeps_order(run):
        found = _relocated(before, after) if moves_the_dead(run) else _ordered(before, after, beat)
    beat()
    return _alike(before, after) if found is None else found


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
    kinds[found.rows < 0] = UNKNOWN
    return Link(found.rows.astype(np.int32), kinds, (kinds != UNKNOWN).astype(np.float16), "a record of the training")


def _ordered(before: Gaussians, after: Gaussians, beat: Callable[[], None]) -> Link | None:
    lineage = trace(before, after)
    if lineage is None or lineage.matched < FOLLOWED:
        return None
    beat()
    births = births_of(lineage, before, after, most=MOST_BIRTHS, only_sure=True)
    link = _nothing_known(after.count, "the order of rows")
    unchanged = not len(lineage.gone) and not len(lineage.newborn)
    _claim(link, lineage.after, lineage.before, SAME,
           UNCHANGED if unchanged else ONE_APART if len(births.child) else SEVERAL_APART)
    _claim(link, births.child, births.parent, np.where(births.survives, CLONED, SPLIT), PARENT)
    return link


def _relocated(before: Gaussians, after: Gaussians) -> Link | None:
    found = relocation(before, after)
    if found is None:
        return None
    changed = np.concatenate([found.relocated, found.moved])
    stayed = np.setdiff1d(np.arange(before.count), changed, assume_unique=True)
    if len(stayed) < IN_PLACE * before.count:
        return None
    link = _nothing_known(after.count, "rows that stay in place (MCMC)")
    _claim(link, stayed, stayed, SAME, STAYED_IN_PLACE)
    _claim(link, found.relocated, found.sources, COPIED, SOURCE)
    known = found.added_sources >= 0
    _claim(link, found.added[known], found.added_sources[known], COPIED, ADDED_SOURCE)
    return link


def _alike(before: Gaussians, after: Gaussians) -> Link:
    pairs = match(before, after)
    told = pairs.confidence >= LIKE
    link = _nothing_known(after.count, "likeness")
    _claim(link, pairs.after[told], pairs.before[told], SAME, pairs.confidence[told])
    return link


def _nothing_known(count: int, source: Source) -> Link:
    return Link(np.full(count, -1, np.int32), np.full(count, UNKNOWN, np.uint8), np.zeros(count, np.float16), source)


def _claim(link: Link, rows: I64, parents: I64, kinds: int | I64, confidence: float | np.ndarray) -> None:
    link.parents[rows], link.kinds[rows], link.confidence[rows] = parents, kinds, confidence

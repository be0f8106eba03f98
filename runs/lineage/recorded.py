"""Lineage as `runs.recorder` wrote it during the training: exact, however many densifications lie between two saves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.arrays import I64, U8
from runs.errors import UnreadableFile
from runs.formats.npz import read_npz
from runs.lineage.births import Births
from runs.lineage.trace import Lineage
from runs.recorder import ADDED, FOLDER, STAYED

NAME = re.compile(r"lineage_(\d{1,12})\.npz")
BROKEN = "this record of a densification is damaged, or of other rows; delete it, and rows are matched by their order"


@dataclass(frozen=True, eq=False)
class Recorded:
    """Rows of a later state, by what they or their ancestors were in an earlier one."""

    rows: I64  # int64 [N], row of the earlier state: its own, or its nearest ancestor's there; -1 where that is not known
    kinds: U8  # uint8 [N], STAYED, or as what it was born last
    births: I64  # int64 [N], how many lie between it and that row: 0 where it is itself, more than 1 for a child's child


def recorded(run: Path, first: int, last: int, count: int) -> Recorded | None:
    """Everything from the densification of iteration `first` to that of `last`, `count` rows before; None without a record.

    Raises UnreadableFile for a damaged file, or where the record does not fit the rows.
    """
    files = [path for iteration, path in _files(run) if first <= iteration <= last]
    if not files:
        return None
    rows, kinds, births = np.arange(count), np.full(count, STAYED, np.uint8), np.zeros(count, np.int64)
    for path in files:
        parents, born = _read(path, len(rows))
        known, held = parents >= 0, np.maximum(parents, 0)
        rows = np.where(known, rows[held], -1)
        kinds = np.where(born == STAYED, kinds[held], born).astype(np.uint8)
        births = np.where(known, births[held], 0) + (born != STAYED)
    return Recorded(rows, kinds, births)


def lineage_of(found: Recorded, count: int) -> tuple[Lineage, Births]:
    """The same as `trace` and `births_of` would guess it; `count` rows in the earlier state."""
    stayed = np.flatnonzero(found.kinds == STAYED)
    born = np.flatnonzero((found.kinds != STAYED) & (found.rows >= 0))
    before, parents = found.rows[stayed], found.rows[born]
    gone = np.setdiff1d(np.arange(count), before)
    lineage = Lineage(before, stayed, gone, np.flatnonzero(found.kinds != STAYED), 1.0)
    siblings = np.bincount(parents, minlength=1)[parents]
    return lineage, Births(born, parents, lineage.survive(parents), siblings, True, np.ones(len(born), bool))


def _files(run: Path) -> Iterator[tuple[int, Path]]:
    """By iteration."""
    try:
        paths = sorted((run / FOLDER).iterdir())
    except OSError:
        return iter(())  # most runs have none
    named = ((match, path) for path in paths if (match := NAME.fullmatch(path.name)))
    return iter(sorted((int(match[1]), path) for match, path in named))


def _read(path: Path, count: int) -> tuple[I64, U8]:
    try:
        arrays = read_npz(path)
        rows, kinds = np.asarray(arrays["rows"], np.int64), np.asarray(arrays["kinds"], np.uint8)
    except (KeyError, ValueError, TypeError) as error:
        raise UnreadableFile(BROKEN, path) from error
    if rows.ndim != 1 or rows.shape != kinds.shape or (rows >= count).any() or (rows < -1).any() or (kinds > ADDED).any():
        raise UnreadableFile(BROKEN, path)
    return rows, kinds

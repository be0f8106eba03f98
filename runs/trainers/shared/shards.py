"""Saves of which each process of a distributed training wrote its own part: what is missing of them, and all parts in one."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN, cannot_open
from runs.arrays import F32
from runs.checkpoints import Checkpoint
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians
from runs.notes import NoteBook, counted
from runs.trainers.shared.saved import LEFT_OUT

LONGEST_LIST = 5
Ranked = Mapping[int, Mapping[int, Path]]  # step -> rank -> file


@dataclass(frozen=True)
class Ranks:
    """The files of one save, by rank."""

    files: Mapping[int, Path]
    expected: int  # processes that trained, as the names say


def by_rank(folder: Path, pattern: re.Pattern[str], book: NoteBook) -> Ranks | None:
    """The files in `folder` whose name has the pattern with its groups `rank` and `of`; None where there is none.

    A folder that two trainings of different sizes wrote to holds two sets: the newer one counts, and the other is noted.
    """
    sets: dict[int, dict[int, Path]] = {}
    try:
        for path in sorted(folder.iterdir()):
            match = pattern.fullmatch(path.name)
            if match and path.is_file() and int(match["rank"]) < int(match["of"]):
                sets.setdefault(int(match["of"]), {})[int(match["rank"])] = path
        newest = max(sets, key=lambda of: max(path.stat().st_mtime_ns for path in sets[of].values()), default=None)
    except OSError as error:
        book.add(str(folder), cannot_open(error, "folder"))
        return None
    if newest is None:
        return None
    for of in sorted(set(sets) - {newest}):
        first = next(iter(sets[of].values()))
        book.add(str(first), f"{LEFT_OUT}{newest} processes wrote this save again later; move one set away")
    return Ranks(sets[newest], newest)


def ranked(folder: Path, pattern: re.Pattern[str], book: NoteBook) -> Ranked:
    """The files in `folder` whose name has the pattern, by step and rank; a name without a rank is of rank 0."""
    found: dict[int, dict[int, Path]] = {}
    try:
        for path in sorted(folder.iterdir()):
            match = pattern.fullmatch(path.name)
            if match and path.is_file():
                named = match.groupdict()
                found.setdefault(int(named["step"]), {})[int(named.get("rank") or 0)] = path
    except FileNotFoundError:
        pass  # nothing saved yet
    except OSError as error:
        book.add(str(folder), cannot_open(error, "folder"))
    return dict(sorted(found.items()))


def note_missing(found: Collection[int], expected: int, file_of: Callable[[int], Path], book: NoteBook) -> None:
    """One note for all ranks of one save whose file is not there, under the name of the first of them."""
    absent = sorted(set(range(expected)) - set(found))
    if not absent:
        return
    others = f", as are those of {counted(len(absent) - 1, 'other rank')} ({_listed(absent[1:])})" if len(absent) > 1 else ""
    which = "this rank" if len(absent) == 1 else "these ranks"
    book.add(str(file_of(absent[0])), f"is missing{others}: {expected} processes trained this run, each saved its own part of "
             f"the Gaussians, and those of {which} are not shown; copy it from where training ran, or open the run again once "
             "it is written")


def merged(iteration: int, files: Mapping[int, SplatFile], expected: int, book: NoteBook) -> Checkpoint | None:
    """One save from the files of its ranks, in their order; None, and a note, where they do not belong together."""
    parts = [file for _, file in sorted(files.items())]
    if not parts:
        return None
    first = parts[0]
    if len({(part.sh_degree, part.holds) for part in parts}) > 1:
        book.add(str(first.path), f"{LEFT_OUT}the ranks of this save hold different SH degrees; {FOREIGN}")
        return None
    return Checkpoint(
        iteration, first.path, sum(part.count for part in parts), first.sh_degree, sum(part.stamp.size_bytes for part in parts),
        ReadMerged(tuple(part.read for part in parts)), shards=(len(parts), expected) if expected > 1 else None,
        holds=first.holds, keeps_rows=expected == 1 and first.keeps_rows,
    )


@dataclass(frozen=True)
class ReadMerged:
    """Reads the Gaussians of all parts as one set; equal to another one that would read the same unchanged files."""

    parts: tuple[Callable[[], Gaussians], ...]

    def __call__(self) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        return joined([read() for read in self.parts])


def joined(parts: Sequence[Gaussians]) -> Gaussians:
    """The rows of all parts, in this order, each column read on first use; extras that all of them have."""
    kept: dict[str, F32] = {}

    def load(name: str) -> F32:
        if name not in kept:
            kept[name] = np.concatenate([part.load(name) for part in parts])
        return kept[name]

    extra = tuple(name for name in parts[0].extra_names if all(name in part.extra_names for part in parts))
    return Gaussians(sum(part.count for part in parts), parts[0].sh_degree, load, extra)


def _listed(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, ranks[:LONGEST_LIST])) + (", …" if len(ranks) > LONGEST_LIST else "")

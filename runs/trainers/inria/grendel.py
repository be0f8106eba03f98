"""Grendel-GS: INRIA's trainer on several processes, which each write a part of every save; views are trained in batches.

Its iterations count views: they advance by the batch size, so "7000" becomes the largest 1 + k · batch size up to it. A
save is written before the optimiser steps (Grendel-GS `train_internal.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from runs.advice import cannot_open
from runs.checkpoints import Checkpoint, StateFile
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.run import Run, Trainer
from runs.trainers.inria.folder import assembled, iteration_folders
from runs.trainers.inria.grendel_state import ReadRanks, rank_states
from runs.trainers.shared.family import Family
from runs.trainers.shared.saved import checkpoint_of, splat_files
from runs.trainers.shared.shards import Ranks, by_rank, merged, note_missing

SHARD = re.compile(r"point_cloud_rk(?P<rank>\d{1,4})_ws(?P<of>\d{1,4})\.ply")
STATE = re.compile(r"chkpnt_ws=(?P<of>\d{1,4})_rk=(?P<rank>\d{1,4})\.pth")
LOG = re.compile(r"python_ws=\d{1,4}_rk=\d{1,4}\.log")
WHOLE = "point_cloud.ply"
OF_ANCHORS = Trainer("scaffold-gs", 0.5, "saves anchors in shards, as CityGS-X and other kin of Scaffold-GS do")


def recognise(folder: Path) -> Trainer | None:
    """By the names of its logs, training states or shards, which no other trainer uses."""
    signs = (
        (folder.glob("python_ws=*_rk=*.log"), LOG, "logs"), (folder.glob("checkpoints/*/chkpnt_ws=*_rk=*.pth"), STATE, "states"),
        (folder.glob("point_cloud/iteration_*/point_cloud_rk*_ws*.ply"), SHARD, "splat files"),
    )
    for found, pattern, what in signs:
        name = next((path.name for path in found if pattern.fullmatch(path.name)), None)
        if name is not None:
            return Trainer("grendel", 0.95, f"its {what} are named as {name}")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    splats = tuple(_saves(iteration_folders(path, book), book))
    known = OF_ANCHORS if any(save.holds == "anchors" for save in splats) else trainer
    return assembled(path, known, splats, tuple(_states(path / "checkpoints", book)), data, book)


def _saves(folders: Sequence[tuple[int, Path]], book: NoteBook) -> Iterator[Checkpoint]:
    """The shards of each iteration, else the one file that the first process gathered. Rows move between processes."""
    ranks = {folder: by_rank(folder, SHARD, book) for _, folder in folders}
    paths = (path for folder, of in ranks.items() for path in (_gathered(folder, book) if of is None else of.files.values()))
    looks = {file.path: file for file in splat_files(paths, book)}  # all at once: what they share is noted once
    for iteration, folder in folders:
        of, whole = ranks[folder], looks.get(folder / WHOLE)
        if of is not None:
            found = _shards(iteration, folder, of, looks, book)
        else:
            found = None if whole is None else checkpoint_of(iteration, whole)
        if found is not None:
            yield replace(found, keeps_rows=False)


def _gathered(folder: Path, book: NoteBook) -> list[Path]:
    """The one file of an iteration, if it is there."""
    try:
        if (folder / WHOLE).is_file():
            return [folder / WHOLE]
    except OSError:
        return []  # a folder that may not be read was noted already
    book.add(str(folder), f"holds no {WHOLE} and no shards; open the run again once it is saved")
    return []


def _shards(iteration: int, folder: Path, ranks: Ranks, looks: Mapping[Path, SplatFile], book: NoteBook) -> Checkpoint | None:
    note_missing(ranks.files, ranks.expected, lambda rank: folder / f"point_cloud_rk{rank}_ws{ranks.expected}.ply", book)
    files = {rank: looks[path] for rank, path in ranks.files.items() if path in looks}
    return merged(iteration, files, ranks.expected, book)


def _states(folder: Path, book: NoteBook) -> Iterator[StateFile]:
    """One per folder checkpoints/N."""
    try:
        named = sorted((int(path.name), path) for path in folder.iterdir() if re.fullmatch(r"\d{1,12}", path.name))
    except FileNotFoundError:
        return
    except OSError as error:
        book.add(str(folder), cannot_open(error, "folder"))
        return
    found = (_state(iteration, of, book) for iteration, of in named)
    yield from (state for state in found if state is not None)


def _state(iteration: int, folder: Path, book: NoteBook) -> StateFile | None:
    ranks = by_rank(folder, STATE, book)
    if ranks is None:
        return None
    note_missing(ranks.files, ranks.expected, lambda rank: folder / f"chkpnt_ws={ranks.expected}_rk={rank}.pth", book)
    files = rank_states(ranks, book)
    return StateFile(iteration, files[0][0], ReadRanks(iteration, files, ranks.expected)) if files else None


FAMILY = Family("grendel", recognise, read)

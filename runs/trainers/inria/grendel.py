"""Grendel-GS: INRIA's trainer on several processes, which each write a part of every save; views are trained in batches.

Its iterations count views: they advance by the batch size, so "7000" becomes the largest 1 + k · batch size up to it. A
save is written before the optimiser steps (formats.md 17; Grendel-GS `train_internal.py`).
"""

import re
from collections.abc import Iterator
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
    saves = (_save(iteration, folder, book) for iteration, folder in iteration_folders(path, book))
    splats = tuple(save for save in saves if save is not None)
    known = OF_ANCHORS if any(save.holds == "anchors" for save in splats) else trainer
    return assembled(path, known, splats, tuple(_states(path / "checkpoints", book)), data, book)


def _save(iteration: int, folder: Path, book: NoteBook) -> Checkpoint | None:
    """The shards of one iteration, else the one file that the first process gathered. Rows move between processes."""
    ranks = by_rank(folder, SHARD, book)
    found = _gathered(iteration, folder, book) if ranks is None else _shards(iteration, folder, ranks, book)
    return None if found is None else replace(found, keeps_rows=False)


def _gathered(iteration: int, folder: Path, book: NoteBook) -> Checkpoint | None:
    try:
        whole = [folder / WHOLE] if (folder / WHOLE).is_file() else []
    except OSError:
        return None  # a folder that may not be read was noted already
    if not whole:
        book.add(str(folder), f"holds no {WHOLE} and no shards; open the run again once it is saved")
    return next((checkpoint_of(iteration, file) for file in splat_files(whole, book)), None)


def _shards(iteration: int, folder: Path, ranks: Ranks, book: NoteBook) -> Checkpoint | None:
    note_missing(ranks.files, ranks.expected, lambda rank: folder / f"point_cloud_rk{rank}_ws{ranks.expected}.ply", book)
    rank_of = {path: rank for rank, path in ranks.files.items()}
    files: dict[int, SplatFile] = {rank_of[file.path]: file for file in splat_files(ranks.files.values(), book)}
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

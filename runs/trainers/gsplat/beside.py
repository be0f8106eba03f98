"""What gsplat's trainer writes beside its checkpoints: splat files, compressed sets and, within a checkpoint, moved cameras."""

import re
from collections.abc import Sequence
from pathlib import Path

from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.formats.splat_file import SplatFile
from runs.formats.torch_file import read_torch_file
from runs.formats.zip_members import numbers_left
from runs.notes import NoteBook
from runs.run import PoseDeltas
from runs.trainers.gsplat.saved import CHECKPOINT
from runs.trainers.shared.pose_deltas import deltas_of
from runs.trainers.shared.saved import checkpoints, numbered, splat_files
from runs.trainers.shared.shards import merged, ranked

COMPRESSED = re.compile(r"compress_step(?P<step>\d{1,12})\.json")
RANK = r"rank(\d{1,4})"
SHARED_PLY = "left out: each process wrote its own part of the Gaussians to this one file; save checkpoints instead"


def with_other_saves(path: Path, saved: tuple[Checkpoint, ...], ranks: int, book: NoteBook) -> tuple[Checkpoint, ...]:
    """The checkpoints, and splat files and the compressed set of iterations that have none."""
    both = (*saved, *_plys(path, {checkpoint.iteration for checkpoint in saved}, ranks, book))
    compressed = _compressed(path, {checkpoint.iteration for checkpoint in both}, ranks, book)
    return tuple(sorted((*both, *compressed), key=lambda checkpoint: checkpoint.iteration))


def _plys(path: Path, known: set[int], ranks: int, book: NoteBook) -> tuple[Checkpoint, ...]:
    named = numbered((path / "ply").glob("point_cloud_*.ply"), r"point_cloud_(\d{1,12})\.ply")
    iterations = {file: step + 1 for step, file in sorted(named) if step + 1 not in known}
    if ranks > 1:
        for file in iterations:
            book.add(str(file), SHARED_PLY)
        return ()
    return checkpoints(((iterations[file.path], file) for file in splat_files(iterations, book)), book)


def _compressed(path: Path, known: set[int], ranks: int, book: NoteBook) -> tuple[Checkpoint, ...]:
    """`compression/rankR/`, of the step that its evaluation is named after; where there is none, of the only save there is."""
    steps = [step + 1 for step in ranked(path / "stats", COMPRESSED, book)]
    iteration = max(steps, default=0)
    if iteration in known or (not steps and known):
        return ()
    folders = {folder / "meta.json": rank for rank, folder in numbered((path / "compression").glob("rank*"), RANK)}
    files = splat_files((file for file in sorted(folders) if file.is_file()), book)
    parts: dict[int, SplatFile] = {folders[file.path]: file for file in files}
    found = merged(iteration, parts, max(ranks, *(rank + 1 for rank in parts)) if parts else ranks, book)
    return () if found is None else (found,)


def read_pose_deltas(saved: Sequence[Checkpoint], names: Sequence[str], book: NoteBook) -> PoseDeltas:
    """With pose_opt, the [9] of each trained camera in the last checkpoint; every process saves the same."""
    last = next((one.path for one in reversed(saved) if CHECKPOINT.fullmatch(one.path.name)), None)
    try:
        with numbers_left():
            stored = None if last is None else read_torch_file(last)
    except RunError as error:
        book.add_error(error)
        return {}
    adjust = stored.get("pose_adjust") if isinstance(stored, dict) else None
    return deltas_of(adjust.get("embeds.weight"), 9, names) if isinstance(adjust, dict) else {}

"""Opening a run: whatever path the user names becomes a `Run`, or one sentence that says what it is instead."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from runs.advice import cannot_open
from runs.checkpoints import Checkpoint, StateFile
from runs.errors import NotARun, UnreadableFile
from runs.formats.splat_formats import could_be_splats
from runs.notes import counted
from runs.remote.mounting import located
from runs.run import Run
from runs.run_folders import MOST_ENTRIES, MOST_FOLDERS, Inside, run_above, runs_inside
from runs.storage import refresh
from runs.trainers import TRAINERS
from runs.trainers.loose.files import FAMILY as LOOSE

DELETED = "this checkpoint was deleted while the run was open; copy those that you want to keep"

DATA_SET = frozenset({
    "sparse", "images", "transforms.json", "transforms_train.json", "cameras.bin", "cameras.txt", "database.db", "colmap",
})
STATE_ENDINGS = (".pth", ".pt", ".ckpt", ".npz")  # of resumable files, which open as the iteration of their run
MOST_NAMED = 5  # runs of a folder that holds several


def open_run(path: Path | str, data: Path | str | None = None) -> Run:
    """Open a run's folder, a file or folder in it, or a file of splats; only names and headers are read.

    `data` is the folder with the photos and the COLMAP model. Both may be addresses as well (sftp://host/path, …). A folder
    that holds exactly one run, up to four levels below it, opens that run; a file opens the run that it is a part of.
    Raises NotARun, or UnreadableFile where a file or folder cannot be read.
    """
    path, data = located(path), None if data is None else located(data)
    try:
        if not path.exists():
            raise NotARun("this path does not exist; check its spelling, and that its disk is there", path)
        if path.is_file():
            return _run_of_file(path, data)
        return _run_of_part(path, data) or _recognised(path, data) or _run_inside(path, data)
    except OSError as error:
        raise UnreadableFile(cannot_open(error, "path"), path) from error


def reopen(run: Run) -> Run:
    """The run as its folder is now, with notes about it as it is now.

    Files that have not changed keep their checkpoint, and with it what was read of it. Raises as `open_run`.
    """
    refresh(run.path)
    fresh = open_run(run.path, run.data if run.data_was_named else None)
    for path in _deleted(run):
        fresh.book.add(str(path), DELETED)
    return replace(
        fresh, checkpoints=tuple(_kept(c, run.checkpoints) for c in fresh.checkpoints),
        state_files=tuple(_kept_state(s, run.state_files) for s in fresh.state_files),
    )


def _deleted(run: Run) -> Iterator[Path]:
    """Checkpoints that are gone since `run` was opened, or since an earlier look, and have not come back."""
    noted = (Path(note.file) for note in run.notes if note.says == DELETED)
    for path in (*noted, *(c.path for c in run.checkpoints), *(s.path for s in run.state_files)):
        try:
            path.stat()
        except FileNotFoundError:
            yield path
        except OSError:
            continue  # it is there and may not be looked at, which opening has noted


def _kept(new: Checkpoint, old: tuple[Checkpoint, ...]) -> Checkpoint:
    return next((c for c in old if (c.iteration, c.read, c.motion) == (new.iteration, new.read, new.motion)), new)


def _kept_state(new: StateFile, old: tuple[StateFile, ...]) -> StateFile:
    return next((s for s in old if s.iteration == new.iteration and s.read == new.read), new)


def _run_of_part(folder: Path, data: Path | None) -> Run | None:
    """The run of which the folder holds saves, as point_cloud/ and each iteration_N/ in it do; None for any other folder."""
    if any(family.knows(folder) for family in TRAINERS if family is not LOOSE):
        return None
    above = run_above(folder)
    run = None if above is None else _recognised(above, data)
    saves: tuple[Checkpoint | StateFile, ...] = () if run is None else (*run.checkpoints, *run.state_files)
    held = {save.iteration for save in saves if folder in save.path.parents}
    if run is None or not held:
        return None
    return replace(run, asked=held.pop() if len(held) == 1 else None)


def _recognised(path: Path, data: Path | None) -> Run | None:
    for family in TRAINERS:
        trainer = family.knows(path)
        if trainer is not None:
            return family.read(path, trainer, data)
    return None


def _run_of_file(file: Path, data: Path | None) -> Run:
    """The run that the file belongs to, with its iteration asked for; a file of splats that belongs to none opens alone."""
    above = run_above(file)
    run = None if above is None else _recognised(above, data)
    asked = None if run is None else _iteration_of(file, run)
    if run is not None and (asked is not None or not could_be_splats(file)):
        return replace(run, asked=asked)
    try:
        alone = _recognised(file, data)
    except UnreadableFile:
        if run is None:
            raise
        return run  # a cloud or a mesh that lies in its folder
    if alone is None:
        raise NotARun("this is no file of splats, and no folder above it is a training run; open the folder of the run", file)
    return alone


def _iteration_of(file: Path, run: Run) -> int | None:
    """The iteration that the file is a save of, or a part of one."""
    saves: tuple[Checkpoint | StateFile, ...] = (*run.checkpoints, *run.state_files)
    exact = next((save.iteration for save in saves if save.path == file), None)
    beside = {save.iteration for save in saves if save.path.parent == file.parent != run.path}
    return beside.pop() if exact is None and len(beside) == 1 else exact


def _run_inside(path: Path, data: Path | None) -> Run:
    """The one run in the sub-folders of `path`. Raises NotARun otherwise, and says what the path is."""
    inside = runs_inside(path)
    if len(inside.runs) == 1 and inside.is_all:
        return open_run(inside.runs[0], data)
    raise NotARun(_what_else(path, inside), path)


def _what_else(folder: Path, inside: Inside) -> str:
    if inside.runs:
        names = ", ".join(run.relative_to(folder).as_posix() for run in inside.runs[:MOST_NAMED])
        more = ", …" if len(inside.runs) > MOST_NAMED or not inside.is_all else ""
        least = "" if inside.is_all else "at least "
        return f"this folder holds {least}{counted(len(inside.runs), 'run')} ({names}{more}); open one of them"
    held = {child.name for child in islice(folder.iterdir(), MOST_ENTRIES)}
    if not held:
        return "this folder is empty; open the folder that the training writes to"
    if held & DATA_SET or any(name.startswith("transforms_") for name in held):
        return "this folder is a data set, not a training run; open the run and name this folder with --data"
    if not inside.is_all:
        return f"there is no training run in the first {MOST_FOLDERS:,} folders of this one; open the folder of the run itself"
    return "nothing in this folder looks like a training run; open the folder that holds cfg_args, point_cloud or PLY files"

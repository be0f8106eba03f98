"""Opening a run: whatever path the user names becomes a `Run`, or one sentence that says what it is instead."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from runs.advice import cannot_open
from runs.checkpoints import Checkpoint, StateFile
from runs.errors import NotARun, UnreadableFile
from runs.run import Run
from runs.trainers import TRAINERS

DELETED = "this checkpoint was deleted while the run was open; copy those that you want to keep"

NOT_SEARCHED = frozenset({"backup", "wandb", ".git", "__pycache__", "point_cloud", "images", "sparse"})


def open_run(path: Path, data: Path | None = None) -> Run:
    """Open a run's folder or a splat file; only names and headers are read.

    `data` is the folder with the photos and the COLMAP model. A folder that holds exactly one run opens that run.
    Raises NotARun, or UnreadableFile where a file or folder cannot be read.
    """
    path = Path(path)
    try:
        if not path.exists():
            raise NotARun("this path does not exist; check its spelling, and that its disk is there", path)
        return _recognised(path, data) or _run_inside(path, data)
    except OSError as error:
        raise UnreadableFile(cannot_open(error, "path"), path) from error


def reopen(run: Run) -> Run:
    """The run as its folder is now, with notes about it as it is now.

    Files that have not changed keep their checkpoint, and with it what was read of it. Raises as `open_run`.
    """
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


def _recognised(path: Path, data: Path | None) -> Run | None:
    for family in TRAINERS:
        trainer = family.recognise(path)
        if trainer is not None:
            return family.read(path, trainer, data)
    return None


def _run_inside(path: Path, data: Path | None) -> Run:
    """The one run in the sub-folders of `path`. Raises NotARun otherwise, and says what the path is."""
    if path.is_file():
        raise NotARun("this is no file of splats; open the folder of the run, or a file of splats", path)
    inside = list(_runs_inside(path))
    if len(inside) == 1:
        return open_run(inside[0], data)
    raise NotARun(_what_else(path, inside), path)


def _runs_inside(folder: Path) -> Iterator[Path]:
    for child in sorted(folder.iterdir()):
        if child.is_dir() and child.name not in NOT_SEARCHED and _is_run(child):
            yield child


def _is_run(folder: Path) -> bool:
    try:
        return any(family.recognise(folder) for family in TRAINERS)
    except OSError:
        return False  # a folder that may not be read is none that can be offered


def _what_else(folder: Path, inside: list[Path]) -> str:
    if inside:
        shown = ", ".join(child.name for child in inside[:5]) + (", …" if len(inside) > 5 else "")
        return f"this folder holds {len(inside)} runs ({shown}); open one of them"
    names = {child.name for child in folder.iterdir()}
    if not names:
        return "this folder is empty; open the folder that the training writes to"
    if names & {"sparse", "images", "transforms.json", "transforms_train.json"}:
        return "this folder is a data set, not a training run; open the run and name this folder with --data"
    return "nothing in this folder looks like a training run; open the folder that holds cfg_args, point_cloud or PLY files"

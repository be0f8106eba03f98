"""Deformable-3D-Gaussians: INRIA's folder, and one deformation network per save in deform/iteration_N."""

from dataclasses import replace
from pathlib import Path

from runs.checkpoints import Checkpoint
from runs.notes import NoteBook
from runs.run import Run, Trainer
from runs.trainers.inria import folder
from runs.trainers.inria.forks import fork_of_folder
from runs.trainers.moving.deformable_motion import read_motion
from runs.trainers.moving.deformable_settings import DEFAULTS
from runs.trainers.moving.saved_motion import motion_or_note
from runs.trainers.shared.family import Family

NAME = "deformable-3dgs"
FOLDER = "deform/iteration_*/deform.pth"


def recognise(folder: Path) -> Trainer | None:
    """By its deformation networks, else by its settings."""
    if any(folder.glob(FOLDER)):
        return Trainer(NAME, 0.95, "saves deformation networks as deform/iteration_N/deform.pth")
    if not (folder / "cfg_args").is_file():
        return None
    told = fork_of_folder(folder)
    return told if told.name == NAME else None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """As INRIA's folder, with a motion for each save that has its network. Raises UnreadableFile if `data` is absent."""
    run = folder.read(path, trainer, data)
    sources = replace(run.sources, settings=lambda: run.settings.with_defaults(DEFAULTS))
    return replace(run, checkpoints=tuple(_moving(path, one, run.book) for one in run.checkpoints), sources=sources)


def _moving(path: Path, checkpoint: Checkpoint, book: NoteBook) -> Checkpoint:
    network = path / "deform" / f"iteration_{checkpoint.iteration}" / "deform.pth"
    return replace(checkpoint, motion=motion_or_note(network, read_motion, book))


FAMILY = Family(NAME, recognise, read)

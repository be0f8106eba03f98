"""PhysGaussian: what a simulation made of trained Gaussians, `simulation_ply/sim_FRAME.ply`, positions without anything else."""

from dataclasses import replace
from pathlib import Path

from runs.errors import RunError
from runs.formats.ply.points import look_at_points
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.run import Run, Trainer
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import LEFT_OUT, checkpoints, numbered
from runs.trainers.shared.signs import plys_of
from runs.trainers.shared.sources import few_sources

FOLDER = "simulation_ply"
FRAME = r"sim_(\d{1,12})\.ply"
NO_TRAINING = "holds frames of a simulation, not a training: the Gaussians it started from are in the run that it read"


def recognise(folder: Path) -> Trainer | None:
    """By the numbered files of its own folder."""
    for _ in numbered(plys_of(folder / FOLDER), FRAME):
        return Trainer("physgaussian", 0.9, f"numbered files {FOLDER}/sim_*.ply, as PhysGaussian writes them")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers now, positions on first use. The frame stands where other runs have the iteration."""
    book = NoteBook()
    book.add(str(path), NO_TRAINING)
    frames = [(frame, file) for frame, place in numbered(plys_of(path / FOLDER), FRAME) if (file := _look(place, book))]
    saved = tuple(replace(one, label=f"frame {one.iteration:,}") for one in checkpoints(frames, book))
    return Run(path, trainer, saved, (), data, few_sources(Logged(path, book)), book, data is not None)


def _look(path: Path, book: NoteBook) -> SplatFile | None:
    try:
        return look_at_points(path)
    except RunError as error:
        book.add(str(path), f"{LEFT_OUT}{error.says}")
        return None


FAMILY = Family("PhysGaussian", recognise, read)

"""The resumable state of LichtFeld Studio: `checkpoints/checkpoint.resume`, one file that each save replaces."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.arrays import F32
from runs.checkpoints import Checkpoint, TrainingState
from runs.errors import RunError, UnreadableFile
from runs.formats.lichtfeld.adam import GROUPS, Adam, read_adam
from runs.formats.lichtfeld.resume import DENSIFICATION, ReadResume, Resume
from runs.formats.ply.body import locate
from runs.formats.ply.header import read_header
from runs.formats.splat_file import SplatFile
from runs.storage import ensure
from runs.trainers.lichtfeld.settings import PLAIN_STRATEGIES
from runs.trainers.shared.adam_state import missing_moments

POSITION = ("x", "y", "z")
APPROXIMATE = "approximate moments of 8 bits"


@dataclass(frozen=True)
class ReadState:
    """Reads one state; equal to another one if that would read the same unchanged file."""

    resume: Resume

    def __call__(self) -> TrainingState:
        """Of the rows that are drawn: deleted ones keep a place in the file, and train no more. Raises UnreadableFile."""
        resume = self.resume
        adam, damage = _adam(resume)
        groups = adam.groups if isinstance(adam, Adam) else {}
        suffix = f", {APPROXIMATE}" if isinstance(adam, Adam) and adam.approximate else ""
        lacking = [damage or adam] if isinstance(adam, str) else list(_missing(resume, adam))
        return TrainingState(
            resume.iteration, resume.path, f"lichtfeld {resume.strategy}{suffix}", resume.active_sh_degree,
            ReadResume(resume)(), groups, _statistics(resume), None, tuple(lacking),
        )


def _adam(resume: Resume) -> tuple[Adam | str, str]:
    """The optimiser's memory, or why there is none: its damage must not hide the splats."""
    try:
        return read_adam(resume), ""
    except UnreadableFile as error:
        return "", f"Adam's memory ({error.says})"


def _missing(resume: Resume, adam: Adam) -> Iterator[str]:
    trained = [GROUPS[name] for name in GROUPS if name in resume.tensors]
    yield from missing_moments(trained, adam.groups)


def _statistics(resume: Resume) -> Mapping[str, F32]:
    """Under INRIA's names where they mean the same: the plain strategy sums gradients and counts views."""
    if DENSIFICATION not in resume.tensors:
        return {}
    stored = resume.values(DENSIFICATION)
    if stored.ndim == 1:
        return {DENSIFICATION: np.array(resume.drawn(stored), np.float32)}
    names = ("denom", "xyz_gradient_accum") if resume.strategy in PLAIN_STRATEGIES else (
        f"{DENSIFICATION}_weight", f"{DENSIFICATION}_score")
    return {name: np.array(resume.drawn(row), np.float32) for name, row in zip(names, stored, strict=True)}


def checkpoint_of(resume: Resume) -> Checkpoint:
    """Its splats, where no other file of that iteration holds them."""
    return Checkpoint(
        resume.iteration, resume.path, resume.count, resume.sh_degree, resume.stamp.size_bytes, ReadResume(resume),
        keeps_rows=resume.count == resume.rows,
    )


def begins_as(file: SplatFile, resume: Resume) -> bool:
    """Whether a PLY holds as many splats as the checkpoint, of which the first lies at the same place to the last bit.

    The trainer writes both when it ends, and the PLY under a name without its iteration where the user gave it one.
    """
    if file.format != "PLY" or file.count != resume.count or not file.count:
        return False
    try:
        stored = resume.values("means")[int(np.argmin(resume.deleted))]
        return first_position(file.path).tobytes() == np.array(stored, np.float32).tobytes()
    except (OSError, RunError):
        return False


def first_position(path: Path) -> F32:
    """float32 [3] of the first vertex of a binary PLY; NaN in a text. Raises UnreadableFile or RefusedFile."""
    rows = locate(read_header(path), "vertex")
    if rows.is_text:
        return np.full(3, np.nan, np.float32)
    ensure(path, rows.offset, rows.offset + rows.dtype.itemsize)
    row = np.fromfile(path, rows.dtype, 1, offset=rows.offset)
    return np.array([row[name][0] for name in POSITION], np.float32)

"""spirulae-splat: folders `step-NNNNNNNNN.ckpt` with a splat.ply in each, config.json, and metrics.json of the last evaluation.

A save comes before the step of its number (`src/app/TrainerCore.cpp` train), so step N is iteration N.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from runs.canonical import make_series
from runs.formats.small_files import MIB, as_number, read_json
from runs.notes import NoteBook
from runs.run import Run, Sources, Trainer
from runs.series import Series
from runs.settings import Settings
from runs.trainers.shared.family import Family
from runs.trainers.shared.flat_settings import Spellings, aliased, flat_settings
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import checkpoints, numbered, splat_files
from runs.trainers.shared.sources import few_sources

STEP = r"step-(\d{9,12})\.ckpt"
SPLATS, CONFIG, METRICS = "splat.ply", "config.json", "metrics.json"
ALIASES: Spellings = {"source_path": ("data",)}  # num_iterations is no plan to save a state, which is not read here
SCORES: Mapping[str, str] = {"avg_psnr": "test/psnr", "avg_ssim": "test/ssim", "avg_l1": "test/l1"}


def recognise(folder: Path) -> Trainer | None:
    """By a folder that is named as other trainers name a file."""
    if any(re.fullmatch(STEP, path.name) and (path / SPLATS).is_file() for path in folder.glob("step-*.ckpt")):
        return Trainer("spirulae-splat", 0.8, f"folders named step-N.ckpt with a {SPLATS}, as spirulae-splat writes them")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Its cameras are stored nowhere in a world that is known here."""
    book = NoteBook()
    files = {folder / SPLATS: step for step, folder in sorted(numbered(path.glob("step-*.ckpt"), STEP))}
    looks = splat_files((file for file in files if file.is_file()), book)
    found = checkpoints(((files[look.path], look) for look in looks), book)
    folder = SpirulaeFolder(path, found[-1].iteration if found else None, book)
    return Run(path, trainer, found, (), data, folder.sources, book, data is not None)


@dataclass(frozen=True, eq=False)
class SpirulaeFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    last: int | None
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        return aliased(self.book.attempt(_read_config, self.path / CONFIG, Settings()), ALIASES)

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book, tags=())

    @cached_property
    def series(self) -> Mapping[str, Series]:
        return {**self.logged.series, **self._scores}

    @property
    def _scores(self) -> Mapping[str, Series]:
        """The evaluation at the end of training, which is of the last save."""
        stored: Any = self.book.attempt(lambda file: read_json(file, MIB), self.path / METRICS, None)
        told = {name: as_number(stored.get(key)) for key, name in SCORES.items()} if isinstance(stored, dict) else {}
        found = ((name, value) for name, value in told.items() if value is not None and self.last is not None)
        return {name: make_series(name, [self.last or 0], [value], METRICS) for name, value in found}

    @property
    def sources(self) -> Sources:
        return few_sources(self.logged, settings=lambda: self.settings, series=lambda: self.series)


def _read_config(path: Path) -> Settings:
    stored = read_json(path, MIB)
    return flat_settings(stored, path.name) if isinstance(stored, dict) else Settings()


FAMILY = Family("spirulae-splat", recognise, read)

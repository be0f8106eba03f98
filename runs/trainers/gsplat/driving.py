"""gsplat's trainer for driving scenes (`examples/av_trainer.py`): statistics per evaluation, model.pt at the end, no settings.

It says what its steps are in its files: counted from 1.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from runs.canonical import make_series, merge
from runs.checkpoints import Checkpoint
from runs.formats.small_files import MIB, as_number, read_json
from runs.notes import NoteBook
from runs.run import Run, Sources, Trainer
from runs.series import Series
from runs.trainers.gsplat.saved import CHECKPOINT, columns_of, read_checkpoints
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import checkpoints, splat_files
from runs.trainers.shared.shards import ranked
from runs.trainers.shared.sources import few_sources
from runs.trainers.shared.tensor_columns import TensorLook

STATS = re.compile(r"step(?P<step>\d{5,12})\.json")
SUMMARY, MODEL = "summary.json", "model.pt"
BYTES_PER_MB, BYTES_PER_MIB = 1e6, 2.0**20
SERIES: Mapping[str, tuple[str, float]] = {
    "mean_psnr": ("test/psnr", 1.0), "loss": ("loss/total", 1.0), "num_gaussians": ("num_gaussians", 1.0),
    "gpu_peak_mb": ("vram", BYTES_PER_MB / BYTES_PER_MIB),
}


def recognise(folder: Path) -> Trainer | None:
    """By its statistics, or by its summary beside a model."""
    if any(STATS.fullmatch(path.name) for path in (folder / "stats").glob("step*.json")):
        return Trainer("gsplat", 0.8, "stats/stepN.json, as gsplat's av_trainer writes them")
    if (folder / SUMMARY).is_file() and (folder / MODEL).is_file():
        return Trainer("gsplat", 0.6, f"a {SUMMARY} beside a {MODEL}, as gsplat's av_trainer writes them")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use."""
    book = NoteBook()
    saved = read_checkpoints(ranked(path / "ckpts", CHECKPOINT, book), {}, book, first_step=1)
    folder = AvFolder(path, book)
    return Run(path, trainer, _with_model(path, saved, folder.last, book), (), data, folder.sources, book, data is not None)


def _with_model(path: Path, saved: tuple[Checkpoint, ...], last: int, book: NoteBook) -> tuple[Checkpoint, ...]:
    """The model of the last step, unless a checkpoint is of it."""
    file = path / MODEL
    if any(checkpoint.iteration == last for checkpoint in saved) or not file.is_file():
        return saved
    return (*saved, *checkpoints(((last, look) for look in splat_files([file], book, TensorLook(columns_of))), book))


@dataclass(frozen=True, eq=False)
class AvFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    book: NoteBook

    @cached_property
    def last(self) -> int:
        """The last step; 0 where nothing tells it."""
        told = as_number(self._object(self.path / SUMMARY).get("max_steps")) or 0
        return max([int(told), *(step for step, _ in self._steps)])

    @cached_property
    def _steps(self) -> list[tuple[int, Mapping[str, Any]]]:
        files = ranked(self.path / "stats", STATS, self.book)
        return [(step, self._object(paths[0])) for step, paths in files.items()]

    @cached_property
    def series(self) -> Mapping[str, Series]:
        rows: dict[str, dict[int, float]] = {}
        for step, name, value in self._values():
            rows.setdefault(name, {})[step] = value
        own = {name: make_series(name, list(values), list(values.values()), "stats") for name, values in rows.items()}
        return merge(own, self.logged.series)

    def _values(self) -> Iterator[tuple[int, str, float]]:
        for step, stored in self._steps:
            for key, (name, factor) in SERIES.items():
                value = as_number(stored.get(key))
                if value is not None:
                    yield step, name, factor * value

    def _object(self, path: Path) -> Mapping[str, Any]:
        stored: Any = self.book.attempt(lambda file: read_json(file, MIB), path, None)
        return stored if isinstance(stored, dict) else {}

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book, tags=())

    @property
    def sources(self) -> Sources:
        return few_sources(self.logged, series=lambda: self.series)


FAMILY = Family("gsplat av_trainer", recognise, read)

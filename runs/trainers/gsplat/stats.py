"""What gsplat's trainer writes to `stats/`: a JSON object per evaluation, and one per process with each checkpoint."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runs.canonical import make_series
from runs.formats.small_files import MIB, as_number, read_json
from runs.notes import NoteBook
from runs.series import Series
from runs.trainers.shared.shards import Ranked, ranked

EVALUATION = re.compile(r"val_step(?P<step>\d{1,12})\.json")
SCORES = ("psnr", "ssim", "lpips")
MB_PER_GIB = 1024.0


def read_stats(folder: Path, training: Ranked, ranks: int, book: NoteBook) -> dict[str, Series]:
    """Scores of the test views, and at each checkpoint the count over all ranks and the most memory that one of them took.

    The count of an evaluation is left out: it is taken after that step has densified, all other counts before, and by the
    first process alone. Trouble goes to the notebook.
    """
    rows: dict[str, dict[int, float]] = {}
    for iteration, name, value in [*_scores(folder, book), *_saved(training, ranks, book)]:
        rows.setdefault(name, {})[iteration] = value
    return {name: make_series(name, list(values), list(values.values()), folder.name) for name, values in rows.items()}


def _scores(folder: Path, book: NoteBook) -> Iterator[tuple[int, str, float]]:
    for step, files in ranked(folder, EVALUATION, book).items():
        stored = _object(files[0], book)
        numbers = ((name, as_number(stored.get(name))) for name in SCORES)
        yield from ((step + 1, f"test/{name}", value) for name, value in numbers if value is not None)


def _saved(training: Ranked, ranks: int, book: NoteBook) -> Iterator[tuple[int, str, float]]:
    for step, files in training.items():
        stored = [_object(path, book) for path in files.values()]
        counts = [count for one in stored if (count := as_number(one.get("num_GS"))) is not None]
        if len(counts) == ranks:
            yield step + 1, "num_gaussians", sum(counts)
        memory = [mem for one in stored if (mem := as_number(one.get("mem"))) is not None]
        if memory:
            yield step + 1, "vram", max(memory) * MB_PER_GIB


def _object(path: Path, book: NoteBook) -> Mapping[str, Any]:
    stored: Any = book.attempt(lambda file: read_json(file, MIB), path, None)
    return stored if isinstance(stored, dict) else {}

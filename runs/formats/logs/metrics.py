"""Metrics that a trainer writes as one JSON object per line."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from runs.canonical import RAW, make_series
from runs.formats.logs.columns import BrokenLines, Columns, MetricsFile, as_iteration
from runs.formats.logs.lines import Lines
from runs.formats.logs.tails import Tail, chunks
from runs.formats.small_files import as_number
from runs.series import Series

ITERATION_KEYS = ("it", "iteration", "iter", "step")
LONGEST_LINE = 2**20  # bytes: a row of numbers is far shorter, a longer line is no record
DEEPEST = 3  # levels of nested objects that are followed

# Key (levels joined by "/") -> canonical name. A bare "psnr" or "ssim" is not here: in a file of unknown make it may
# be of a training or of a test view.
KEYS: Mapping[str, str] = {
    "l1": "loss/l1", "l1_loss": "loss/l1", "loss": "loss/total", "total_loss": "loss/total",
    "n": "num_gaussians", "num_gaussians": "num_gaussians", "num_GS": "num_gaussians",
    "vis": "visible", "pairs": "tile_pairs", "sh": "sh_degree", "sh_degree": "sh_degree", "ms": "iter_time", "vram": "vram",
    "eval/test": "test/psnr", "eval/train": "train/psnr", "reset": "opacity_reset", "opacity_reset": "opacity_reset",
}
# In rows that count by "it" these are of the view trained at that iteration.
KEYS_WITH_IT: Mapping[str, str] = {**KEYS, "psnr": "view/psnr", "ssim": "view/ssim"}
# Start of a key -> start of the canonical name.
PREFIXES: Mapping[str, str] = {
    "gn/": "grad_norm/", "grad_norm/": "grad_norm/", "densify/": "densify/", "lr_": "lr/", "lr/": "lr/",
    "loss/": "loss/", "test/": "test/", "eval/test/": "test/", "eval/train/": "train/",
}
WORDS: Mapping[str, str] = {"view": "train/view", "image_name": "train/view"}


def read_jsonl(path: Path) -> MetricsFile:
    """Series from objects with `it`, `iteration`, `iter` or `step`. NaN and Infinity are kept: they are evidence.

    A half-written last line is skipped silently, any other broken line is noted. `num_gaussians` is the count that the
    iteration was rendered with, before it densified. Raises UnreadableFile.
    """
    return Tail(path, JsonLines).read()


class JsonLines:
    """Reads rows of metrics as they are written."""

    def __init__(self, source: str) -> None:
        self.offset = 0
        self._columns, self._broken, self._lines = Columns(source), BrokenLines(), Lines(LONGEST_LINE)

    def advance(self, file: IO[bytes], size: int) -> None:
        for chunk in chunks(file, size):
            self.offset += len(chunk)
            for number, line in self._lines.take(chunk):
                if line is None or not _add_line(line, self._columns):
                    self._broken.add(number)
        if self._lines.rest and _add_line(self._lines.rest, self._columns):  # whole, only its line end is missing
            self._lines.rest = b""

    def result(self) -> MetricsFile:
        series = self._columns.series()
        return MetricsFile({**_ssim_loss(series), **series}, self._broken.notes())


def _add_line(line: bytes, columns: Columns) -> bool:
    """Whether the line was blank or a row of metrics."""
    if not line.strip():
        return True
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    key = next((key for key in ITERATION_KEYS if key in row), None) if isinstance(row, dict) else None
    iteration = None if key is None else as_iteration(row.pop(key))
    if iteration is None:
        return False
    names = KEYS_WITH_IT if key == "it" else KEYS
    for path, value in _flat(row):
        _add_value(columns, names, path, iteration, value)
    return True


def _flat(row: Mapping[str, Any], above: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if not isinstance(value, dict):
            yield above + key, value
        elif depth < DEEPEST:
            yield from _flat(value, f"{above}{key}/", depth + 1)


def _add_value(columns: Columns, names: Mapping[str, str], key: str, iteration: int, value: object) -> None:
    name = names.get(key) or _by_prefix(key)
    if isinstance(value, str):
        if key in WORDS:
            columns.add_word(WORDS[key], iteration, value)
        return
    number = as_number(value)
    if number is not None and not (name == "opacity_reset" and not number):
        columns.add(name, iteration, number)


def _by_prefix(key: str) -> str:
    for start, name in PREFIXES.items():
        if key.startswith(start):
            return name + key[len(start) :]
    return RAW + key


def _ssim_loss(series: Mapping[str, Series]) -> dict[str, Series]:
    """The SSIM loss is not stored but follows from the stored score: 1 − SSIM."""
    score = series.get("view/ssim")
    if score is None:
        return {}
    return {"loss/ssim": make_series("loss/ssim", score.iterations, 1 - np.asarray(score.values), f"{score.source}, 1 − ssim")}

"""Metrics that a trainer writes as CSV with a header."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO

from runs.canonical import RAW
from runs.errors import UnreadableFile
from runs.formats.logs.columns import BrokenLines, Columns, MetricsFile, as_iteration
from runs.formats.logs.lines import Lines
from runs.formats.logs.tails import Tail, chunks

ITERATION_COLUMNS = ("iteration", "iter", "step")
SPLIT_COLUMNS = ("set", "split")  # LightGaussian's metric.csv says in each row which views were measured
SPLITS: Mapping[str, str] = {"test": "test", "val": "test", "eval": "test", "train": "train"}
SCORES: Mapping[str, str] = {"psnr": "psnr", "ssim": "ssim", "lpips": "lpips", "l1": "l1", "l1_loss": "l1"}
NAMES: Mapping[str, str] = {"num_gaussians": "num_gaussians", "loss": "loss/total", "total_loss": "loss/total"}
EVALUATION_MARK = "time_per_image"  # LichtFeld-Studio writes its metrics.csv when it evaluates the test views
LONGEST_LINE = 65_536  # bytes

Row = Mapping[str, str]


def read_csv(path: Path) -> MetricsFile:
    """Series by header name. Scores become test/… or train/… only where the file says whose they are.

    A last row without line end is skipped silently, for its last number may be half written; any broken row is noted.
    Raises UnreadableFile, also if no column counts iterations.
    """
    return Tail(path, CsvRows).read()


class CsvRows:
    """Reads rows under a header as they are written."""

    def __init__(self, source: str) -> None:
        self.offset = 0
        self._header: list[str] | None = None
        self._columns, self._broken, self._lines = Columns(source), BrokenLines(), Lines(LONGEST_LINE)

    def advance(self, file: IO[bytes], size: int) -> None:
        """Raises UnreadableFile if no column counts iterations."""
        for chunk in chunks(file, size):
            self.offset += len(chunk)
            for number, line in self._lines.take(chunk):
                self._add(number, line, file)
        if self._header is None:
            self._read_header(self._lines.rest, file)
            self._header = None  # it may go on

    def result(self) -> MetricsFile:
        return MetricsFile(self._columns.series(), self._broken.notes())

    def _add(self, number: int, line: bytes | None, file: IO[bytes]) -> None:
        if self._header is None:
            self._read_header(line or b"", file)
        elif line is None or not _add_line(self._header, line, self._columns):
            self._broken.add(number)

    def _read_header(self, line: bytes, file: IO[bytes]) -> None:
        self._header = _cells(line.lower())
        if not any(name in self._header for name in ITERATION_COLUMNS):
            says = "this CSV file has no column iteration, iter or step; add one if it holds metrics"
            raise UnreadableFile(says, Path(file.name))


def _cells(line: bytes) -> list[str]:
    return [cell.strip().strip('"') for cell in line.decode("utf-8", "replace").split(",")]


def _add_line(header: list[str], line: bytes, columns: Columns) -> bool:
    """Whether the line was blank or a complete row."""
    if not line.strip():
        return True
    cells = _cells(line)
    if len(cells) != len(header):
        return False
    row = dict(zip(header, cells, strict=True))
    iteration = as_iteration(next(_number(row[name]) for name in ITERATION_COLUMNS if name in row))
    if iteration is None:
        return False
    for name, cell in row.items():
        number = _number(cell)
        if number is not None and name not in ITERATION_COLUMNS:
            columns.add(_series_name(name, row), iteration, number)
    return True


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _series_name(column: str, row: Row) -> str:
    if column not in SCORES:
        return NAMES.get(column, RAW + column)
    named = next((row[name].lower() for name in SPLIT_COLUMNS if name in row), "test" if EVALUATION_MARK in row else "")
    split = SPLITS.get(named)
    return f"{split}/{SCORES[column]}" if split else RAW + column

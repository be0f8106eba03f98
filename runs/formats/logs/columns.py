"""Values gathered row by row from a log, and the series that they make."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from runs.canonical import make_series
from runs.notes import counted
from runs.series import Series


@dataclass
class _Column:
    """Rows in the order of the log. `made` is the series of the first `rows` of them."""

    iterations: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    labels: dict[str, int] = field(default_factory=dict)  # of words: their values here, in the order of their first use
    made: Series | None = None
    rows: int = 0

    def series(self, name: str, source: str) -> Series:
        if self.made is None or self.rows != len(self.values):
            self.made, self.rows = self._make(name, source), len(self.values)
        return self.made

    def _make(self, name: str, source: str) -> Series:
        values = np.array(self.values, np.float64)
        if not self.labels:
            return make_series(name, np.array(self.iterations, np.int64), values, source)
        labels = sorted(self.labels)
        place = np.empty(len(labels))
        place[[self.labels[label] for label in labels]] = np.arange(len(labels))
        return make_series(name, np.array(self.iterations, np.int64), place[values.astype(int)], source, tuple(labels))


@dataclass
class Columns:
    """A growing table of numbers by series name; rows may come in any order, and take 16 bytes each."""

    source: str  # file name that the series will carry
    _numbers: dict[str, _Column] = field(default_factory=dict)
    _words: dict[str, _Column] = field(default_factory=dict)

    def add(self, name: str, iteration: int, value: float) -> None:
        column = self._numbers.get(name) or self._numbers.setdefault(name, _Column())
        column.iterations.append(iteration)
        column.values.append(value)

    def add_word(self, name: str, iteration: int, word: str) -> None:
        column = self._words.setdefault(name, _Column())
        column.iterations.append(iteration)
        column.values.append(column.labels.setdefault(word, len(column.labels)))

    def drop(self, names: Iterable[str]) -> None:
        """Forget these columns."""
        for name in names:
            self._numbers.pop(name, None)

    def series(self) -> dict[str, Series]:
        """By name; words become indices into sorted labels. A column that has not grown gives the same series again."""
        return {name: column.series(name, self.source) for name, column in {**self._numbers, **self._words}.items()}


@dataclass(frozen=True, eq=False)
class MetricsFile:
    """The series of one file, by canonical name, and what could not be read of it."""

    series: Mapping[str, Series]
    notes: tuple[str, ...]


def as_iteration(value: object) -> int | None:
    """A whole number that fits an iteration; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**53 or value != int(value):
        return None
    return int(value)


@dataclass
class BrokenLines:
    """How many lines held no metrics, and which were the first."""

    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, number: int) -> None:
        self.count += 1
        if len(self.first) < 5:
            self.first.append(number)

    def notes(self) -> tuple[str, ...]:
        """One note for all of them."""
        if not self.count:
            return ()
        shown = ", ".join(map(str, self.first)) + (", …" if self.count > len(self.first) else "")
        return (f"{counted(self.count, 'line')} could not be read (line {shown}); correct or delete what is no record",)

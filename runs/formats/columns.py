"""Values gathered row by row from a log, and the series that they make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from runs.canonical import make_series
from runs.notes import counted
from runs.series import Series

Column = tuple[list[int], list[float]]  # iterations, values


@dataclass
class Columns:
    """A growing table of numbers by series name; rows may come in any order."""

    source: str  # file name that the series will carry
    _numbers: dict[str, Column] = field(default_factory=dict)
    _words: dict[str, tuple[list[int], list[str]]] = field(default_factory=dict)

    def add(self, name: str, iteration: int, value: float) -> None:
        iterations, values = self._numbers.setdefault(name, ([], []))
        iterations.append(iteration)
        values.append(value)

    def add_word(self, name: str, iteration: int, word: str) -> None:
        iterations, words = self._words.setdefault(name, ([], []))
        iterations.append(iteration)
        words.append(word)

    def series(self) -> dict[str, Series]:
        """By name; words become indices into sorted labels."""
        made = {name: make_series(name, *column, self.source) for name, column in self._numbers.items()}
        for name, (iterations, words) in self._words.items():
            labels = tuple(sorted(set(words)))
            index = {label: place for place, label in enumerate(labels)}
            made[name] = make_series(name, iterations, [float(index[word]) for word in words], self.source, labels)
        return made


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


def whole_lines(file: BinaryIO, longest: int) -> Iterator[bytes | None]:
    """Every line with its line end; None for one of more than `longest` bytes, which is passed over in pieces."""
    while line := file.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(longest)
        yield None


def broken_lines(numbers: list[int]) -> tuple[str, ...]:
    """One note for all lines that hold no metrics."""
    if not numbers:
        return ()
    shown = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
    return (f"{counted(len(numbers), 'line')} could not be read (line {shown}); correct or delete what is no record",)

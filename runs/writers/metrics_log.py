"""What a growing run logs at each iteration: a line of metrics.jsonl and TensorBoard events, both appended."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from runs.writers.events import EventFile, free_event_file

FLUSH_EVERY = 100  # lines


@dataclass
class _Open:
    lines: TextIO
    events: EventFile
    waiting: int = 0


class MetricsLog:
    """The two logs of one run. Between flushes a reader may meet half a last line, which readers of growing logs skip."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self._folder, self._clock = folder, clock
        self._files: _Open | None = None

    def open(self) -> None:
        """A resumed training appends to its metrics.jsonl and begins a new event file."""
        now = self._clock()
        events = EventFile(free_event_file(self._folder, now), now)
        self._files = _Open((self._folder / "metrics.jsonl").open("a", encoding="utf-8"), events)

    def write(self, iteration: int, row: Mapping[str, Any], scalars: Mapping[str, float]) -> None:
        """`row` goes to the table, `scalars` by tag to TensorBoard."""
        files = self._opened()
        files.lines.write(to_json({"it": iteration, **row}) + "\n")
        files.events.add(iteration, self._clock(), scalars)
        files.waiting += 1
        if files.waiting >= FLUSH_EVERY:
            self.flush()

    def flush(self) -> None:
        files = self._opened()
        files.lines.flush()
        files.events.flush()
        files.waiting = 0

    def close(self) -> None:
        """May be called again."""
        if self._files is not None:
            self._files.lines.close()
            self._files.events.close()
            self._files = None

    def _opened(self) -> _Open:
        if self._files is None:
            raise RuntimeError("a run is written between begin() and finish()")
        return self._files


def to_json(value: Mapping[str, Any]) -> str:
    """One line; numpy's numbers and arrays become JSON's, NaN stays NaN. Raises TypeError for what JSON has no place for."""
    return json.dumps(value, default=_plain)


def _plain(value: object) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no place in JSON")

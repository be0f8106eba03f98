"""Notes: what could not be read, or was read with a reservation, told once and kept."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from runs.errors import RunError


@dataclass(frozen=True)
class Note:
    """One sentence about one file, for the user."""

    file: str
    says: str


def counted(number: int, noun: str) -> str:
    """"1 line", "1,200 lines"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True)
class NoteBook:
    """Notes gathered while a run's lazy parts are read; safe to write from any thread, each note kept once."""

    _notes: dict[Note, None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, file: str, says: str) -> None:
        with self._lock:
            self._notes.setdefault(Note(file, says))

    def add_error(self, error: RunError) -> None:
        self.add(str(error.file), error.says)

    def __iter__(self) -> Iterator[Note]:
        with self._lock:
            return iter(tuple(self._notes))

"""Notes: what could not be read, or was read with a reservation, told once and kept."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from runs.errors import RunError

Read = TypeVar("Read")

_PART: ContextVar[str] = ContextVar("part", default="")  # of a run, that is being read on this thread


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

    _notes: dict[Note, str] = field(default_factory=dict)  # and the part of the run that each was told for
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, file: str, says: str) -> None:
        with self._lock:
            self._notes.setdefault(Note(file, says), _PART.get())

    @staticmethod
    @contextmanager
    def reading(part: str) -> Iterator[None]:
        """Within the block, on this thread, notes are told for this part of a run."""
        token = _PART.set(part)
        try:
            yield
        finally:
            _PART.reset(token)

    def told_for(self, part: str) -> tuple[Note, ...]:
        """The notes about this part of the run."""
        with self._lock:
            return tuple(note for note, about in self._notes.items() if about == part)

    def add_error(self, error: RunError) -> None:
        self.add(str(error.file), error.says)

    def attempt(self, read: Callable[[Path], Read], file: Path, otherwise: Read) -> Read:
        """What `read` makes of a file, or `otherwise` where the file is absent; trouble is noted and gives `otherwise` too."""
        return self.caught(lambda: read(file) if file.is_file() else otherwise, otherwise)

    def caught(self, read: Callable[[], Read], otherwise: Read) -> Read:
        """What `read` gives, or `otherwise` where that raises a RunError, which is noted."""
        try:
            return read()
        except RunError as error:
            self.add_error(error)
            return otherwise

    def __iter__(self) -> Iterator[Note]:
        with self._lock:
            return iter(tuple(self._notes))

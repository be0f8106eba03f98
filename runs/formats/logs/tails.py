"""Append-only files that are read on, not again: what was parsed of them is kept, and a longer file costs its new bytes."""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

from runs.errors import RunError
from runs.formats.small_files import MIB, unreadable
from runs.storage import open_file

CHUNK_BYTES = MIB
MARK_BYTES = 64  # compared at both ends of what was read, to tell a longer file from another one in its place

Result_co = TypeVar("Result_co", covariant=True)


class Parser(Protocol[Result_co]):
    """What one pass over a file builds up, and can go on with when the file has grown."""

    @property
    def offset(self) -> int:
        """The first byte that was not taken in."""

    def advance(self, file: IO[bytes], size: int) -> None:
        """Take in the bytes from `offset` to `size`, or as many of them as make sense so far."""

    def result(self) -> Result_co:
        """All that was found so far, as a value that later bytes do not change."""


@dataclass(eq=False)
class Tail(Generic[Result_co]):
    """One file and the parser that has read it so far. Safe to read from any thread."""

    path: Path
    make: Callable[[str], Parser[Result_co]]  # file name -> a parser that has read nothing
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _parser: Parser[Result_co] | None = field(default=None, repr=False)
    _seen: tuple[int, ...] = ()  # what the file system said at the last look
    _marks: tuple[bytes, bytes] = (b"", b"")

    def read(self) -> Result_co:
        """What the file holds now. A shorter file, or another one in its place, is read anew. Raises UnreadableFile."""
        with self._lock:
            try:
                return self._read()
            except RunError:
                self._parser = None
                raise

    def _read(self) -> Result_co:
        try:
            with open_file(self.path) as file:
                status = os.fstat(file.fileno())
                seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
                parser = self._parser
                if parser is None or not self._grew(file, parser.offset, seen):
                    parser = self.make(self.path.name)
                if seen != self._seen or parser is not self._parser:
                    file.seek(parser.offset)
                    parser.advance(file, status.st_size)
                    self._parser, self._seen, self._marks = parser, seen, _marks(file, parser.offset)
        except OSError as error:
            raise unreadable(error, self.path) from error
        return parser.result()

    def _grew(self, file: IO[bytes], offset: int, seen: tuple[int, ...]) -> bool:
        """Whether the file is the one that was read, unchanged or longer."""
        if seen == self._seen:
            return True
        longer = seen[:2] == self._seen[:2] and seen[2] > self._seen[2]
        return longer and _marks(file, offset) == self._marks


def _marks(file: IO[bytes], offset: int) -> tuple[bytes, bytes]:
    """The first and the last bytes before `offset`."""
    file.seek(0)
    first = file.read(min(offset, MARK_BYTES))
    file.seek(max(0, offset - MARK_BYTES))
    return first, file.read(min(offset, MARK_BYTES))


# The tails that someone holds, so that a folder that is opened again goes on where the last look ended.
_HELD: WeakValueDictionary[tuple[Path, Callable[[str], Parser[Any]]], Tail[Any]] = WeakValueDictionary()
_HELD_LOCK = threading.Lock()


def tail_of(path: Path, make: Callable[[str], Parser[Result_co]]) -> Tail[Result_co]:
    """The tail of this file, shared by all who hold it, and let go with the last."""
    key = (path.absolute(), make)
    with _HELD_LOCK:
        held = _HELD.get(key)
        if held is None:
            held = _HELD[key] = Tail(path, make)
        return held


def chunks(file: IO[bytes], until: int) -> Iterator[bytes]:
    """The bytes from where the file stands to the byte `until`, in pieces of bounded size."""
    while file.tell() < until and (chunk := file.read(min(CHUNK_BYTES, until - file.tell()))):
        yield chunk

"""The lines of a text log of any size, as a stream that goes on when the log has grown."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from runs.formats.small_files import MIB, unreadable
from runs.storage import open_file

CHUNK_BYTES = MIB
LONGEST_LINE = 8_192  # the rest of a longer line is not looked at
HEAD_BYTES = 32 * MIB  # settings and the early phase lie at the head, a crash at the tail
TAIL_BYTES = 32 * MIB

# Colour codes of terminals, and the rank that torchrun writes before each line.
DECORATION = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|^\[rank\d+\]: ?")


@dataclass
class Texts:
    """Cuts bytes into texts as they come; keeps the start of the one that has no end yet."""

    number: int = 1  # of the line that comes next
    rest: bytes = b""  # at most `LONGEST_LINE` bytes and the last one

    def take(self, chunk: bytes) -> Iterator[tuple[int, str]]:
        """Line number and text; a progress bar's carriage returns end a text but not a line."""
        *whole, self.rest = (self.rest + chunk).splitlines(keepends=True) or [b""]
        if self.rest.endswith(b"\n"):
            whole.append(self.rest)
            self.rest = b""
        elif len(self.rest) > LONGEST_LINE:  # its start is all that will be given; its last byte may be half a line end
            self.rest = self.rest[:LONGEST_LINE] + self.rest[-1:]
        for piece in whole:
            yield self.number, _text(piece)
            self.number += piece.endswith(b"\n")


@dataclass
class LogLines:
    """Reads a log as far as it goes, and on from there.

    Of a log that is larger than head and tail when it is met, only these are given, without the texts that the cuts go
    through; line numbers stay true.
    """

    head_bytes: int = HEAD_BYTES
    tail_bytes: int = TAIL_BYTES
    offset: int = 0
    skipped_bytes: int = 0
    texts: Texts = field(default_factory=Texts)
    _cut: bool = False  # through the text that comes next

    def advance(self, file: IO[bytes], size: int) -> Iterator[tuple[int, str]]:
        """Every text whose end is there, from `offset` to `size`."""
        file.seek(self.offset)
        if self.offset == 0 and size > self.head_bytes + self.tail_bytes:
            yield from self._head(file)
            yield from self._tail(file, size)
        else:
            yield from self._take(_chunks(file, size))
        self.offset = size

    def last(self) -> tuple[int, str] | None:
        """The text that has no end yet."""
        return (self.texts.number, _text(self.texts.rest)) if self.texts.rest and not self._cut else None

    def _take(self, chunks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        for chunk in chunks:
            for numbered in self.texts.take(chunk):
                if not self._cut:
                    yield numbered
                self._cut = False

    def _head(self, file: IO[bytes]) -> Iterator[tuple[int, str]]:
        yield from self._take(_chunks(file, self.head_bytes))
        self.texts.rest = b""  # the cut goes through it, or right behind it, which cannot be told

    def _tail(self, file: IO[bytes], size: int) -> Iterator[tuple[int, str]]:
        start = size - self.tail_bytes
        self.skipped_bytes = start - file.tell()
        self.texts.number += sum(chunk.count(b"\n") for chunk in _chunks(file, start))
        self._cut = True
        yield from self._take(_chunks(file, size))


def lines(path: Path, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> Iterator[tuple[int, str]]:
    """Line number from 1 and text of all there is, the last one with or without its end. Raises UnreadableFile."""
    reader = LogLines(head_bytes, tail_bytes)
    try:
        with open_file(path) as file:
            yield from reader.advance(file, file.seek(0, 2))
    except OSError as error:
        raise unreadable(error, path) from error
    if (last := reader.last()) is not None:
        yield last


def _chunks(file: IO[bytes], until: int) -> Iterator[bytes]:
    while file.tell() < until and (chunk := file.read(min(CHUNK_BYTES, until - file.tell()))):
        yield chunk


def _text(piece: bytes) -> str:
    return DECORATION.sub("", piece[:LONGEST_LINE].decode("utf-8", "replace")).rstrip()

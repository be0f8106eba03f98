"""The lines of a text log of any size, as a stream."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from runs.formats.small_files import MIB, unreadable

CHUNK_BYTES = MIB
LONGEST_LINE = 8_192  # the rest of a longer line is not looked at
HEAD_BYTES = 32 * MIB  # settings and the early phase lie at the head, a crash at the tail
TAIL_BYTES = 32 * MIB

# Colour codes of terminals, and the rank that torchrun writes before each line.
DECORATION = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|^\[rank\d+\]: ?")


def lines(path: Path, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> Iterator[tuple[int, str]]:
    """Line number from 1 and text; a progress bar's carriage returns end a text but not a line.

    Of a larger file only the head and the tail are given, without the texts that the cuts go through; line numbers
    stay true. Raises UnreadableFile.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            if size <= head_bytes + tail_bytes:
                yield from _numbered(_pieces(file, size), 1)
                return
            pieces = list(_pieces(file, head_bytes))
            yield from _numbered(pieces[:-1], 1)
            number = 1 + sum(piece.endswith(b"\n") for piece in pieces) + _line_ends(file, size - tail_bytes)
            tail = _pieces(file, size)
            yield from _numbered(tail, number + next(tail, b"").endswith(b"\n"))
    except OSError as error:
        raise unreadable(error, path) from error


def _numbered(pieces: Iterable[bytes], number: int) -> Iterator[tuple[int, str]]:
    for piece in pieces:
        yield number, _text(piece)
        number += piece.endswith(b"\n")


def _pieces(file: BinaryIO, until: int) -> Iterator[bytes]:
    """Texts with their ends, up to the byte `until`; of a longer one than `LONGEST_LINE` at least its start."""
    rest = b""
    while file.tell() < until and (chunk := file.read(min(CHUNK_BYTES, until - file.tell()))):
        *whole, rest = (rest + chunk).splitlines(keepends=True)
        yield from whole
        if rest.endswith(b"\n"):
            yield rest
            rest = b""
        elif len(rest) > LONGEST_LINE:  # keep its start, which is all that will be given, and its possible line end
            rest = rest[:LONGEST_LINE] + rest[-1:]
    if rest:
        yield rest


def _line_ends(file: BinaryIO, until: int) -> int:
    found = 0
    while file.tell() < until and (chunk := file.read(min(CHUNK_BYTES, until - file.tell()))):
        found += chunk.count(b"\n")
    return found


def _text(piece: bytes) -> str:
    return DECORATION.sub("", piece[:LONGEST_LINE].decode("utf-8", "replace")).rstrip()

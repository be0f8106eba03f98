"""The rows of a large binary PLY handed out in pieces that fit into a processor's cache, by a few threads.

A mapped file would be simpler, but its pages are counted as memory of the process beside the columns, the first touch
of each costs more than copying it, and a file that a trainer cuts off meanwhile ends the process.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np

from runs.arrays import U8
from runs.errors import UnreadableFile
from runs.formats.ply_body import CHANGED, Rows, check_stamp, check_unchanged
from runs.formats.small_files import unreadable
from runs.storage import ensure

PIECE_BYTES = 4 << 20
MOST_THREADS = 4  # more do not read faster, and the window wants a core too

Use = Callable[[U8, int], None]  # packed rows uint8 [n, stride], valid during the call; the number of the first


def in_pieces(rows: Rows, use: Use) -> None:
    """Call `use` for every piece of the rows of a binary file, in any order and from several threads.

    Raises UnreadableFile when the file is no longer the one whose header was read.
    """
    stride, count = rows.element.least_row_bytes, rows.element.count
    ensure(rows.header.path, rows.offset, rows.offset + count * stride)
    each = max(PIECE_BYTES // stride, 1)
    starts = range(0, count, each)
    threads = min(MOST_THREADS, os.cpu_count() or 1, len(starts))
    buffers: SimpleQueue[U8] = SimpleQueue()
    for _ in range(threads):
        buffers.put(np.empty(min(each, count) * stride, np.uint8))
    piece = _Piece(rows, use, buffers)
    if threads == 1:
        for start in starts:
            piece.read(start, min(each, count - start))
    elif threads:
        with ThreadPoolExecutor(threads, "ply") as pool:
            for _ in pool.map(lambda start: piece.read(start, min(each, count - start)), starts):
                pass
    check_unchanged(rows.header)


class _Piece:
    """Reads one piece into one of the buffers and hands it on."""

    def __init__(self, rows: Rows, use: Use, buffers: "SimpleQueue[U8]") -> None:
        self._rows, self._use, self._buffers = rows, use, buffers

    def read(self, first: int, count: int) -> None:
        header, stride = self._rows.header, self._rows.element.least_row_bytes
        buffer = self._buffers.get()
        try:
            part = buffer[:count * stride]
            with header.path.open("rb", buffering=0) as file:
                check_stamp(os.fstat(file.fileno()), header)
                file.seek(self._rows.offset + first * stride)
                _fill(file.readinto, part, self._rows)
            self._use(part.reshape(count, stride), first)
        except OSError as error:
            raise unreadable(error, header.path) from error
        finally:
            self._buffers.put(buffer)


def _fill(read: Callable[[memoryview], int | None], part: U8, rows: Rows) -> None:
    """A read may return less than asked for: beyond 2 GiB, over a network, and at the end of a file that was cut off."""
    view = memoryview(part.data)
    while len(view):
        got = read(view)
        if not got:
            raise UnreadableFile(CHANGED, rows.header.path)
        view = view[got:]

"""The rows of a large binary PLY handed out in pieces that fit into a processor's cache, by a few threads.

A mapped file would be simpler, but its pages are counted as memory of the process beside the columns, the first touch
of each costs more than copying it, and a file that a trainer cuts off meanwhile ends the process.
"""

import io
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue

import numpy as np

from runs.arrays import U8
from runs.errors import UnreadableFile
from runs.formats.ply.body import CHANGED, Rows, check_stamp, check_unchanged
from runs.formats.small_files import unreadable
from runs.storage import ensure

PIECE_BYTES = 2 << 20
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
    try:
        with ExitStack() as stack:
            readers: SimpleQueue[_Reader] = SimpleQueue()  # one for each thread
            for _ in range(threads):
                readers.put(_Reader(rows, stack.enter_context(rows.header.path.open("rb", buffering=0)), each, use))
            _in_threads(lambda start: _with_one(readers, start), starts, threads)
    except OSError as error:
        raise unreadable(error, rows.header.path) from error
    check_unchanged(rows.header)


def _in_threads(read: Callable[[int], None], starts: Sequence[int], threads: int) -> None:
    if threads < 2:
        for start in starts:
            read(start)
        return
    with ThreadPoolExecutor(threads, "ply") as pool:
        for _ in pool.map(read, starts):  # raises what a thread raised
            pass


def _with_one(readers: "SimpleQueue[_Reader]", start: int) -> None:
    reader = readers.get()
    try:
        reader.read(start)
    finally:
        readers.put(reader)


class _Reader:
    """An open file, and the buffer that its pieces are read into."""

    def __init__(self, rows: Rows, file: io.FileIO, each: int, use: Use) -> None:
        check_stamp(os.fstat(file.fileno()), rows.header)
        self._rows, self._file, self._each, self._use = rows, file, each, use
        self._buffer = np.empty(min(each, rows.element.count) * rows.element.least_row_bytes, np.uint8)

    def read(self, first: int) -> None:
        """Hand on the piece that begins at row `first`."""
        stride = self._rows.element.least_row_bytes
        count = min(self._each, self._rows.element.count - first)
        part = self._buffer[:count * stride]
        self._file.seek(self._rows.offset + first * stride)
        self._fill(memoryview(part.data))
        self._use(part.reshape(count, stride), first)

    def _fill(self, view: memoryview) -> None:
        """A read may return less than asked for: beyond 2 GiB, over a network, and at the end of a file that was cut off."""
        while len(view):
            got = self._file.readinto(view)
            if not got:
                raise UnreadableFile(CHANGED, self._rows.header.path)
            view = view[got:]

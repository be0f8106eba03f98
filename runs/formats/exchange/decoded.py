"""Lazy columns of a file that is decoded in pieces: each column once, on first use."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock

import numpy as np

from runs.advice import UNFINISHED
from runs.arrays import F32, U8
from runs.errors import UnreadableFile
from runs.formats.ply.body import CHANGED
from runs.formats.small_files import unreadable
from runs.formats.splat_file import Stamp
from runs.gaussians import Gaussians
from runs.storage import ensure, map_file

Decode = Callable[[str], Mapping[str, F32]]


class Decoded:
    """Keeps what `decode(name)` returns: the column asked for, and those that come with it for free."""

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._columns: dict[str, F32] = {}
        self._lock = RLock()

    def load(self, name: str) -> F32:
        with self._lock, np.errstate(all="ignore"):  # damaged numbers become NaN, which is told where it is used
            if name not in self._columns:
                self._columns.update(self._decode(name))
            return self._columns[name]


def decoded_gaussians(count: int, sh_degree: int, decode: Decode) -> Gaussians:
    """Gaussians whose columns are decoded on first use."""
    return Gaussians(count, sh_degree, Decoded(decode).load)


def map_unchanged(path: Path, stamp: Stamp, what: str, stop: int | None = None) -> U8:
    """uint8 [size], the whole file, mapped; what lies beyond `stop` is fetched by `storage.present` when it is used.

    Raises UnreadableFile when it is no longer the file that was looked at, or empty.
    """
    def check(status: os.stat_result) -> None:
        if Stamp.of(status) != stamp:
            raise UnreadableFile(CHANGED, path)

    ensure(path, 0, stop)
    try:
        return map_file(path, check)
    except OSError as error:
        raise unreadable(error, path) from error
    except ValueError as error:
        raise UnreadableFile(f"this {what} is empty; {UNFINISHED}", path) from error


def stamp_of(path: Path) -> Stamp:
    """Raises UnreadableFile for a file that is gone or may not be looked at."""
    try:
        return Stamp.of(path.stat())
    except OSError as error:
        raise unreadable(error, path) from error

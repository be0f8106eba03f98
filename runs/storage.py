"""Where the bytes of a file come from: this machine, or a remote folder of which only the asked-for parts are fetched.

Readers work on local paths. A file of a mounted remote folder has a local stand-in with the right name, size and time
whose bytes are absent, and read as zeros, until they are fetched. So a reader does one of three things: it opens the file
with `open_file`, which fetches what is read; it maps it with `map_file` and names each array with `present` before its
numbers are used; or it calls `ensure` with the range before it opens the file in its own way. For a local file nothing
happens in any of them.
"""

import io
import mmap
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeVar

import numpy as np
from numpy.lib.array_utils import byte_bounds

from runs.arrays import U8, Array

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

READ_AHEAD_BYTES = 32_768  # what a small read of a remote file fetches at least
AnyArray = TypeVar("AnyArray", bound=Array)


class Remote(Protocol):
    """What a mounted remote folder can do for the stand-ins below its root. Each raises UnreadableFile."""

    def fetch(self, path: Path, start: int, stop: int | None) -> None: ...
    def list_folder(self, folder: Path) -> None: ...
    def refresh(self) -> None: ...
    def address(self, path: Path) -> str: ...
    def beside(self, path: str) -> Path | None: ...
    def close(self) -> None: ...


Told = Callable[[float, str], None]  # part of a read that is fetched, 0..1, and the address; may raise to end the read

_FOLLOWING: ContextVar[Told | None] = ContextVar("following", default=None)
_MOUNTED: dict[Path, Remote] = {}
_MAPPED: dict[int, tuple["weakref.ref[Array]", Path]] = {}  # by address of the first byte; remote files only


def mount(root: Path, remote: Remote) -> None:
    """Let `remote` provide everything below `root`."""
    _MOUNTED[root] = remote


def unmount(root: Path) -> None:
    """Files below `root` are plain local files again, with nothing in the place of what was not fetched."""
    remote = _MOUNTED.pop(root, None)
    if remote is not None:
        remote.close()


def remote_of(path: Path) -> Remote | None:
    """The remote folder that provides this path; None for a path of this machine."""
    if not _MOUNTED:
        return None
    return next((remote for root, remote in tuple(_MOUNTED.items()) if path.is_relative_to(root)), None)


def ensure(path: Path, start: int = 0, stop: int | None = None) -> None:
    """Have the bytes `start` to `stop` (default: to the end) of the file on this machine. Raises UnreadableFile."""
    remote = remote_of(path)
    if remote is not None:
        remote.fetch(path, start, stop)


def ensure_folder(folder: Path) -> None:
    """Have the names of all files below `folder`: those of photos and renderings are not listed when a run is opened."""
    remote = remote_of(folder)
    if remote is not None:
        remote.list_folder(folder)


def refresh(path: Path) -> None:
    """Look again for what lies in the remote folder that `path` belongs to. Raises UnreadableFile."""
    remote = remote_of(path)
    if remote is not None:
        remote.refresh()


def beside(path: Path, recorded: str) -> Path | None:
    """The local path of an absolute path that a file of a remote run records, which is of that machine, where it is there;
    None for a run of this machine, and where the other one has nothing at that path."""
    remote = remote_of(path)
    return None if remote is None else remote.beside(recorded)


def address_of(path: Path) -> str:
    """The path as a user would name it: that of a remote file is its address, without user and password."""
    remote = remote_of(path)
    return str(path) if remote is None else remote.address(path)


@contextmanager
def following(tell: Told) -> Iterator[None]:
    """Within the block, on this thread, `tell` hears of everything that is fetched; what it raises ends the read."""
    token = _FOLLOWING.set(tell)
    try:
        yield
    finally:
        _FOLLOWING.reset(token)


def tell_fetched(part: float, address: str) -> None:
    """For remote folders: about to fetch the next piece of one read."""
    tell = _FOLLOWING.get()
    if tell is not None:
        tell(part, address)


def open_file(path: Path, buffering: int = -1) -> BinaryIO:
    """The file, opened for reading; what is read of a remote one is fetched first. Raises OSError, UnreadableFile."""
    if remote_of(path) is None:
        return path.open("rb", buffering)
    raw = _Fetched(path)
    return raw if buffering == 0 else io.BufferedReader(raw, READ_AHEAD_BYTES)


class _Fetched(io.FileIO):
    """A stand-in whose bytes are fetched as they are read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "r")
        self.path = path

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        start = self.tell()
        ensure(self.path, start, start + memoryview(buffer).nbytes)
        return super().readinto(buffer)

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        ensure(self.path, self.tell(), self.tell() + size)
        return super().read(size)

    def readall(self) -> bytes:
        ensure(self.path, self.tell())
        return super().readall()


def map_file(path: Path, check: Callable[[os.stat_result], None] | None = None) -> U8:
    """uint8 [size], the whole file mapped read-only and nothing of it fetched; call `present` before a part is used.

    `check` looks at the status of the very file that is mapped, and may raise. Raises OSError; ValueError for an empty file.
    """
    with path.open("rb") as file:
        if check is not None:
            check(os.fstat(file.fileno()))
        mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    if remote_of(path) is not None:
        _remember(mapped, path)
    return mapped


def _remember(mapped: U8, path: Path) -> None:
    address = byte_bounds(mapped)[0]
    _MAPPED[address] = (weakref.ref(mapped, lambda _: _MAPPED.pop(address, None)), path)


def present(array: AnyArray) -> AnyArray:
    """The array itself; where it lies in a mapped remote file its bytes are fetched first. Raises UnreadableFile."""
    if _MAPPED and array.size:
        low, high = byte_bounds(array)
        for address, (mapped, path) in tuple(_MAPPED.items()):
            whole = mapped()
            if whole is not None and address <= low and high <= address + len(whole):
                ensure(path, low - address, high - address)
    return array

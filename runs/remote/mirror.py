"""A remote run as a local folder of stand-ins, each filled as far as it is read."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

from runs.errors import RunError, UnreadableFile
from runs.notes import NoteBook
from runs.remote import cache
from runs.remote.addresses import Address
from runs.remote.blocks import BLOCK_BYTES, StandIn, Version
from runs.remote.failures import is_final, told
from runs.remote.listing import Entry, Listing, version_of, walk
from runs.remote.locks import locked
from runs.remote.systems import connect, disconnect, remote_path
from runs.storage import tell_fetched

PIECE_BYTES = 128 * BLOCK_BYTES  # fetched at once; between two pieces a reader may be cancelled
CHANGED = "this file changed on {host} since it was looked at; look for new saves"
SHORT = "{host} handed out {got:,} of {wanted:,} bytes; try again once the connection is better"
NO_PARTS = "{host} hands out whole files only, and this one is large; copy the run here and open the copy"
NO_CACHE = "what is fetched cannot be kept on this machine ({why}); free some space, or name another folder in {variable}"
CUT_OFF = "holds more files or deeper folders than are looked at on a remote machine; open the folder of one run"
WHOLE_FILE_BYTES = 64 * 2**20  # a server without ranges is asked for no larger one
TRUSTED_S = 2.0  # for so long a file is taken to be the one that was looked at

Answer = TypeVar("Answer")


@dataclass(eq=False)
class Mirror:
    """The remote folder or file at `address`; `root` is its stand-in. Safe to use from several threads and processes."""

    origin: Address
    folder: Path  # of this mirror in the cache
    mount: Callable[[str], Path] | None = None  # makes another address of the same machine a path, where runs may refer to one
    notes: NoteBook = field(default_factory=NoteBook)
    fetched_bytes: int = 0  # from the remote machine, in this process
    _system: Any = None
    _held: IO[bytes] | None = None
    _is_file: bool = False
    _deferred: set[str] = field(default_factory=set)
    _looked: dict[Path, float] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def root(self) -> Path:
        return self.folder / cache.FILES / self.origin.name

    def connect(self) -> None:
        """Connect and list. Raises UnreadableFile."""
        self._held = cache.use(self.folder)
        self.refresh()
        cache.evict(self.folder)

    def beside(self, path: str) -> Path | None:
        """Another folder of the same machine, mounted; None where there is none, or where paths mean nothing (a web server)."""
        if self.mount is None or self.origin.scheme != "sftp" or not path.startswith("/"):
            return None
        try:
            return self.mount(self.origin.elsewhere(path))
        except RunError:
            return None

    def close(self) -> None:
        """Let go of the connection and of the place in the cache; the mirror stays there for the next time."""
        with self._lock:
            self._disconnect()
            if self._held is not None:
                self._held.close()
                self._held = None

    def address(self, path: Path) -> str:
        relative = self._relative(path)
        return f"{self.origin.shown}/{relative}" if relative else self.origin.shown

    def refresh(self) -> None:
        """Stand-ins as the remote folder is now: new ones made, changed ones emptied, vanished ones removed."""
        with self._lock:
            listing = self._listed("")
            self._deferred.clear()
            self._show(listing, "")

    def list_folder(self, folder: Path) -> None:
        """Look into the folders of pictures at, above or below `folder`."""
        relative = self._relative(folder)
        with self._lock:
            for deferred in sorted(self._deferred):
                if not relative or f"{deferred}/".startswith(f"{relative}/") or f"{relative}/".startswith(f"{deferred}/"):
                    self._show(self._listed(deferred, pictures=True), deferred)
                    self._deferred.discard(deferred)

    def fetch(self, path: Path, start: int, stop: int | None) -> None:
        """Have these bytes in the stand-in; nothing for a path that has none. Raises UnreadableFile."""
        standin = self._standin(path)
        if not standin.record.exists():
            return  # a folder, or a file that the caller will find absent
        try:
            with locked(standin.record):
                self._fill(standin, start, stop)
        except OSError as error:  # of this machine: those of the other one are sentences already
            raise UnreadableFile(NO_CACHE.format(why=error.strerror or error, variable=cache.VARIABLE), path) from error

    def _fill(self, standin: StandIn, start: int, stop: int | None) -> None:
        version = standin.version
        if version is None:
            raise UnreadableFile(CHANGED.format(host=self.origin.host), standin.path)
        wanted = version.size_bytes if stop is None else min(stop, version.size_bytes)
        pieces = [piece for span in standin.missing(start, wanted) for piece in _pieces(*span)]
        if pieces:
            self._check(standin.path, version)
        for number, (first, last) in enumerate(pieces):
            tell_fetched(number / len(pieces), self.address(standin.path))
            standin.fill(first, self._bytes(standin.path, first, last, version))

    def _bytes(self, path: Path, start: int, stop: int, version: Version) -> bytes:
        where = self._remote(path)
        data: bytes = self._ask(path, lambda system: system.cat_file(where, start=start, end=stop))
        if len(data) == version.size_bytes and len(data) != stop - start:
            data = data[start:stop]  # a web server that does not know ranges sends everything
        if len(data) != stop - start:
            raise UnreadableFile(SHORT.format(host=self.origin.host, got=len(data), wanted=stop - start), path)
        self.fetched_bytes += len(data)
        return data

    def _check(self, path: Path, version: Version) -> None:
        """That the remote file is still the one that the stand-in stands for, and that parts of it can be had."""
        if time.monotonic() - self._looked.get(path, -TRUSTED_S) < TRUSTED_S:
            return
        info = self._ask(path, lambda system: system.info(self._remote(path)))
        if version_of(info) != version:
            raise UnreadableFile(CHANGED.format(host=self.origin.host), path)
        if info.get("partial") is False and version.size_bytes > WHOLE_FILE_BYTES:
            raise UnreadableFile(NO_PARTS.format(host=self.origin.host), path)
        self._looked[path] = time.monotonic()

    def _ask(self, path: Path, question: Callable[[Any], Answer]) -> Answer:
        """What the remote machine answers; where the connection turns out to be lost, it is made anew once."""
        with self._lock, told(self.origin, path):
            was_connected = self._system is not None
            try:
                return question(self._connected())
            except Exception as error:
                self._disconnect()
                if not was_connected or is_final(error):
                    raise
            return question(self._connected())

    def _connected(self) -> Any:
        if self._system is None:
            self._system = connect(self.origin, self.root)
        return self._system

    def _disconnect(self) -> None:
        system, self._system = self._system, None
        if system is not None:
            disconnect(system)

    def _listed(self, start: str, *, pictures: bool = False) -> Listing:
        return self._ask(self.root / start, lambda system: self._list(system, start, pictures=pictures))

    def _list(self, system: Any, start: str, *, pictures: bool) -> Listing:
        where = remote_path(self.origin)
        system.invalidate_cache()
        info = system.info(where) if not start else {"type": "directory"}
        self._is_file = self._is_file or (not start and info["type"] == "file" and not _is_page(info))
        if self._is_file:
            return Listing((Entry("", version_of(info)),), False)
        return walk(system, where, start, pictures=pictures)

    def _show(self, listing: Listing, start: str) -> None:
        """Make the stand-ins below `start` the listed ones."""
        listed = {entry.relative for entry in listing.entries}
        if not self._is_file:
            (self.root / start).mkdir(parents=True, exist_ok=True)
        for entry in listing.entries:
            path = self.root / entry.relative if entry.relative else self.root
            if entry.version is None:
                path.mkdir(parents=True, exist_ok=True)
                self._deferred |= {entry.relative} if entry.deferred else set()
            else:
                self._standin(path).make(entry.version)
        if listing.cut_off:
            self.notes.add(str(self.root / start), CUT_OFF)
        else:
            self._remove_others(start, listed)

    def _remove_others(self, start: str, listed: set[str]) -> None:
        """What vanished; the pictures of folders that were not looked into stay."""
        for path in sorted((self.root / start).rglob("*"), reverse=True) if not self._is_file else ():
            relative = self._relative(path)
            if relative in listed or any(f"{relative}/".startswith(f"{deferred}/") for deferred in self._deferred):
                continue
            if path.is_dir():
                path.rmdir()
            else:
                self._standin(path).remove()

    def _standin(self, path: Path) -> StandIn:
        return StandIn(path, self.folder / cache.RECORDS / f"{path.relative_to(self.folder / cache.FILES).as_posix()}.json")

    def _relative(self, path: Path) -> str:
        return "" if path == self.root else path.relative_to(self.root).as_posix()

    def _remote(self, path: Path) -> str:
        return remote_path(self.origin, self._relative(path))


def _is_page(info: dict[str, Any]) -> bool:
    """To a web server everything is a file; the listing of a folder is a page."""
    return str(info.get("mimetype", "")).startswith("text/html") or str(info.get("name", "")).endswith("/")


def _pieces(start: int, stop: int) -> Iterator[tuple[int, int]]:
    for first in range(start, stop, PIECE_BYTES):
        yield first, min(first + PIECE_BYTES, stop)

"""A stand-in: a local file with the size of a remote one, and a record of which of its blocks have been fetched."""

import json
import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.arrays import Mask
from runs.remote.locks import locked
from runs.storage import READ_AHEAD_BYTES
from runs.writers.atomic import whole_file

BLOCK_BYTES = READ_AHEAD_BYTES
LATEST_S = 4e9  # the year 2096: larger numbers are no times
LONG_AGO_S = 1e9  # the year 2001
LARGEST_FILE_BYTES = 1 << 42  # 4 TiB; a server may claim any size


@dataclass(frozen=True)
class Version:
    """Tells whether a remote file is still the one that was listed."""

    size_bytes: int
    mark: str  # modification time or ETag, whatever the machine tells; "" where it tells nothing
    modified_s: float | None = None  # since 1970; None where it is not told

    @property
    def stand_in_s(self) -> float:
        """A time for the stand-in: the true one to the second, and another fraction of it for each version.

        Where the true one is not told it lies long ago, so that no run looks as if it were being written.
        """
        told = LONG_AGO_S if self.modified_s is None or not 0 <= self.modified_s < LATEST_S else self.modified_s
        return math.floor(told) + zlib.crc32(self.mark.encode()) % 10**6 / 10**6


@dataclass(frozen=True)
class StandIn:
    """One file's place in the mirror: `path` is what readers open, `record` says what of it is there."""

    path: Path
    record: Path

    def make(self, version: Version) -> None:
        """Have a stand-in of this version; one of another version is replaced and what was fetched of it forgotten.

        A new file takes the old one's place, so that whoever has the old one mapped keeps its numbers.
        """
        with locked(self.record):
            if self.version == version:
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.record.unlink(missing_ok=True)
            fresh = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
            with fresh.open("wb") as file:
                file.truncate(version.size_bytes)
            os.utime(fresh, (version.stand_in_s, version.stand_in_s))
            os.replace(fresh, self.path)
            self._write(version, np.zeros(block_count(version), bool))

    def remove(self) -> None:
        """The remote file is gone."""
        with locked(self.record):
            self.path.unlink(missing_ok=True)
            self.record.unlink(missing_ok=True)

    def missing(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The byte ranges, of whole blocks, that must be fetched so that `start` to `stop` are there."""
        version, held = self._state()
        if start >= stop:
            return
        first, last = start // BLOCK_BYTES, -(-min(stop, version.size_bytes) // BLOCK_BYTES)
        absent = np.flatnonzero(~held[first:last]) + first
        for run in np.split(absent, np.flatnonzero(np.diff(absent) > 1) + 1) if len(absent) else ():
            yield int(run[0]) * BLOCK_BYTES, min((int(run[-1]) + 1) * BLOCK_BYTES, version.size_bytes)

    def fill(self, start: int, data: bytes) -> None:
        """Put whole blocks in their place, first the bytes and then the record of them."""
        version, held = self._state()
        with self.path.open("r+b", buffering=0) as file:
            file.seek(start)
            file.write(data)
            os.utime(self.path, (version.stand_in_s, version.stand_in_s))  # readers take another time for another file
            os.fsync(file.fileno())
        held = held.copy()
        held[start // BLOCK_BYTES:-(-(start + len(data)) // BLOCK_BYTES)] = True
        self._write(version, held)

    @property
    def version(self) -> Version | None:
        """Of the file that the stand-in stands for; None where there is none."""
        found = self._read()
        return None if found is None else found[0]

    def _state(self) -> tuple[Version, Mask]:
        found = self._read()
        if found is None:
            raise FileNotFoundError(2, "the stand-in of this remote file was removed", str(self.path))
        return found

    def _read(self) -> tuple[Version, Mask] | None:
        """None where the record is absent, damaged, or of another file than the one that lies there."""
        try:
            status = self.path.stat()
            stored = json.loads(self.record.read_bytes())
            modified = None if stored["modified"] is None else float(stored["modified"])
            version = Version(int(stored["size"]), str(stored["mark"]), modified)
            packed = np.frombuffer(bytes.fromhex(stored["blocks"]), np.uint8)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        count = block_count(version)
        if (status.st_size, status.st_ino) != (version.size_bytes, stored.get("inode")) or len(packed) * 8 < count:
            return None
        return version, np.unpackbits(packed)[:count].astype(bool)

    def _write(self, version: Version, held: Mask) -> None:
        self.record.parent.mkdir(parents=True, exist_ok=True)
        stored = {"size": version.size_bytes, "mark": version.mark, "modified": version.modified_s,
                  "inode": self.path.stat().st_ino, "blocks": np.packbits(held).tobytes().hex()}
        with whole_file(self.record) as file:
            file.write(json.dumps(stored).encode())


def block_count(version: Version) -> int:
    return -(-version.size_bytes // BLOCK_BYTES)

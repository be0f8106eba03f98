"""Tensors in the files of LichtFeld Studio: 24 bytes of header with four of padding, the dimensions, and the numbers.

Facts from LichtFeld-Studio `src/core/tensor/internal/tensor_serialization.hpp`. Everything is little endian.
"""

import math
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN, UNFINISHED
from runs.arrays import Array
from runs.errors import RefusedFile, UnreadableFile
from runs.storage import ensure

MAGIC, VERSION = 0x4C465354, 1  # "LFST"
HEADER = struct.Struct("<IIBBH4xQ")  # magic, version, dtype, device, rank, number of elements
DTYPES = ("<f4", "<f2", "<i4", "<i8", "u1", "?")
MOST_DIMENSIONS = 8


@dataclass(frozen=True)
class Place:
    """Where a tensor lies in its file; no number was read."""

    dtype: str  # as numpy spells it
    shape: tuple[int, ...]
    offset: int  # bytes to the first number

    @property
    def stop(self) -> int:
        """Bytes from the start of the file to the end of the numbers."""
        return self.offset + math.prod(self.shape) * np.dtype(self.dtype).itemsize


@dataclass
class Cursor:
    """Reads a file from front to back, never beyond `end`, the first byte that belongs to something else."""

    path: Path
    data: Array  # uint8, mapped: the whole file
    at: int
    end: int

    def take(self, size: int) -> bytes:
        """The next bytes. Raises UnreadableFile where they are not there."""
        if size > self.end - self.at:
            raise UnreadableFile(f"this checkpoint ends in the middle of its data; {UNFINISHED}", self.path)
        ensure(self.path, self.at, self.at + size)
        self.at += size
        return self.data[self.at - size:self.at].tobytes()

    def number(self, code: str) -> int:
        """One integer; `code` is that of `struct`: B, I, i, q, Q."""
        (value,) = struct.unpack(f"<{code}", self.take(struct.calcsize(f"<{code}")))
        return int(value)

    def real(self, code: str) -> float:
        """One floating-point number; `code` is f or d."""
        (value,) = struct.unpack(f"<{code}", self.take(struct.calcsize(f"<{code}")))
        return float(value)

    def name(self, longest: int) -> str:
        """A length and as many letters, which may be shown."""
        length = self.number("I")
        if not 0 < length <= longest:
            raise UnreadableFile(f"this checkpoint holds something else where a name belongs; {FOREIGN}", self.path)
        letters = self.take(length).decode("utf-8", "replace")
        return "".join(letter if letter.isprintable() else "?" for letter in letters)

    def tensor(self) -> Place:
        """The next tensor, passed over. Raises UnreadableFile, or RefusedFile for one that claims more than there is."""
        magic, version, kind, _, rank, elements = HEADER.unpack(self.take(HEADER.size))
        if magic != MAGIC or version != VERSION or kind >= len(DTYPES) or rank > MOST_DIMENSIONS:
            raise UnreadableFile(f"this checkpoint holds something else where a tensor belongs; {FOREIGN}", self.path)
        shape = struct.unpack(f"<{rank}Q", self.take(8 * rank))
        place = Place(DTYPES[kind], shape, self.at)
        # Beside an empty side another may claim more than numpy can count.
        if math.prod(shape) != elements or place.stop > self.end or max(shape, default=0) > self.end:
            says = f"this checkpoint claims a tensor of {' × '.join(map(str, shape)) or 'no'} numbers, more than it holds"
            raise RefusedFile(f"{says}; {UNFINISHED}", self.path)
        self.at = place.stop
        return place


def values(data: Array, place: Place) -> Array:
    """The numbers of a tensor as they lie in the mapped file, read-only; not always aligned."""
    flat = np.ndarray((math.prod(place.shape),), place.dtype, data.data, place.offset)
    flat.flags.writeable = False
    return flat.reshape(place.shape)

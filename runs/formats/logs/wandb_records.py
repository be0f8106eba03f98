"""The frame of a W&B run file: records cut into pieces within blocks of 32 KiB, each piece with a checksum.

As `wandb/sdk/internal/datastore.py` (MIT) writes it: LevelDB's log format with a header of its own and plain CRC-32.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from runs.notes import counted

HEADER = b":W&B" + (0xBEE1).to_bytes(2, "little") + b"\0"
BLOCK_BYTES = 32_768
PIECE_HEADER_BYTES = 7  # u32 CRC-32 of type and data, u16 length, u8 type
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
LARGEST_KEPT = 2**20  # larger records hold tables and settings
COPY_AGAIN = "copy it again from where the training ran"


@dataclass
class WandbRecords:
    """Reads the records of a file that may be growing; an incomplete last one is left for later."""

    offset: int = 0  # where the first record begins that was not given
    unsound: int = 0  # pieces with a wrong checksum
    foreign: bool = False  # the file does not begin as a W&B file

    def read(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        """The records from `offset` on, of at most `LARGEST_KEPT` bytes and with right checksums."""
        if not self._begins(file, size):
            return
        record, sound = b"", False  # of the pieces so far; not sound where one is missing, wrong, or the sum too large
        at, unsound = self.offset, 0
        while (piece := _piece(file, at, size)) is not None:
            at, kind, data, fits = piece
            unsound += not fits
            begins = kind in (FULL, FIRST)
            sound = fits and (begins or (sound and len(record) <= LARGEST_KEPT))
            record = data if begins else record + data if sound else b""
            if kind in (FULL, LAST):
                if sound and len(record) <= LARGEST_KEPT:
                    yield record
                self.offset, self.unsound = at, self.unsound + unsound
                record, sound, unsound = b"", False, 0

    def notes(self) -> tuple[str, ...]:
        if self.foreign:
            return (f"this is no run file of W&B; {COPY_AGAIN}",)
        told = f"left out {counted(self.unsound, 'piece')} of this W&B file with a wrong checksum; {COPY_AGAIN}"
        return (told,) if self.unsound else ()

    def _begins(self, file: IO[bytes], size: int) -> bool:
        if self.offset == 0 and size >= len(HEADER):
            file.seek(0)
            self.foreign = file.read(len(HEADER)) != HEADER
            self.offset = len(HEADER)
        return not self.foreign and self.offset > 0


def _piece(file: IO[bytes], at: int, size: int) -> tuple[int, int, bytes, bool] | None:
    """Where the next piece ends, its type, data, and whether its checksum fits; None where the file ends before it does.

    Nothing can be found after a length that leaves its block, but in the next block.
    """
    while True:
        left = BLOCK_BYTES - at % BLOCK_BYTES
        if left < PIECE_HEADER_BYTES:
            at += left
            continue
        if at + PIECE_HEADER_BYTES > size:
            return None
        file.seek(at)
        header = file.read(PIECE_HEADER_BYTES)
        length, kind = int.from_bytes(header[4:6], "little"), header[6]
        at += PIECE_HEADER_BYTES
        if length > left - PIECE_HEADER_BYTES or not FULL <= kind <= LAST:
            return (at + left - PIECE_HEADER_BYTES, 0, b"", False) if at + left - PIECE_HEADER_BYTES <= size else None
        if at + length > size:
            return None
        data = file.read(length)
        return at + length, kind, data, zlib.crc32(header[6:] + data) == int.from_bytes(header[:4], "little")

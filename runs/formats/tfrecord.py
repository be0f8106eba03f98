"""The frame around each TensorBoard event: length, checksum, payload, checksum, in an append-only file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from runs.formats.crc32c import masked_crc32c
from runs.formats.small_files import unreadable
from runs.notes import counted

HEADER_BYTES = 12  # u64 length, u32 masked CRC-32C of the length
FOOTER_BYTES = 4  # u32 masked CRC-32C of the payload
LARGEST_KEPT = 65_536  # larger events hold pictures and histograms, which nobody reads here
COPY_AGAIN = "copy it again from where the training ran"
LARGEST_EVENT = 2**31  # protobuf's own limit


@dataclass(frozen=True)
class Records:
    """The complete records found in one pass."""

    payloads: tuple[bytes, ...]  # those of at most `LARGEST_KEPT` bytes with a right checksum
    offset: int  # first byte that was not consumed: where to go on when the file has grown
    notes: tuple[str, ...]


def read_records(path: Path, offset: int = 0) -> Records:
    """Every complete record from `offset` on; an incomplete last one is left for later. Raises UnreadableFile."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(offset)
            return _read(file, offset, size)
    except OSError as error:
        raise unreadable(error, path) from error


class _Damaged(Exception):
    """The length of a record is not what its checksum says, so nothing after it can be found."""


def _read(file: BinaryIO, offset: int, size: int) -> Records:
    payloads: list[bytes] = []
    notes: list[str] = []
    unsound = 0
    try:
        for end, payload, sound in _records(file, offset, size):
            offset = end
            unsound += not sound
            if payload is not None and sound:
                payloads.append(payload)
    except _Damaged:
        notes.append(f"this event file is damaged at byte {offset:,} and was read up to there; {COPY_AGAIN}")
    if unsound:
        notes.append(f"left out {counted(unsound, 'event')} with a wrong checksum; {COPY_AGAIN}")
    return Records(tuple(payloads), offset, tuple(notes))


def _records(file: BinaryIO, offset: int, size: int) -> Iterator[tuple[int, bytes | None, bool]]:
    """Of each whole record where it ends, its payload (None: too large to keep), and whether the checksum fits."""
    while size - offset >= HEADER_BYTES:
        header = file.read(HEADER_BYTES)
        length = int.from_bytes(header[:8], "little")
        if length > LARGEST_EVENT or not _fits(header[:8], header[8:]):
            raise _Damaged
        offset += HEADER_BYTES + length + FOOTER_BYTES
        if offset > size:
            return
        if length > LARGEST_KEPT:
            file.seek(offset)
            yield offset, None, True
        else:
            payload = file.read(length)
            yield offset, payload, _fits(payload, file.read(FOOTER_BYTES))


def _fits(data: bytes, checksum: bytes) -> bool:
    return masked_crc32c(data) == int.from_bytes(checksum, "little")

"""The frame around each TensorBoard event: length, checksum, payload, checksum, in an append-only file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from runs.formats.logs.crc32c import masked_crc32c
from runs.notes import counted

HEADER_BYTES = 12  # u64 length, u32 masked CRC-32C of the length
FOOTER_BYTES = 4  # u32 masked CRC-32C of the payload
LARGEST_KEPT = 65_536  # larger events hold pictures and histograms, which nobody reads here
COPY_AGAIN = "copy it again from where the training ran"
LARGEST_EVENT = 2**31  # protobuf's own limit


@dataclass
class Records:
    """The records of a file that may be growing: an incomplete last one is left for later."""

    offset: int = 0  # first byte that was not consumed
    unsound: int = 0  # events with a wrong checksum
    damaged: bool = False  # at `offset`: nothing after it can be found

    def read(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        """The payloads from `offset` on, of at most `LARGEST_KEPT` bytes and with a right checksum."""
        if self.damaged:
            return
        file.seek(self.offset)
        try:
            for end, payload, sound in _records(file, self.offset, size):
                self.offset = end
                self.unsound += not sound
                if payload is not None and sound:
                    yield payload
        except _Damaged:
            self.damaged = True

    def notes(self) -> tuple[str, ...]:
        told = []
        if self.damaged:
            told.append(f"this event file is damaged at byte {self.offset:,} and was read up to there; {COPY_AGAIN}")
        if self.unsound:
            told.append(f"left out {counted(self.unsound, 'event')} with a wrong checksum; {COPY_AGAIN}")
        return tuple(told)


class _Damaged(Exception):
    """The length of a record is not what its checksum says, so nothing after it can be found."""


def _records(file: IO[bytes], offset: int, size: int) -> Iterator[tuple[int, bytes | None, bool]]:
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

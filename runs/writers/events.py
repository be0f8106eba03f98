"""Scalars for TensorBoard, written without it: one event file that grows while a training runs."""

import struct
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from runs.formats.logs.crc32c import masked_crc32c

FLUSH_EVERY = 100  # events; a reader of the growing file takes whole ones and waits for the rest


class EventFile:
    """Appends scalars to `path`, which must be new. A context manager; `close` writes what is left."""

    def __init__(self, path: Path, wall_time: float) -> None:
        """`wall_time`: seconds since 1970, here and below."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("xb")
        self._waiting = 0
        self._append(_double(1, wall_time) + chunk(3, b"brain.Event:2"))
        self.flush()

    def add(self, step: int, wall_time: float, scalars: Mapping[str, float]) -> None:
        """One event per tag, as SummaryWriter.add_scalar writes them; values are stored as float32."""
        for tag, value in scalars.items():
            summary = chunk(1, chunk(1, tag.encode()) + b"\x15" + _float32(value))
            self._append(_double(1, wall_time) + b"\x10" + varint(step) + chunk(5, summary))
        if self._waiting >= FLUSH_EVERY:
            self.flush()

    def flush(self) -> None:
        self._file.flush()
        self._waiting = 0

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "EventFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _append(self, payload: bytes) -> None:
        length = struct.pack("<Q", len(payload))
        self._file.write(length + _checksum(length) + payload + _checksum(payload))
        self._waiting += 1


def free_event_file(folder: Path, wall_time: float) -> Path:
    """A new name as SummaryWriter makes them: the second, who wrote it, and a number that tells files of one second apart."""
    number = 0
    while (path := folder / f"events.out.tfevents.{int(wall_time)}.splatdoctor.{number}").exists():
        number += 1
    return path


def _checksum(data: bytes) -> bytes:
    return struct.pack("<I", masked_crc32c(data))


def _float32(value: float) -> bytes:
    """Beyond the range of float32 infinity is stored, as numpy and torch do."""
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _double(number: int, value: float) -> bytes:
    return bytes([number << 3 | 1]) + struct.pack("<d", value)


def varint(value: int) -> bytes:
    """An integer as protobuf stores it; negative ones as their two's complement of 64 bits."""
    value %= 2**64
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def chunk(number: int, data: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(data)) + data

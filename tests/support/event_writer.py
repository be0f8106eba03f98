"""TensorBoard events of every kind that trainers write, whole or in parts; checksums share no code with the reader's."""

import struct
from collections.abc import Iterable

from runs.writers.events import chunk, varint


def crc32c(data: bytes) -> int:
    """Bit by bit, after RFC 3720."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def simple_value(tag: str, value: float) -> bytes:
    return chunk(1, tag.encode()) + b"\x15" + struct.pack("<f", value)


def tensor_value(tag: str, value: float, *, content: bool) -> bytes:
    """A float scalar as newer torch (float_val) and TensorFlow (tensor_content) store it."""
    data = struct.pack("<f", value)
    return chunk(1, tag.encode()) + chunk(8, b"\x08\x01\x12\x00" + chunk(4 if content else 5, data))


def event(step: int, wall_time: float, values: Iterable[bytes]) -> bytes:
    summary = b"".join(chunk(1, value) for value in values)
    return record(b"\x09" + struct.pack("<d", wall_time) + b"\x10" + varint(step) + chunk(5, summary))


def version_event() -> bytes:
    """What every event file begins with."""
    return record(b"\x09" + struct.pack("<d", 0.0) + chunk(3, b"brain.Event:2"))

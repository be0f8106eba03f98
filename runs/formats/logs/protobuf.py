"""Protocol buffer fields of one message, without its schema (protobuf.dev, "Encoding")."""

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FIXED_BYTES = {FIXED64: 8, FIXED32: 4}


class NotAMessage(ValueError):
    """The bytes are no sequence of protobuf fields."""


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field number and value in stored order: int for a varint, else the bytes as they lie. Raises NotAMessage."""
    at, end = 0, len(message)
    while at < end:
        key, at = varint(message, at)
        wire = key & 7
        if wire == VARINT:
            number, at = varint(message, at)
            yield key >> 3, number
            continue
        if wire == BYTES:
            size, at = varint(message, at)
        else:
            size = FIXED_BYTES.get(wire, end)
        if size > end - at:
            raise NotAMessage(f"field {key >> 3} of wire type {wire}")
        yield key >> 3, message[at : at + size]
        at += size


def varint(message: bytes, at: int) -> tuple[int, int]:
    """The unsigned number at `at`, and where it ends. Raises NotAMessage."""
    value = shift = 0
    for index in range(at, min(at + 10, len(message))):
        byte = message[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, index + 1
        shift += 7
    raise NotAMessage("a number that does not end")


def signed(value: int) -> int:
    """A varint of type int64 as protobuf means it (two's complement)."""
    return value - 2**64 if value >= 2**63 else value

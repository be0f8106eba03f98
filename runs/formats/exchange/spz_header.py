"""The header of a .spz file, and where its streams lie.

Versions 1 to 3 are one gzip stream: 16 bytes of header, then each attribute of all splats. Version 4 has 32 plain bytes,
extensions, a table of contents, and one zstd stream per attribute. Layout: nianticlabs/spz, load-spz.cc.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS, UNFINISHED, UNTRUSTED
from runs.arrays import U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.axes import HALF_TURN_X, Signs
from runs.formats.exchange.unpacking import GZIP, check_claim, content_bytes, gunzip
from runs.formats.splat_file import Stamp
from runs.storage import present

MAGIC = b"NGSP"
GZIP_MAGIC = b"\x1f\x8b"
OLD_HEADER_BYTES, HEADER_BYTES, ENTRY_BYTES = 16, 32, 16
NEWEST = 4
LARGEST_DEGREE, LARGEST_BITS = 4, 24
ANTIALIASED, EXTENDED = 1, 2  # bits of `flags`
EXTENSION_CAP_BYTES = 1 << 16
AXES_EXTENSION = 0xADBE0003  # SPZ_ADOBE_coordinate_system
RDF = 5  # 0-based among LDB RDB LUB RUB LDF RDF LUF RUF: bit 0 right, bit 1 up, bit 2 forward


@dataclass(frozen=True)
class SpzHeader:
    """What is known of a .spz file before its streams are unpacked."""

    path: Path
    stamp: Stamp
    version: int
    count: int
    sh_degree: int
    fractional_bits: int
    flags: int
    signs: Signs = HALF_TURN_X  # that take its axes to right-down-forward
    streams: tuple[tuple[int, int], ...] = ()  # of version 4: first byte and end of each packed stream that is not empty

    @property
    def antialiased(self) -> bool:
        return bool(self.flags & ANTIALIASED)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Unpacked bytes of positions, alphas, colours, scales, rotations and SH."""
        return stream_sizes(self.version, self.count, self.sh_degree)


def stream_sizes(version: int, count: int, sh_degree: int) -> tuple[int, ...]:
    coefficients = (sh_degree + 1) ** 2 - 1
    per_splat = (6 if version == 1 else 9, 1, 3, 3, 4 if version >= 3 else 3, 3 * coefficients)
    return tuple(count * size for size in per_splat)


def is_spz(head: bytes) -> bool:
    """Whether a file that begins with `head` is a .spz of any version."""
    if head.startswith(MAGIC):
        return True
    if not head.startswith(GZIP_MAGIC):
        return False
    try:
        return zlib.decompressobj(GZIP).decompress(head, len(MAGIC)) == MAGIC
    except zlib.error:
        return False


def read_spz_header(data: U8, path: Path, stamp: Stamp) -> SpzHeader:
    """Parse and check against the size of the file. Raises UnreadableFile or RefusedFile."""
    head, streams, table = _start(data, path, stamp)
    plain = head.version == NEWEST
    check_claim(sum(head.sizes), len(data), path)
    end = OLD_HEADER_BYTES + sum(head.sizes)  # of the streams in the older versions
    if plain:
        head = replace(head, streams=_contents(data, path, streams, table, [size for size in head.sizes if size]))
    else:
        _check_whole(data, end, path)
    if not head.flags & EXTENDED:
        return head
    return replace(head, signs=_signs(_plain_extensions(data, table) if plain else _packed_extensions(data, path, end), path))


def _start(data: U8, path: Path, stamp: Stamp) -> tuple[SpzHeader, int, int]:
    """The fields of the first bytes; then, for version 4, the number of streams and the place of the table of contents."""
    first = bytes(present(data[:HEADER_BYTES]))
    plain = first.startswith(MAGIC)
    if not plain and not first.startswith(GZIP_MAGIC):
        raise UnreadableFile(f"this is no .spz file (neither gzip nor NGSP); {EXPORT_SPLATS}", path)
    start = first if plain else bytes(gunzip(data, 0, OLD_HEADER_BYTES, path)).ljust(HEADER_BYTES, b"\0")
    if len(start) < HEADER_BYTES:
        raise UnreadableFile(f"the header of this .spz file has no end; {UNFINISHED}", path)
    magic, version, count, degree, bits, flags, streams, table = struct.unpack_from("<4sIIBBBBI", start)
    if magic != MAGIC or version not in ((NEWEST,) if plain else range(1, NEWEST)):
        raise UnreadableFile(f"this .spz file has version {version}, which is not known here; {EXPORT_SPLATS} as version 3", path)
    if degree > LARGEST_DEGREE or bits > LARGEST_BITS:
        raise RefusedFile(f"the header of this .spz file is impossible (SH degree {degree}, {bits} bits); {UNTRUSTED}", path)
    return SpzHeader(path, stamp, version, count, degree, bits, flags), streams, table


def _check_whole(data: U8, claimed: int, path: Path) -> None:
    """A gzip file of one member ends with the size of its content, modulo 2^32; any other is unpacked to be sure."""
    if int.from_bytes(bytes(present(data[-4:])), "little") == claimed % 2**32:
        return
    held = content_bytes(data, claimed, path)
    if held < claimed:
        raise UnreadableFile(f"this .spz file holds {held:,} of {claimed:,} bytes; {UNFINISHED}", path)


def _contents(data: U8, path: Path, streams: int, at: int, sizes: list[int]) -> tuple[tuple[int, int], ...]:
    """Where the packed streams lie, by the table of contents at byte `at`."""
    end = at + streams * ENTRY_BYTES
    if streams != len(sizes) or at < HEADER_BYTES:
        raise UnreadableFile(f"this .spz file lists {streams} streams where {len(sizes)} belong; {EXPORT_SPLATS}", path)
    if end > len(data):
        raise UnreadableFile(f"this .spz file ends inside its table of contents; {UNFINISHED}", path)
    table = np.frombuffer(bytes(present(data[at:end])), "<u8").reshape(streams, 2).tolist()
    if [size for _, size in table] != sizes:
        raise UnreadableFile(f"the streams of this .spz file do not fit its number of splats; {EXPORT_SPLATS}", path)
    ends = list(accumulate((packed for packed, _ in table), initial=end))
    if ends[-1] > len(data):
        raise UnreadableFile(f"this .spz file holds {len(data):,} of {ends[-1]:,} bytes; {UNFINISHED}", path)
    return tuple(pairwise(ends))


def _plain_extensions(data: U8, table: int) -> bytes:
    """What lies between the header of version 4 and its table of contents."""
    return bytes(present(data[HEADER_BYTES:min(table, HEADER_BYTES + EXTENSION_CAP_BYTES)]))


def _packed_extensions(data: U8, path: Path, streams_end: int) -> bytes:
    """What lies behind the streams of the older versions."""
    stop = content_bytes(data, streams_end + EXTENSION_CAP_BYTES, path)
    return bytes(gunzip(data, streams_end, stop, path)) if stop > streams_end else b""


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and content of each extension; a record that is cut off ends the list."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        at += 8 + size
        if at <= len(data):
            yield kind, data[at - size:at]


def _signs(extensions: bytes, path: Path) -> Signs:
    """What takes the axes of the file to right-down-forward; without an extension they are right-up-back."""
    told = [int.from_bytes(content, "little") for kind, content in _records(extensions) if kind == AXES_EXTENSION]
    if not told or told[-1] == 0:
        return HALF_TURN_X
    if told[-1] > 8:
        raise UnreadableFile(f"this .spz file has its z axis up, which cannot be read; {EXPORT_SPLATS} with the y axis up", path)
    differ = (told[-1] - 1) ^ RDF
    return tuple(-1.0 if differ >> axis & 1 else 1.0 for axis in range(3))

"""`.ksplat` files of GaussianSplats3D: sections of splats, plain (level 0) or quantised around bucket centres (1, 2).

Layout: mkkellogg/GaussianSplats3D, SplatBuffer.js; splat-transform, read-ksplat.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS, UNFINISHED, UNTRUSTED
from runs.arrays import F32, U8, Array
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.decoded import decoded_gaussians, map_unchanged, stamp_of
from runs.formats.exchange.quantised import BYTE_SH0, SATURATED, logits_of_bytes, logs_of_scales
from runs.formats.splat_file import SplatFile, Stamp
from runs.gaussians import Gaussians
from runs.storage import present

HEADER_BYTES, SECTION_BYTES = 4096, 1024
DEFAULT_SH_RANGE = (-1.5, 1.5)
WHOLE_RANGE = 32767  # of a position in its bucket, either way
HEADER = struct.Struct("<I4xIIH")  # sections, most splats, splats, level
SECTION = struct.Struct("<4IfHxxI4xIIH")
VERSION = bytes([0, 1])
FIELDS = {0: ("<f4", "<f4", "<f4"), 1: ("<u2", "<f2", "<f2"), 2: ("<u2", "<f2", "u1")}  # position, shape, SH by level
LARGEST_DEGREE = 2


@dataclass(frozen=True)
class Section:
    """Where the splats of one section lie."""

    count: int
    sh_degree: int
    bucket_size: int
    full_buckets: int
    part_buckets: int  # their lengths stand first, then the centres of all buckets
    buckets: int
    step: float  # world units per count of a quantised position
    range: int
    start: int  # first byte of the bucket lengths
    centres: int
    rows: int
    stop: int


@dataclass(frozen=True)
class ReadKsplat:
    """Reads the Gaussians of one .ksplat; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp
    level: int
    sh_range: tuple[float, float]
    sections: tuple[Section, ...]

    @property
    def count(self) -> int:
        return sum(section.count for section in self.sections)

    @property
    def sh_degree(self) -> int:
        return max((section.sh_degree for section in self.sections), default=0)

    def __call__(self) -> Gaussians:
        return decoded_gaussians(self.count, self.sh_degree, self._decode)

    def _decode(self, name: str) -> Mapping[str, F32]:
        """Opacity by `logits_of_bytes`, scale 0 by `logs_of_scales`."""
        data = map_unchanged(self.path, self.stamp, ".ksplat file")
        decode = self._sh_rest if name == "sh_rest" else self._splats
        parts = [decode(section, data) for section in self.sections]
        return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}

    def _splats(self, section: Section, data: U8) -> dict[str, F32]:
        rows = self._rows(section, data)
        return {
            "means": _means(section, rows["xyz"], data, self.path), "log_scales": logs_of_scales(rows["scale"]),
            "quats_wxyz": rows["quat"].astype(np.float32), "logit_opacities": logits_of_bytes(rows["rgba"][:, 3]),
            "sh0": BYTE_SH0[rows["rgba"][:, :3]],
        }

    def _sh_rest(self, section: Section, data: U8) -> dict[str, F32]:
        """Stored band by band, in each all of red, then green, then blue; bytes lie evenly in the range of the header."""
        stored = self._rows(section, data)["sh"].astype(np.float32)
        if self.level == 2:
            low, high = self.sh_range
            stored = np.asarray(low + stored * ((high - low) / 255), np.float32)
        out = np.zeros((section.count, (self.sh_degree + 1) ** 2 - 1, 3), np.float32)
        for band in range(1, section.sh_degree + 1):
            first, size = band * band - 1, 2 * band + 1
            block = stored[:, 3 * first:3 * (first + size)].reshape(section.count, 3, size)
            out[:, first:first + size] = block.transpose(0, 2, 1)
        return {"sh_rest": out}

    def _rows(self, section: Section, data: U8) -> Array:
        return data[section.rows:section.stop].view(row_dtype(self.level, section.sh_degree))[:section.count]


def row_dtype(level: int, sh_degree: int) -> "np.dtype[np.void]":
    place, shape, harmonics = FIELDS[level]
    terms = 3 * ((sh_degree + 1) ** 2 - 1)
    return np.dtype([("xyz", place, 3), ("scale", shape, 3), ("quat", shape, 4), ("rgba", "u1", 4), ("sh", harmonics, terms)])


def recognise(path: Path, _head: bytes) -> bool:
    return path.suffix.lower() == ".ksplat"


def look(path: Path) -> SplatFile:
    """What the headers tell, and that the file holds all sections. Raises UnreadableFile or RefusedFile."""
    stamp = stamp_of(path)
    data = map_unchanged(path, stamp, ".ksplat file", 0)
    start = _start(data, path)
    number, most, count, level = HEADER.unpack_from(start, 4)
    if level not in FIELDS:
        raise UnreadableFile(f"this .ksplat file has compression level {level}, not 0, 1 or 2; {EXPORT_SPLATS}", path)
    found = _sections(data, number, level, path)
    if sum(section.count for section in found) != count or count > most:
        raise UnreadableFile(f"the sections of this .ksplat file do not hold the {count:,} splats it claims; {UNFINISHED}", path)
    low, high = struct.unpack_from("<2f", start, 36)
    read = ReadKsplat(path, stamp, level, (low or DEFAULT_SH_RANGE[0], high or DEFAULT_SH_RANGE[1]), found)
    return SplatFile(path, "ksplat", count, read.sh_degree, stamp, read, notes=(SATURATED,), keeps_rows=False)


def _start(data: U8, path: Path) -> bytes:
    """The first header."""
    start = present(data[:HEADER_BYTES]).tobytes()
    if len(start) < HEADER_BYTES:
        raise UnreadableFile(f"this .ksplat file is shorter than its header; {UNFINISHED}", path)
    if start[:2] != VERSION:
        raise UnreadableFile(f"this is no .ksplat file of version 0.1, the only one that is known; {EXPORT_SPLATS}", path)
    return start


def _sections(data: U8, number: int, level: int, path: Path) -> tuple[Section, ...]:
    if HEADER_BYTES + number * SECTION_BYTES > len(data):
        raise UnreadableFile(f"this .ksplat file ends inside the headers of its {number:,} sections; {UNFINISHED}", path)
    if not number:
        raise UnreadableFile(f"this .ksplat file has no section; {UNFINISHED}", path)
    found, at = [], HEADER_BYTES + number * SECTION_BYTES
    for index in range(number):
        section = _section(data, HEADER_BYTES + index * SECTION_BYTES, at, level, path)
        if section.stop > len(data):
            says = f"this .ksplat file holds {len(data):,} of {section.stop:,} bytes"
            raise UnreadableFile(f"{says}; {UNFINISHED}", path)
        found.append(section)
        at = section.stop
    return tuple(found)


def _section(data: U8, header: int, start: int, level: int, path: Path) -> Section:
    told = SECTION.unpack_from(present(data[header:header + SECTION_BYTES]).data)
    count, most, bucket_size, buckets, block, bucket_bytes, span, full, part, degree = told
    span = span or (1 if level == 0 else WHOLE_RANGE)
    if degree > LARGEST_DEGREE or count > most or (level and bucket_bytes != 12) or full + part > buckets:
        raise RefusedFile(f"a section of this .ksplat file contradicts itself; {UNTRUSTED}", path)
    centres = start + 4 * part
    rows = centres + bucket_bytes * buckets
    stop = rows + most * row_dtype(level, degree).itemsize
    return Section(count, degree, bucket_size, full, part, buckets, block / 2 / span, span, start, centres, rows, stop)


def _means(section: Section, stored: Array, data: U8, path: Path) -> F32:
    if stored.dtype.kind == "f":
        return stored.astype(np.float32)
    lengths = data[section.start:section.centres].view("<u4").astype(np.int64)
    full_rows = min(section.full_buckets * section.bucket_size, section.count)
    last = np.searchsorted(np.cumsum(lengths), np.arange(section.count - full_rows), side="right") + section.full_buckets
    of_row = np.concatenate([np.arange(full_rows) // max(section.bucket_size, 1), last])
    if section.count and (of_row[-1] >= section.buckets or of_row.max() >= section.buckets):
        raise UnreadableFile(f"the buckets of this .ksplat file do not hold all its splats; {EXPORT_SPLATS}", path)
    centres = data[section.centres:section.rows].view("<f4").reshape(-1, 3)
    offsets = (stored.astype(np.float32) - section.range) * np.float32(section.step)
    return np.asarray(offsets + centres[of_row], np.float32)

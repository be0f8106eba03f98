"""The header of a PLY file: its elements, their properties and where the data begins."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Literal, cast

import numpy as np

from runs.advice import EXPORT_SPLATS, UNFINISHED
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.small_files import unreadable
from runs.formats.splat_file import Stamp
from runs.storage import ensure

HEADER_CAP_BYTES = 1 << 20
USUAL_HEADER_BYTES = 1 << 13  # an INRIA header of SH degree 3 has 1.5 KB
Encoding = Literal["ascii", "binary_little_endian", "binary_big_endian"]
ENCODINGS = ("ascii", "binary_little_endian", "binary_big_endian")

# Both spellings of each scalar type, as numpy type codes without byte order.
SCALARS = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}
_END = re.compile(rb"\n[ \t]*end_header[ \t]*\r?\n")


@dataclass(frozen=True)
class Property:
    """One property of an element; `count_code` is the type of the length before a list, None for a scalar."""

    name: str
    code: str  # numpy type code without byte order, e.g. "f4"
    count_code: str | None = None


@dataclass(frozen=True)
class Element:
    """One element: `count` rows of `properties`."""

    name: str
    count: int
    properties: tuple[Property, ...]

    @cached_property
    def has_lists(self) -> bool:
        return any(p.count_code for p in self.properties)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.properties)

    def row_dtype(self, order: str) -> "np.dtype[np.void]":
        """The packed dtype of one row without lists; `order` is "<" or ">"."""
        return np.dtype([(p.name, order + p.code) for p in self.properties])

    @cached_property
    def starts(self) -> Mapping[str, int]:
        """Byte offset of each property in a row without lists."""
        ends = list(accumulate(int(p.code[1:]) for p in self.properties))
        return dict(zip(self.names, [0, *ends], strict=False))

    @cached_property
    def least_row_bytes(self) -> int:
        """Bytes of the shortest possible binary row: every list empty."""
        return sum(int((p.count_code or p.code)[1:]) for p in self.properties)


@dataclass(frozen=True)
class Header:
    """What a PLY file says about itself before its data."""

    path: Path
    encoding: Encoding
    elements: tuple[Element, ...]
    comments: tuple[str, ...]  # comment and obj_info lines, without the keyword
    data_offset: int  # bytes
    stamp: Stamp

    def element(self, name: str) -> Element | None:
        return next((e for e in self.elements if e.name == name), None)

    @property
    def order(self) -> str:
        """numpy's byte-order sign of a binary body."""
        return ">" if self.encoding == "binary_big_endian" else "<"


def read_header(path: Path) -> Header:
    """Read the header only. Raises UnreadableFile, or RefusedFile for one that claims impossible sizes."""
    ensure(path, 0, USUAL_HEADER_BYTES)
    try:
        with path.open("rb", buffering=0) as file:
            stamp = Stamp.of(os.fstat(file.fileno()))
            start = file.read(USUAL_HEADER_BYTES)
            if not _END.search(start):
                ensure(path, len(start), HEADER_CAP_BYTES)
                start += file.read(HEADER_CAP_BYTES - len(start))
    except OSError as error:
        raise unreadable(error, path) from error
    if not start:
        raise UnreadableFile(f"this PLY file is empty; {UNFINISHED}", path)
    if not re.match(rb"ply[ \t]*\r?\n", start):
        raise UnreadableFile(f"this is not a PLY file (it does not begin with `ply`); {EXPORT_SPLATS}", path)
    lines, data_offset = _split(start, path)
    return _parse(lines, path, data_offset, stamp)


def _split(start: bytes, path: Path) -> tuple[list[str], int]:
    """The lines between `ply` and `end_header`, and the offset of the first byte after them."""
    end = _END.search(start)
    if end is None:
        if len(start) == HEADER_CAP_BYTES:
            raise UnreadableFile(f"the header of this PLY file is longer than 1 MiB; {EXPORT_SPLATS}", path)
        raise UnreadableFile(f"the header of this PLY file has no end; {UNFINISHED}", path)
    text = start[: end.start()].decode("utf-8", errors="replace")
    return [line.strip() for line in text.split("\n")][1:], end.end()


def _parse(lines: list[str], path: Path, data_offset: int, stamp: Stamp) -> Header:
    encoding: str | None = None
    elements: list[tuple[str, int, list[Property]]] = []
    comments: list[str] = []
    for line in lines:
        keyword, *words = line.split() or [""]
        if keyword in ("comment", "obj_info"):
            comments.append(line.removeprefix(keyword).strip())
        elif keyword == "format" and words:
            encoding = words[0]
        elif keyword == "element" and len(words) == 2:
            elements.append((words[0], _count(words[1], path), []))
        elif keyword == "property" and elements:
            elements[-1][2].append(_property(words, path))
        elif line:
            raise UnreadableFile(f"the header of this PLY file has a line that no PLY has (`{line[:60]}`); {EXPORT_SPLATS}", path)
    found = tuple(Element(name, count, tuple(properties)) for name, count, properties in elements)
    _check_names(found, path)
    return Header(path, _encoding(encoding, path), found, tuple(comments), data_offset, stamp)


def _encoding(word: str | None, path: Path) -> Encoding:
    if word not in ENCODINGS:
        raise UnreadableFile(f"the header of this PLY file names no known format; {EXPORT_SPLATS} as binary", path)
    return cast(Encoding, word)


def _count(word: str, path: Path) -> int:
    if not re.fullmatch(r"\d{1,18}", word):
        raise RefusedFile(f"this PLY file claims an impossible number of rows (`{word[:40]}`); {EXPORT_SPLATS}", path)
    return int(word)


def _property(words: list[str], path: Path) -> Property:
    if len(words) == 2 and words[0] in SCALARS:
        return Property(words[1], SCALARS[words[0]])
    if len(words) == 4 and words[0] == "list" and words[1] in SCALARS and words[2] in SCALARS and SCALARS[words[1]][0] != "f":
        return Property(words[3], SCALARS[words[2]], SCALARS[words[1]])
    declared = " ".join(words)[:60]
    raise UnreadableFile(f"the header of this PLY file has a property of no known type (`{declared}`); {EXPORT_SPLATS}", path)


def _check_names(elements: tuple[Element, ...], path: Path) -> None:
    for name in _doubled([e.name for e in elements]):
        raise UnreadableFile(f"this PLY file declares the element `{name}` twice; {EXPORT_SPLATS}", path)
    for element in elements:
        for name in _doubled(list(element.names)):
            raise UnreadableFile(f"this PLY file declares `{name}` of `{element.name}` twice; {EXPORT_SPLATS}", path)


def _doubled(names: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)

"""The rows of one PLY element: found and checked against the file's size before anything is allocated, then read."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS, UNFINISHED
from runs.arrays import U8, Array
from runs.errors import UnreadableFile
from runs.formats.ply.header import Element, Header
from runs.formats.ply.kernels import skip_rows
from runs.formats.small_files import unreadable
from runs.formats.splat_file import Stamp
from runs.storage import ensure, map_file

CHANGED = "this file changed after its header was read; open the run again"


@dataclass(frozen=True)
class Rows:
    """Where the rows of one element without lists lie."""

    header: Header
    element: Element
    offset: int  # bytes to the first row; for ascii, to the first element's first line

    @property
    def is_text(self) -> bool:
        return self.header.encoding == "ascii"

    @property
    def dtype(self) -> "np.dtype[np.void]":
        return self.element.row_dtype(self.header.order)


def locate(header: Header, name: str) -> Rows:
    """Find the rows of element `name`. Raises UnreadableFile when the file does not hold all of them."""
    element = header.element(name)
    if element is None:
        raise UnreadableFile(f"this PLY file has no element `{name}`; {EXPORT_SPLATS}", header.path)
    if element.has_lists:
        says = f"this PLY file stores a list in each `{name}`, which no file of splats or points does; {EXPORT_SPLATS}"
        raise UnreadableFile(says, header.path)
    if header.encoding == "ascii":
        _check_text_size(header, element)
        return Rows(header, element, header.data_offset)
    offset = header.data_offset
    for earlier in _before(header, name):
        offset += _binary_bytes(header, earlier, offset)
    _check_rows(element, element.least_row_bytes, header.stamp.size_bytes - offset, header.path)
    return Rows(header, element, offset)


def _before(header: Header, name: str) -> list[Element]:
    return list(takewhile(lambda element: element.name != name, header.elements))


def _check_rows(element: Element, row_bytes: int, held_bytes: int, path: Path) -> None:
    if element.count * row_bytes > max(held_bytes, 0):
        held = max(held_bytes, 0) // row_bytes
        raise UnreadableFile(f"this PLY holds {held:,} of {element.count:,} rows; {UNFINISHED}", path)


def _check_text_size(header: Header, element: Element) -> None:
    """Each value of a text row takes at least one digit and one blank."""
    before = sum(e.count for e in _before(header, element.name))
    held = header.stamp.size_bytes - header.data_offset - before + 1
    _check_rows(element, max(2 * len(element.properties), 1), held, header.path)


def _binary_bytes(header: Header, element: Element, offset: int) -> int:
    """Bytes of all rows of `element`, which begin at `offset`; lists are walked row by row."""
    if not element.has_lists:
        return element.count * element.least_row_bytes
    _check_rows(element, element.least_row_bytes, header.stamp.size_bytes - offset, header.path)
    ensure(header.path, offset)
    sizes = np.array([int(p.code[1:]) for p in element.properties])
    counts = np.array([int(p.count_code[1:]) if p.count_code else 0 for p in element.properties])
    taken = int(skip_rows(_map(header)[offset:], element.count, sizes, counts, header.order == ">"))
    if taken < 0:
        raise UnreadableFile(f"this PLY ends inside its `{element.name}` element; {UNFINISHED}", header.path)
    return taken


def _map(header: Header) -> U8:
    """The whole file, mapped read-only. Raises UnreadableFile when it is no longer the file whose header was read."""
    try:
        return map_file(header.path, lambda status: check_stamp(status, header))
    except OSError as error:
        raise unreadable(error, header.path) from error


def check_unchanged(header: Header) -> None:
    """Raises UnreadableFile when the file is no longer the one whose header was read."""
    try:
        check_stamp(header.path.stat(), header)
    except OSError as error:
        raise unreadable(error, header.path) from error


def check_stamp(status: os.stat_result, header: Header) -> None:
    """As `check_unchanged`, for a file that is open already."""
    if Stamp.of(status) != header.stamp:
        raise UnreadableFile(CHANGED, header.path)


def map_rows(rows: Rows) -> U8:
    """uint8 [N, stride], the packed rows of a binary file, mapped and not copied."""
    stride, count = rows.element.least_row_bytes, rows.element.count
    ensure(rows.header.path, rows.offset, rows.offset + count * stride)
    return _map(rows.header)[rows.offset:rows.offset + count * stride].reshape(count, stride)


def read_properties(rows: Rows, names: Sequence[str], dtype: type[np.floating] = np.float32) -> Array:
    """`dtype` [N, len(names)]: the named properties of any stored type and encoding. Slower than the kernels, and general."""
    out = np.empty((rows.element.count, len(names)), dtype)
    if not names or not rows.element.count:
        return out
    if rows.is_text:
        return _read_text(rows, names, dtype)
    table = map_rows(rows).reshape(-1).view(rows.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # too large for the type, and signalling NaN
        for column, name in enumerate(names):
            out[:, column] = table[name]
    return out


def _read_text(rows: Rows, names: Sequence[str], dtype: type[np.floating]) -> Array:
    header, element = rows.header, rows.element
    columns = [element.names.index(name) for name in names]
    ensure(header.path)
    try:
        with header.path.open("rb") as file, warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.simplefilter("ignore")  # an empty table is reported below, by its row count
            file.seek(rows.offset)
            for _ in range(sum(e.count for e in _before(header, element.name))):
                file.readline()
            table = np.loadtxt(file, dtype, comments=None, usecols=columns, max_rows=element.count, ndmin=2, encoding="latin-1")
    except OSError as error:
        raise unreadable(error, header.path) from error
    except (ValueError, IndexError) as error:
        says = f"this text PLY has a row that is not {len(element.names)} numbers ({error}); {EXPORT_SPLATS} as binary"
        raise UnreadableFile(says, header.path) from error
    _check_rows(element, 1, len(table), header.path)
    return table

"""Scalars of a TensorBoard event file, read without TensorBoard, TensorFlow or torch."""

import re
import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from runs.arrays import F64, I64
from runs.formats.logs.protobuf import NotAMessage, fields, signed, varint
from runs.formats.logs.tails import Tail
from runs.formats.logs.tfrecord import COPY_AGAIN, Records
from runs.notes import counted

# Field numbers of tensorflow/core/util/event.proto, summary.proto and tensor.proto.
EVENT_WALL_TIME, EVENT_STEP, EVENT_SUMMARY = 1, 2, 5
SUMMARY_VALUE, VALUE_TAG, VALUE_SIMPLE, VALUE_TENSOR = 1, 1, 2, 8
TENSOR_CONTENT = 4
TENSOR_TYPE = 1
# dtype number -> (layout of tensor_content, field of the typed list, layout of one entry there or None for a varint)
TENSOR_TYPES: Mapping[int, tuple[str, int, str | None]] = {
    1: ("<f", 5, "<f"), 2: ("<d", 6, "<d"), 3: ("<i", 7, None), 9: ("<q", 10, None),
}

FLOAT, DOUBLE = struct.Struct("<f"), struct.Struct("<d")

Logged = tuple[str, int, float, float]  # tag, step, value, wall time


@dataclass(frozen=True, eq=False)
class Scalars:
    """All values of one tag in the order of the file: after a restart steps may go backwards or repeat."""

    steps: I64  # int64 [T]
    values: F64  # float64 [T]
    wall_times: F64  # float64 [T], seconds since 1970


@dataclass(frozen=True, eq=False)
class EventFile:
    """What one pass over an event file gave."""

    scalars: Mapping[str, Scalars]  # by tag as stored
    offset: int  # pass it to the next `read_events` of the same, longer file
    notes: tuple[str, ...]


def read_events(path: Path, offset: int = 0) -> EventFile:
    """Scalars from byte `offset` on. An incomplete last record is no error: a trainer may be writing it.

    Damaged parts become notes. Raises UnreadableFile if the file cannot be opened.
    """
    return Tail(path, lambda _: Events(offset)).read()


@dataclass
class ScalarRows:
    """The values of one tag so far. `made` holds the first `len(made.steps)` of them."""

    steps: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))
    wall_times: "array[float]" = field(default_factory=lambda: array("d"))
    made: Scalars | None = None

    def add(self, step: int, value: float, wall_time: float) -> None:
        """A step beyond 64 bits counts nothing."""
        if -(2**63) <= step < 2**63:
            self.steps.append(step)
            self.values.append(value)
            self.wall_times.append(wall_time)

    def scalars(self) -> Scalars:
        if self.made is None or len(self.made.steps) != len(self.steps):
            self.made = Scalars(np.array(self.steps, np.int64), np.array(self.values), np.array(self.wall_times))
        return self.made


class Events:
    """Reads scalars as they are logged."""

    def __init__(self, offset: int = 0) -> None:
        self._records = Records(offset)
        self._rows: dict[str, ScalarRows] = {}
        self._foreign = 0

    @classmethod
    def of(cls, _source: str) -> "Events":
        return cls()

    @property
    def offset(self) -> int:
        return self._records.offset

    def advance(self, file: IO[bytes], size: int) -> None:
        for payload in self._records.read(file, size):
            try:
                for tag, step, value, wall_time in _event(payload):
                    (self._rows.get(tag) or self._rows.setdefault(tag, ScalarRows())).add(step, value, wall_time)
            except NotAMessage:
                self._foreign += 1

    def result(self) -> EventFile:
        notes = list(self._records.notes())
        if not self.offset and not notes:
            notes.append("this event file is empty; open the run again when the training has logged something")
        if self._foreign:
            notes.append(f"left out {counted(self._foreign, 'record')} of another kind than TensorBoard's; {COPY_AGAIN}")
        return EventFile({tag: rows.scalars() for tag, rows in self._rows.items()}, self.offset, tuple(notes))


def combine(files: Sequence[Mapping[str, Scalars]]) -> dict[str, Scalars]:
    """The scalars of all files of one run, by tag, in the order of wall time."""
    parts: dict[str, list[Scalars]] = {}
    for file in files:
        for tag, scalars in file.items():
            parts.setdefault(tag, []).append(scalars)
    return {tag: _in_order_of_time(some) for tag, some in parts.items()}


def _in_order_of_time(parts: list[Scalars]) -> Scalars:
    times = np.concatenate([part.wall_times for part in parts])
    order = np.argsort(times, kind="stable")
    steps = np.concatenate([part.steps for part in parts])
    values = np.concatenate([part.values for part in parts])
    return Scalars(steps[order], values[order], times[order])


# The event of one scalar as SummaryWriter.add_scalar writes it: wall time, step, and a summary of one value with tag and
# float. Nearly all events are of this form, and reading them field by field takes ten times as long.
ONE_SCALAR = re.compile(rb"\x09(.{8})\x10([\x80-\xff]{0,9}[\x00-\x7f])\x2a(.)\x0a(.)\x0a(.)(.{1,115})\x15(.{4})", re.DOTALL)


def _event(payload: bytes) -> list[Logged]:
    match = ONE_SCALAR.fullmatch(payload)
    if match is not None:
        time, step, summary, value, name, tag, scalar = match.groups()
        if (ord(name), ord(value), ord(summary)) == (len(tag), len(tag) + 7, len(tag) + 9):
            number, when = FLOAT.unpack(scalar)[0], DOUBLE.unpack(time)[0]
            return [(tag.decode("utf-8", "replace"), signed(varint(step, 0)[0]), number, when)]
    return _any_event(payload)


def _any_event(payload: bytes) -> list[Logged]:
    step, wall_time, summaries = 0, 0.0, []
    for number, value in fields(payload):
        if number == EVENT_STEP and isinstance(value, int):
            step = signed(value)
        elif number == EVENT_WALL_TIME and isinstance(value, bytes) and len(value) == 8:
            wall_time = struct.unpack("<d", value)[0]
        elif number == EVENT_SUMMARY and isinstance(value, bytes):
            summaries.append(value)
    return [(tag, step, value, wall_time) for summary in summaries for tag, value in _summary(summary)]


def _summary(message: bytes) -> Iterator[tuple[str, float]]:
    for number, value in fields(message):
        if number == SUMMARY_VALUE and isinstance(value, bytes):
            yield from _scalar(value)


def _scalar(message: bytes) -> Iterator[tuple[str, float]]:
    """Tag and value; nothing for pictures, histograms and texts."""
    tag, found = "", None
    for number, value in fields(message):
        if not isinstance(value, bytes):
            continue
        if number == VALUE_TAG:
            tag = value.decode("utf-8", "replace")
        elif number == VALUE_SIMPLE and len(value) == 4:
            found = struct.unpack("<f", value)[0]
        elif number == VALUE_TENSOR:
            found = _tensor(value)
    if found is not None:
        yield tag, found


def _tensor(message: bytes) -> float | None:
    """The value of a tensor with one element, as newer torch and TensorFlow write scalars; None for any other."""
    stored = dict(fields(message))  # of a repeated field the last counts: a scalar has one
    layout, list_field, entry = TENSOR_TYPES.get(_as_int(stored.get(TENSOR_TYPE)), ("", 0, None))
    if not layout:
        return None
    content = stored.get(TENSOR_CONTENT)
    if isinstance(content, bytes) and len(content) == struct.calcsize(layout):
        return float(struct.unpack(layout, content)[0])
    value = stored.get(list_field)
    if isinstance(value, bytes) and entry is not None:
        return float(struct.unpack(entry, value)[0]) if len(value) == struct.calcsize(entry) else None
    if isinstance(value, bytes) and value:
        packed, end = varint(value, 0)
        return float(signed(packed)) if end == len(value) else None
    return float(signed(value)) if isinstance(value, int) else None


def _as_int(value: int | bytes | None) -> int:
    return value if isinstance(value, int) else -1

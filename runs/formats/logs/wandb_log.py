"""What a training logged to Weights & Biases, from the run file that it leaves on disk, without W&B or its account."""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from runs.formats.logs.columns import as_iteration
from runs.formats.logs.protobuf import NotAMessage, fields, signed
from runs.formats.logs.tails import Tail
from runs.formats.logs.wandb_records import COPY_AGAIN, WandbRecords
from runs.formats.small_files import MIB, as_number, read_json
from runs.formats.tensorboard import ScalarRows, Scalars
from runs.notes import counted

# Field numbers of wandb/proto/wandb_internal.proto.
RECORD_HISTORY, RECORD_CONFIG, RECORD_RUN = 2, 5, 17
HISTORY_ITEM, HISTORY_STEP, STEP_NUM = 1, 2, 1
ITEM_KEY, ITEM_NESTED_KEY, ITEM_INTEGER, ITEM_NUMBER, ITEM_JSON = 1, 2, 5, 6, 16
RUN_CONFIG, CONFIG_UPDATE = 4, 1
# Keys by which a training tells its own count; W&B's `_step` counts calls where the trainer names no step.
STEPS = ("global_step", "trainer/global_step", "iteration", "_step")

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class WandbFile:
    """What one pass over a run file gave."""

    scalars: Mapping[str, Scalars]  # by key, nested keys joined by "."
    config: Mapping[str, Any]  # the settings that the trainer handed to W&B
    notes: tuple[str, ...]


def read_wandb(path: Path) -> WandbFile:
    """Numbers by key. A key "group/name" is counted by "group/step" where the same row holds it. Raises UnreadableFile."""
    return Tail(path, WandbRun).read()


def read_summary(path: Path) -> dict[str, Scalars]:
    """`files/wandb-summary.json`: the last value of each key, for a run whose run file is gone. Raises UnreadableFile."""
    stored = read_json(path, 16 * MIB)
    rows: dict[str, ScalarRows] = {}
    for key, step, value, time in _values(stored if isinstance(stored, dict) else {}, None):
        rows.setdefault(key, ScalarRows()).add(step, value, time)
    return {key: some.scalars() for key, some in rows.items()}


class WandbRun:
    """Reads rows of history as they are logged."""

    def __init__(self, _source: str) -> None:
        self._records = WandbRecords()
        self._rows: dict[str, ScalarRows] = {}
        self._config: dict[str, Any] = {}
        self._foreign = 0

    @property
    def offset(self) -> int:
        return self._records.offset

    def advance(self, file: IO[bytes], size: int) -> None:
        for record in self._records.read(file, size):
            try:
                self._add(record)
            except NotAMessage:
                self._foreign += 1

    def result(self) -> WandbFile:
        notes = list(self._records.notes())
        if self._foreign:
            notes.append(f"left out {counted(self._foreign, 'record')} of another kind than W&B's; {COPY_AGAIN}")
        return WandbFile({key: rows.scalars() for key, rows in self._rows.items()}, dict(self._config), tuple(notes))

    def _add(self, record: bytes) -> None:
        for number, value in fields(record):
            if not isinstance(value, bytes):
                continue
            if number == RECORD_HISTORY:
                row, step = _history(value)
                for key, iteration, scalar, time in _values(row, step):
                    self._rows.setdefault(key, ScalarRows()).add(iteration, scalar, time)
            elif number == RECORD_CONFIG:
                self._config |= _items(value, CONFIG_UPDATE)
            elif number == RECORD_RUN:
                for inner, config in fields(value):
                    if inner == RUN_CONFIG and isinstance(config, bytes):
                        self._config |= _items(config, CONFIG_UPDATE)


def _history(message: bytes) -> tuple[Row, int | None]:
    step = next((dict(fields(value)).get(STEP_NUM, 0) for number, value in fields(message)
                 if number == HISTORY_STEP and isinstance(value, bytes)), None)
    return _items(message, HISTORY_ITEM), signed(step) if isinstance(step, int) else None


def _items(message: bytes, item: int) -> Row:
    found = (_item(value) for number, value in fields(message) if number == item and isinstance(value, bytes))
    return {key: value for key, value in found if key}


def _item(message: bytes) -> tuple[str, Any]:
    keys: list[str] = []
    value: Any = None
    for number, stored in fields(message):
        if number in (ITEM_KEY, ITEM_NESTED_KEY) and isinstance(stored, bytes) and stored:
            keys.append(stored.decode("utf-8", "replace"))
        elif number == ITEM_JSON and isinstance(stored, bytes):
            value = _json(stored)
        elif number == ITEM_NUMBER and isinstance(stored, bytes) and len(stored) == 8:
            value = struct.unpack("<d", stored)[0]
        elif number == ITEM_INTEGER and isinstance(stored, int):
            value = (stored >> 1) ^ -(stored & 1)  # sint64 is stored in zigzag
    return ".".join(keys), value


def _json(stored: bytes) -> Any:
    try:
        return json.loads(stored)
    except (ValueError, RecursionError):
        return None


def _values(row: Mapping[str, Any], step: int | None) -> Iterator[tuple[str, int, float, float]]:
    """Key, step, value and wall time of each number in a row that is counted by something."""
    common = next((count for name in STEPS if (count := as_iteration(row.get(name))) is not None), step)
    time = as_number(row.get("_timestamp")) or 0.0
    for key, value in row.items():
        own = as_iteration(row.get(f"{key.rpartition('/')[0]}/step")) if "/" in key else None
        count, number = common if own is None else own, as_number(value)
        if number is not None and count is not None and not _is_count(key):
            yield key, count, number, time


def _is_count(key: str) -> bool:
    return key.startswith("_") or key in STEPS or key.endswith("/step")

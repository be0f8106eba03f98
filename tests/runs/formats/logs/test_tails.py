"""A log that is followed for hours: whatever the pieces in which it grows, the result is that of one reading; memory is flat."""

import gc
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.errors import UnreadableFile
from runs.formats.logs import tails
from runs.formats.logs.metrics import JsonLines
from runs.formats.logs.metrics_csv import CsvRows
from runs.formats.logs.tails import Parser, Tail, tail_of
from runs.formats.logs.textlog import LogReader
from runs.formats.tensorboard import Events
from runs.notes import NoteBook
from runs.series import Series
from runs.trainers.shared.logged import Logged
from tests.support.event_writer import event, simple_value

JSONL = b"".join(b'{"it": %d, "l1": %r, "view": "%s"}\r\n' % (i, 1 / i, b"ab"[i % 2 : i % 2 + 1]) for i in range(1, 20)) + b"!\n"
CSV = b"iteration,psnr,time_per_image\n" + b"".join(b"%d,%f,0.1\n" % (i, 20 + i) for i in range(20)) + b"9,\n"
TEXT = (
    b"Number of points at initialisation : 5\n\rTraining progress: 1%| | 10/100 [00:01<00:02, 9.5it/s, Loss=0.5]"
    b"\rTraining progress: 2%| | 20/100 [00:01<00:02, 9.5it/s, Loss=0.25]Traceback (most recent call last):\n"
    b'  File "train.py", line 7, in training\nRuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 8.00 GiB '
    b"total capacity)\r\n[ITER 30] Evaluating test: L1 0.125 PSNR 25.5 [x]\nStep 40: 7 GSs pruned. Now having 9 GSs.\n"
    b"loss is nan\nKilled\n"
)
EVENTS = b"".join(event(i, float(i), [simple_value("iter_time", i), simple_value("total_points", i * i)]) for i in range(1, 20))

KINDS = [("a.jsonl", JSONL, JsonLines), ("a.csv", CSV, CsvRows), ("a.log", TEXT, LogReader), ("a.tfevents.1", EVENTS, Events.of)]
PARAMETERS = pytest.mark.parametrize(("name", "content", "make"), [pytest.param(*kind, id=kind[0]) for kind in KINDS])


def told(result: Any) -> Any:
    """What a result says, as plain values."""
    if hasattr(result, "scalars"):
        return [(tag, s.steps.tolist(), s.values.tolist(), s.wall_times.tolist()) for tag, s in result.scalars.items()]
    series = {n: (s.iterations.tolist(), s.values.tolist(), s.unit, s.source, s.labels) for n, s in result.series.items()}
    return series, getattr(result, "events", ()), result.notes


@PARAMETERS
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_however_a_file_grows_the_end_is_that_of_one_reading(
    name: str, content: bytes, make: Callable[[str], Parser[Any]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Cut at any bytes: inside a number, between the two bytes of a line end, inside a checksum."""
    path = tmp_path_factory.mktemp("run") / name
    cuts = sorted(data.draw(st.lists(st.integers(len(b"iteration,psnr,time_per_image\n"), len(content)), max_size=12)))
    path.write_bytes(b"")
    if name.endswith(".csv"):
        path.write_bytes(content[: len(b"iteration,psnr,time_per_image\n")])
    tail = Tail(path, make)
    results = [tail.read()]
    for cut in [*cuts, len(content)]:
        path.write_bytes(content[:cut])
        results.append(tail.read())
    whole = told(Tail(path, make).read())
    assert told(results[-1]) == whole
    assert told(tail.read()) == whole


@PARAMETERS
def test_no_value_is_told_before_its_last_byte_is_there(
    name: str, content: bytes, make: Callable[[str], Parser[Any]], tmp_path: Path,
) -> None:
    """PSNR 2 is not PSNR 25.5: at every cut, each value is one of the whole file."""
    path = tmp_path / name
    path.write_bytes(content)
    whole = Tail(path, make).read()
    for cut in range(len(b"iteration,psnr,time_per_image\n"), len(content)):
        path.write_bytes(content[:cut])
        part = Tail(path, make).read()
        for group in ("series", "scalars"):
            for key, some in getattr(part, group, {}).items():
                true = getattr(whole, group)[key]
                at = "iterations" if group == "series" else "steps"
                assert set(pairs(some, at)) <= set(pairs(true, at)), (cut, key)


def pairs(some: Any, at: str) -> list[tuple[int, str]]:
    labels = getattr(some, "labels", ())
    values = [labels[int(value)] for value in some.values] if labels else some.values.tolist()
    return list(zip(getattr(some, at).tolist(), map(str, values), strict=True))


@PARAMETERS
def test_another_file_in_its_place_is_read_anew(
    name: str, content: bytes, make: Callable[[str], Parser[Any]], tmp_path: Path,
) -> None:
    """Shorter, replaced under its name, or longer with another beginning: nothing of the old one may stay."""
    path = tmp_path / name
    half = content[: len(content) // 2]
    for other in (half, content, half + content, content):
        path.write_bytes(content + content)
        tail = Tail(path, make)
        tail.read()
        replacement = tmp_path / "new"
        replacement.write_bytes(other)
        replacement.replace(path)
        assert told(tail.read()) == told(Tail(path, make).read())
    path.write_bytes(content)
    tail = Tail(path, make)
    tail.read()
    path.write_bytes(content[:31] + content[60:] + content)  # the same file, written anew, longer
    assert told(tail.read()) == told(Tail(path, make).read())


def test_only_new_bytes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log of an hour must not be read from its beginning every two seconds."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(JSONL * 1000)
    tail = Tail(path, JsonLines)
    tail.read()
    taken: list[int] = []
    chunks = tails.chunks
    monkeypatch.setattr("runs.formats.logs.metrics.chunks", lambda *args: (taken.append(len(c)) or c for c in chunks(*args)))
    with path.open("ab") as file:
        file.write(b'{"it": 99, "l1": 0.5}\n')
    assert tail.read().series["loss/l1"].at(99) == 0.5
    assert tail.read().series["loss/l1"].at(99) == 0.5
    assert taken == [len(b'{"it": 99, "l1": 0.5}\n')]


def test_a_look_goes_on_from_where_anyone_ended_and_no_longer_than_someone_cares(tmp_path: Path) -> None:
    """The run that is reopened advances the same tails; a run that was closed keeps nothing."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(JSONL)
    first = Logged(tmp_path, NoteBook())
    held: Series = first.series["loss/l1"]
    assert tail_of(path, JsonLines) is first._tails[0]
    with path.open("ab") as file:
        file.write(b'{"it": 99, "l1": 0.5}\n')
    second = Logged(tmp_path, NoteBook())
    assert len(second.series["loss/l1"]) == len(held) + 1 == len(first.series["loss/l1"]) + 1
    assert second._tails[0] is first._tails[0]
    before = first._tails[0]
    del first, second
    gc.collect()
    assert tail_of(path, JsonLines) is before
    del before
    gc.collect()
    assert tail_of(path, JsonLines)._parser is None


def test_a_file_that_goes_and_comes_back_is_read(tmp_path: Path) -> None:
    """A training that starts again deletes its logs first."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(JSONL)
    tail = Tail(path, JsonLines)
    tail.read()
    path.unlink()
    with pytest.raises(UnreadableFile):
        tail.read()
    path.write_bytes(JSONL[:40])
    assert told(tail.read()) == told(Tail(path, JsonLines).read())


def test_a_log_of_hours_costs_its_numbers_and_nothing_else(tmp_path: Path) -> None:
    """Thousands of appends, and a look at every 25th: what stays is 16 bytes a number, 24 an event, and the last curves."""
    book = NoteBook()
    lines, records, bar = tmp_path / "a.jsonl", tmp_path / "events.out.tfevents.1.h", tmp_path / "train.log"
    files = [path.open("ab", buffering=0) for path in (lines, records, bar)]
    kept: Logged | None = None

    def look(step: int) -> None:
        nonlocal kept
        files[0].write(b'{"it": %d, "l1": 0.25}\n' % step)
        files[1].write(event(step, float(step), [simple_value("iter_time", step)]))
        files[2].write(b"\rTraining progress: 1%%| | %d/90000 [00:01<00:02, 9.5it/s, Loss=0.5]" % step)
        if step % 25 == 0:
            fresh = Logged(tmp_path, book)
            assert len(fresh.series["loss/l1"]) == step
            kept = fresh

    for step in range(1, 1_001):
        look(step)
    gc.collect()
    tracemalloc.start()
    for step in range(1_001, 5_001):
        look(step)
    gc.collect()
    grown, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for file in files:
        file.close()
    assert kept is not None
    series = kept.series
    assert [len(series[name]) for name in ("loss/l1", "iter_time", "loss/total_ema", "iter_rate")] == [5_000] * 4
    columns = 4_000 * (16 + 24 + 16 + 16)  # of the parsers: two arrays or three
    shown = 5_000 * 16 * 4 + 5_000 * 24  # of the curves that the last look made, which replace smaller ones
    assert grown < 1.3 * (columns + shown) + 100_000
    assert os.path.getsize(lines) > 100_000

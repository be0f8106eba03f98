"""Event files grow while they are read and outlive crashes: every complete record counts, no byte may bring the reader down."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import UnreadableFile
from runs.formats import tensorboard
from runs.formats.logs.crc32c import crc32c
from runs.formats.logs.protobuf import NotAMessage
from runs.formats.logs.tfrecord import LARGEST_KEPT
from runs.formats.tensorboard import combine, read_events
from runs.writers.events import chunk
from tests.support.data import shared_data
from tests.support.event_writer import event, masked, record, simple_value, tensor_value, version_event

float32 = st.floats(width=32)
rows = st.lists(
    st.tuples(st.integers(0, 2**40), st.sampled_from(["a/b", "train_loss_patches/l1_loss", "ä"]), float32), max_size=12
)


def written(folder: Path, *records: bytes) -> Path:
    path = folder / "events.out.tfevents.1.host"
    path.write_bytes(b"".join(records))
    return path


def encoded(row: tuple[int, str, float]) -> bytes:
    step, tag, value = row
    return event(step, 1e9 + step, [simple_value(tag, value)])


def flat(path: Path, offset: int = 0) -> list[tuple[str, int, float]]:
    found = read_events(path, offset)
    return [
        (tag, int(step), float(value))
        for tag, some in found.scalars.items()
        for step, value in zip(some.steps, some.values, strict=True)
    ]


def expected(some: list[tuple[int, str, float]]) -> list[tuple[str, int, float]]:
    tags = dict.fromkeys(tag for _, tag, _ in some)
    return [(tag, step, value) for tag in tags for step, other, value in some if other == tag]


def same(found: list[tuple[str, int, float]], wanted: list[tuple[str, int, float]]) -> bool:
    """Equal, where NaN equals NaN."""
    return str(found) == str(wanted)


def test_checksum_is_castagnolis() -> None:
    """The check value that every catalogue of CRCs gives."""
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"\0" * 32) == 0x8A9136AA  # RFC 3720, B.4


@given(rows)
def test_what_was_logged_is_read(tmp_path_factory: pytest.TempPathFactory, some: list[tuple[int, str, float]]) -> None:
    """Values, steps and order survive, NaN and infinity included."""
    path = written(tmp_path_factory.mktemp("run"), version_event(), *map(encoded, some))
    assert same(flat(path), expected(some))
    assert read_events(path).offset == path.stat().st_size
    assert read_events(path).notes == ()


def test_a_record_that_is_not_yet_whole_is_waited_for_in_silence(tmp_path: Path) -> None:
    """A live file is met at any byte: neither a damage nor a value may be told before the record's last byte is there."""
    first, second = encoded((1, "a", 1.0)), encoded((2, "a", 2.0))
    for cut in range(len(second)):
        path = written(tmp_path, first, second[:cut])
        found = read_events(path)
        assert (found.offset, found.notes) == (len(first), ())
        assert flat(path) == [("a", 1, 1.0)]


@given(rows, st.data())
def test_a_growing_file_is_continued_where_it_ended(
    tmp_path_factory: pytest.TempPathFactory, some: list[tuple[int, str, float]], data: st.DataObject
) -> None:
    """Cut anywhere, then completed: the two readings together equal one reading of the whole."""
    path = written(tmp_path_factory.mktemp("run"), version_event(), *map(encoded, some))
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    first = flat(path)
    offset = read_events(path).offset
    path.write_bytes(whole)
    rest = flat(path, offset)
    assert sorted(map(str, first + rest)) == sorted(map(str, expected(some)))


@given(rows, st.data())
def test_damage_never_escapes(
    tmp_path_factory: pytest.TempPathFactory, some: list[tuple[int, str, float]], data: st.DataObject
) -> None:
    """Any bytes over any place: what stands before stays readable, and damage that changes a record is noted."""
    path = written(tmp_path_factory.mktemp("run"), version_event(), *map(encoded, some))
    raw = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at : at + 4] = data.draw(st.binary(min_size=1, max_size=8))
    path.write_bytes(raw)
    found = read_events(path)
    assert found.offset <= len(raw)
    assert {str(row) for row in flat(path)} <= {str(row) for row in expected(some)}


@given(rows.filter(bool), st.data())
def test_the_short_way_reads_what_the_long_way_reads(some: list[tuple[int, str, float]], data: st.DataObject) -> None:
    """Nearly all events are of one form and are read at once: with any byte changed, both ways must agree."""
    payload = bytearray(encoded(some[0])[12:-4])
    payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    results = []
    for read in (tensorboard._event, tensorboard._any_event):
        try:
            results.append(str(read(bytes(payload))))
        except NotAMessage:
            results.append("no message")
    assert results[0] == results[1]


@given(st.binary(max_size=300))
def test_any_payload_with_a_right_checksum_is_survived(tmp_path_factory: pytest.TempPathFactory, payload: bytes) -> None:
    """A checksum says that bytes arrived, not that they are an event."""
    found = read_events(written(tmp_path_factory.mktemp("run"), record(payload), encoded((1, "a", 2.0))))
    assert found.scalars["a"].values[-1] == 2.0


@pytest.mark.parametrize("content", [True, False])
def test_newer_writers_store_scalars_as_tensors(tmp_path: Path, content: bool) -> None:
    """TensorFlow 2 and torch's new style."""
    path = written(tmp_path, event(3, 5.0, [tensor_value("loss", 0.25, content=content), simple_value("other", 1.0)]))
    assert flat(path) == [("loss", 3, 0.25), ("other", 3, 1.0)]


@pytest.mark.parametrize(
    ("tensor", "value"),
    [
        (b"\x08\x02" + chunk(6, struct.pack("<d", 0.1)), 0.1),
        (b"\x08\x03" + chunk(7, b"\x05"), 5),
        (b"\x08\x03\x38\x05", 5),
        (b"\x08\x09" + chunk(10, b"\xff" * 9 + b"\x01"), -1),
        (b"\x08\x01\x2d" + struct.pack("<f", 0.5), 0.5),
    ],
)
def test_tensor_types(tmp_path: Path, tensor: bytes, value: float) -> None:
    """double, int32 packed and not, a negative int64, and an unpacked float."""
    path = written(tmp_path, event(1, 0.0, [chunk(1, b"t") + chunk(8, tensor)]))
    assert flat(path) == [("t", 1, value)]


def test_vectors_and_texts_are_no_scalars(tmp_path: Path) -> None:
    """A histogram's first number is not the value of anything."""
    two_floats = chunk(1, b"v") + chunk(8, b"\x08\x01" + chunk(5, struct.pack("<ff", 1, 2)))
    text = chunk(1, b"t") + chunk(8, b"\x08\x07" + chunk(8, b"hello"))
    assert flat(written(tmp_path, event(1, 0.0, [two_floats, text]))) == []


def test_pictures_are_skipped_without_being_read(tmp_path: Path) -> None:
    """INRIA logs renders into the same file: hundreds of megabytes."""
    picture = event(7, 0.0, [chunk(1, b"view/render") + chunk(4, b"\x22" + b"x" * LARGEST_KEPT)])
    assert flat(written(tmp_path, encoded((1, "a", 1.0)), picture, encoded((8, "a", 2.0)))) == [("a", 1, 1.0), ("a", 8, 2.0)]


@pytest.mark.parametrize(("spare", "kept"), [(0, True), (-1, False)])
def test_the_largest_event_that_is_read(spare: int, kept: bool, tmp_path: Path) -> None:
    """An event of exactly the limit counts; one byte more is taken for a picture, and what follows is read either way."""
    def filled(count: int) -> bytes:
        return event(7, 0.0, [simple_value("a", 1.0), chunk(1, chunk(1, b"p" * count))])

    frame = 16  # length, payload and two checksums: what `record` puts around the payload
    count = next(n for n in range(LARGEST_KEPT, 0, -1) if len(filled(n)) - frame <= LARGEST_KEPT) - spare
    assert len(filled(count)) - frame == LARGEST_KEPT - spare
    assert flat(written(tmp_path, filled(count), encoded((8, "b", 2.0)))) == [("a", 7, 1.0)] * kept + [("b", 8, 2.0)]


def test_an_empty_file_is_noted(tmp_path: Path) -> None:
    """A trainer that has just started, or died at once."""
    found = read_events(written(tmp_path))
    assert (dict(found.scalars), found.offset) == ({}, 0)
    assert found.notes == ("this event file is empty; open the run again when the training has logged something",)


def test_absurd_length_is_refused(tmp_path: Path) -> None:
    """A right checksum over a length of 2^63 must not wait for exabytes."""
    good = encoded((1, "a", 1.0))
    huge = struct.pack("<Q", 2**63)
    found = read_events(written(tmp_path, good, huge + masked(huge) + b"x" * 50))
    assert found.offset == len(good)
    assert found.notes == (
        f"this event file is damaged at byte {len(good)} and was read up to there; copy it again from where the training ran",
    )
    assert list(found.scalars) == ["a"]


def test_a_damaged_payload_costs_one_record(tmp_path: Path) -> None:
    """The length is still right, so the next record is found."""
    bad = bytearray(encoded((2, "a", 2.0)))
    bad[-6] ^= 1
    found = read_events(written(tmp_path, encoded((1, "a", 1.0)), bytes(bad), encoded((3, "a", 3.0))))
    np.testing.assert_array_equal(found.scalars["a"].steps, [1, 3])
    assert found.notes == ("left out 1 event with a wrong checksum; copy it again from where the training ran",)


def test_several_files_join_in_order_of_time(tmp_path: Path) -> None:
    """A restarted training writes a second file beside the first, and file names do not sort by time."""
    early = read_events(written(tmp_path, event(1, 10.0, [simple_value("a", 1)]), event(2, 11.0, [simple_value("a", 2)])))
    late = read_events(written(tmp_path, event(2, 20.0, [simple_value("a", 5)]), event(3, 21.0, [simple_value("b", 3)])))
    joined = combine([late.scalars, early.scalars])
    np.testing.assert_array_equal(joined["a"].values, [1, 2, 5])
    np.testing.assert_array_equal(joined["b"].steps, [3])


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    """Event files vanish when a run is cleaned up."""
    with pytest.raises(UnreadableFile, match="No such file"):
        read_events(tmp_path / "gone")


def test_real_run() -> None:
    """Written by a real training."""
    (path,) = shared_data("runs", "fox-a").glob("events.out.tfevents.*")
    found = read_events(path)
    assert found.notes == ()
    assert found.offset == path.stat().st_size
    assert len(found.scalars["train_loss_patches/l1_loss"].steps) == 301
    assert found.scalars["test/loss_viewpoint - psnr"].values[-1] == pytest.approx(29.034601774615954, abs=1e-5)


def test_what_tensorboard_itself_wrote_is_read() -> None:
    """Our own writer shares our idea of the format; this file does not (tests/runs/foreign/README.md)."""
    folder = Path(__file__).parents[1] / "foreign" / "tensorboard"
    found = read_events(next(folder.glob("events.out.tfevents.*")))
    truth = json.loads((folder / "values.json").read_text("utf-8"))
    assert found.notes == ()
    assert found.scalars.keys() == truth.keys()
    for tag, rows in truth.items():
        steps, values = zip(*rows, strict=True)
        np.testing.assert_array_equal(found.scalars[tag].steps, steps)
        np.testing.assert_array_equal(found.scalars[tag].values, values)
        np.testing.assert_array_equal(found.scalars[tag].wall_times, 1.7e9 + np.array(steps))

"""The event file must be one to TensorBoard, whole record by whole record, while it grows."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.formats.tensorboard import read_events
from runs.writers.events import EventFile, free_event_file
from tests.support.event_writer import event, simple_value, version_event

ROWS = st.lists(st.tuples(st.integers(-3, 2**40), st.sampled_from(["a", "train/l1", "ä"]), st.floats(width=32)), max_size=12)


@settings(max_examples=30, deadline=None)
@given(rows=ROWS)
def test_scalars_come_back(rows: list[tuple[int, str, float]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Through our reader, and byte for byte as a writer with its own checksum makes them."""
    path = tmp_path_factory.mktemp("tb") / "events.out.tfevents.1.x"
    with EventFile(path, 0.0) as file:
        for step, tag, value in rows:
            file.add(step, 2.5, {tag: value})
    assert path.read_bytes() == version_event() + b"".join(event(step, 2.5, [simple_value(tag, v)]) for step, tag, v in rows)
    found = read_events(path).scalars
    for tag in {tag for _, tag, _ in rows}:
        np.testing.assert_array_equal(found[tag].steps, [step for step, name, _ in rows if name == tag])
        np.testing.assert_array_equal(found[tag].values, [value for _, name, value in rows if name == tag])


def test_tensorboard_reads_it(tmp_path: Path) -> None:
    """The program that the file is made for."""
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="TensorBoard is a peer for proofs, where installed",
    )
    with EventFile(free_event_file(tmp_path, 1.7e9), 1.7e9) as file:
        file.add(7, 1.7e9 + 1, {"train/l1loss": 0.125, "val/psnr": 30.0})
    read = accumulator.EventAccumulator(str(tmp_path)).Reload()
    assert [(e.step, e.value) for e in read.Scalars("val/psnr")] == [(7, 30.0)]


def test_a_reader_follows_the_growing_file(tmp_path: Path) -> None:
    """After a flush everything added is there; nothing before is read again."""
    path = free_event_file(tmp_path, 5.0)
    with EventFile(path, 5.0) as file:
        first = read_events(path)
        assert first.notes == ()
        file.add(1, 6.0, {"a": 1e39})
        file.flush()
        assert read_events(path, first.offset).scalars["a"].values.tolist() == [np.inf]
        assert free_event_file(tmp_path, 5.5) != path

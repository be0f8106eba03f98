"""Weights & Biases leaves its history on the disk of the training: the values must be those that W&B itself wrote there."""

import json
import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.errors import UnreadableFile
from runs.formats.logs.tails import Tail
from runs.formats.logs.wandb_log import WandbRun, read_summary, read_wandb
from runs.formats.logs.wandb_records import BLOCK_BYTES, FIRST, FULL, HEADER, LARGEST_KEPT, LAST, MIDDLE
from runs.notes import NoteBook
from runs.tags import NERFSTUDIO_TAGS, SPLATAM_TAGS
from runs.trainers.shared.logged import Logged
from runs.writers.events import chunk, varint
from tests.support.exchange import FOREIGN

RUN = FOREIGN / "wandb_run"  # written by wandb itself: see its README
(REAL,) = RUN.glob("wandb/offline-run-*/run-*.wandb")


def written(path: Path, *records: bytes) -> Path:
    """Records in blocks, as LevelDB's log format has it."""
    out = bytearray(HEADER)
    for record in records:
        first = True
        while True:
            left = BLOCK_BYTES - len(out) % BLOCK_BYTES
            if left < 7:
                out += bytes(left)
                left = BLOCK_BYTES
            part, record = record[: left - 7], record[left - 7 :]
            kind = bytes([(FULL if first else LAST) if not record else FIRST if first else MIDDLE])
            out += struct.pack("<IH", zlib.crc32(kind + part), len(part)) + kind + part
            first = False
            if not record:
                break
    path.write_bytes(bytes(out))
    return path


def row(step: int, **values: object) -> bytes:
    """One record of history, as W&B writes it: every key nested, every value as JSON."""
    items = {**values, "_step": step, "_timestamp": 1e9 + step}
    told = b"".join(chunk(1, chunk(2, key.encode()) + b"\x82\x01" + varint(len(text)) + text)
                    for key, value in items.items() for text in [json.dumps(value).encode()])
    return chunk(2, told + chunk(2, b"\x08" + varint(step)))


def test_what_wandb_wrote_is_read() -> None:
    """Values, steps, NaN, infinity, nested keys, and a metric with a step of its own, across the border of two blocks."""
    found = read_wandb(REAL)
    steps = np.arange(0, 1000, 10)
    assert found.notes == ()
    np.testing.assert_array_equal(found.scalars["Train Loss"].steps, [*steps, 1000])
    np.testing.assert_array_equal(found.scalars["Train Loss"].values, [*(1 / (steps + 1)), np.nan])
    np.testing.assert_array_equal(found.scalars["Train Metrics Dict/psnr"].values, 20 + steps / 10)
    assert (np.diff(found.scalars["Train Loss"].wall_times) >= 0).all()
    assert found.scalars["GPU Memory (MB)"].values.tolist() == [np.inf]
    assert [found.scalars[key].values.tolist() for key in ("nested.a", "nested.b.c")] == [[1.5], [2]]
    mapping = found.scalars["Mapping/Number of Gaussians"]
    assert (mapping.steps.tolist(), mapping.values.tolist()) == ([0, 5, 10], [500, 501, 502])
    assert {key: found.config[key] for key in ("sh_degree", "lambda_dssim")} == {"sh_degree": 3, "lambda_dssim": 0.2}
    assert not {key for key in found.scalars if key.startswith("_") or key.endswith("/step") or key == "note"}


def test_a_run_logged_to_wandb_has_curves_and_a_log() -> None:
    """Tags mean what they mean in TensorBoard; the console's output lies beside."""
    book = NoteBook()
    logged = Logged(RUN, book, tags=NERFSTUDIO_TAGS, first_step=0)
    assert logged.series["loss/total"].at(11) == 1 / 11
    assert logged.series["num_gaussians"].iterations[-1] == 991
    assert logged.series["loss/total"].at(100) == 0.25  # of output.log, where the finer record has none
    assert logged.config["sh_degree"] == 3
    assert list(book) == []
    frames = Logged(RUN, NoteBook(), tags=SPLATAM_TAGS).series["num_gaussians"]
    assert frames.iterations.tolist() == [0, 5, 10]


def test_cut_anywhere_it_gives_what_is_whole_and_then_goes_on(tmp_path: Path) -> None:
    """A live file is met at any byte, also inside a record that lies in two blocks."""
    raw = REAL.read_bytes()
    whole = read_wandb(REAL)
    path = tmp_path / "run-1.wandb"
    path.write_bytes(b"")
    tail = Tail(path, WandbRun)
    sizes = [0, 3, 7, 100, *range(4000, len(raw), 9973), BLOCK_BYTES - 3, BLOCK_BYTES, BLOCK_BYTES + 5, len(raw)]
    last = -1
    for size in sorted(sizes):
        path.write_bytes(raw[:size])
        found = tail.read()
        count = len(found.scalars["Train Loss"].steps) if "Train Loss" in found.scalars else 0
        assert (found.notes, count >= last) == ((), True)
        last = count
    assert {key: some.values.tobytes() for key, some in found.scalars.items()} == {
        key: some.values.tobytes() for key, some in whole.scalars.items()
    }


@settings(max_examples=50, deadline=None)
@given(st.integers(0, REAL.stat().st_size - 1), st.binary(min_size=1, max_size=12))
def test_damage_costs_what_it_hits_and_never_escapes(
    tmp_path_factory: pytest.TempPathFactory, at: int, damage: bytes
) -> None:
    """Every value that is given is one that W&B wrote."""
    raw = bytearray(REAL.read_bytes())
    raw[at : at + len(damage)] = damage
    path = tmp_path_factory.mktemp("run") / "run-1.wandb"
    path.write_bytes(raw)
    found, true = read_wandb(path), read_wandb(REAL)
    for key, some in found.scalars.items():
        assert set(zip(some.steps.tolist(), map(str, some.values), strict=True)) <= set(
            zip(true.scalars[key].steps.tolist(), map(str, true.scalars[key].values), strict=True)
        )


def test_a_damaged_piece_costs_one_row_and_is_told(tmp_path: Path) -> None:
    """The next piece is found by the length of the broken one."""
    path = written(tmp_path / "a.wandb", row(1, loss=1.0), row(2, loss=2.0), row(3, loss=3.0))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"2.0")] = ord("9")
    path.write_bytes(raw)
    found = read_wandb(path)
    assert found.scalars["loss"].steps.tolist() == [1, 3]
    assert found.notes == (
        "left out 1 piece of this W&B file with a wrong checksum; copy it again from where the training ran",
    )


def test_after_a_length_that_cannot_be_the_next_block_is_read(tmp_path: Path) -> None:
    """One broken length must not cost the hours that follow it."""
    path = written(tmp_path / "a.wandb", row(1, loss=1.0), *(row(step, loss=step, pad="x" * 3000) for step in range(2, 40)))
    raw = bytearray(path.read_bytes())
    raw[len(HEADER) + 4 : len(HEADER) + 6] = b"\xff\xff"
    path.write_bytes(raw)
    found = read_wandb(path)
    assert found.scalars["loss"].steps[0] > 2
    assert found.scalars["loss"].steps[-1] == 39
    assert len(found.notes) == 1


def test_a_table_of_megabytes_is_passed_over(tmp_path: Path) -> None:
    """Pictures and tables are logged into the same file."""
    path = written(tmp_path / "a.wandb", row(1, table="x" * (LARGEST_KEPT + 50_000), loss=7.0), row(2, loss=2.0))
    found = read_wandb(path)
    assert (found.scalars["loss"].steps.tolist(), found.notes) == ([2], ())


def test_another_file_is_told(tmp_path: Path) -> None:
    """A renamed file must not be silence."""
    (tmp_path / "a.wandb").write_bytes(b"PK\x03\x04 something")
    assert read_wandb(tmp_path / "a.wandb").notes[0].startswith("this is no run file of W&B")
    with pytest.raises(UnreadableFile):
        read_wandb(tmp_path / "gone")


@given(st.binary(max_size=200))
def test_any_record_with_a_right_checksum_is_survived(tmp_path_factory: pytest.TempPathFactory, payload: bytes) -> None:
    """A checksum says that bytes arrived, not what they mean."""
    path = written(tmp_path_factory.mktemp("run") / "a.wandb", payload, row(1, loss=2.0))
    assert read_wandb(path).scalars["loss"].values.tolist()[-1] == 2.0


def test_where_only_the_summary_is_left_the_last_values_are_read(tmp_path: Path) -> None:
    """Run files are large and get deleted after the upload; the summary stays."""
    files = tmp_path / "wandb" / "run-20260101_000000-abc" / "files"
    files.mkdir(parents=True)
    summary = '{"_step": 29999, "Train Loss": 0.03, "_wandb": {"runtime": 5}, "note": "x", "nan": NaN}'
    (files / "wandb-summary.json").write_text(summary)
    found = read_summary(files / "wandb-summary.json")
    assert found["Train Loss"].steps.tolist() == [29999]
    assert Logged(tmp_path, NoteBook(), tags=NERFSTUDIO_TAGS, first_step=0).series["loss/total"].at(30_000) == 0.03
    shutil.copy(REAL, files.parent / "run-abc.wandb")
    assert len(Logged(tmp_path, NoteBook(), tags=NERFSTUDIO_TAGS, first_step=0).series["loss/total"]) == 101

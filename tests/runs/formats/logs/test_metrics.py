"""Curves come from these files: a wrong name, a lost NaN or a half line read as a value would be a false diagnosis."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import UnreadableFile
from runs.formats.logs.metrics import LONGEST_LINE, read_jsonl
from runs.formats.logs.metrics_csv import read_csv
from runs.formats.logs.results import read_per_view, read_results
from runs.formats.tensorboard import read_events
from runs.tags import series_from_tags
from tests.support.data import shared_data
from tests.support.hostile import only_our_error

ROW = {
    "it": 300,
    "l1": 0.25,
    "ssim": 0.75,
    "loss": 0.3,
    "n": 991,
    "vis": 988,
    "pairs": 12294,
    "lr_xyz": 0.00026,
    "sh": 1,
    "view": "b.jpg",
    "psnr": 11.5,
    "gn": {"xyz": 0.5, "f_dc": 0.25},
    "eval": {"train": 14.5, "test": 13.5},
    "densify": {"cloned": 4, "split": 175, "pruned": 1, "hot": 0.18},
    "reset": True,
    "ms": 10.5,
}


def written(folder: Path, text: str, name: str = "metrics.jsonl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_of_a_row_gets_its_canonical_name_and_unit(tmp_path: Path) -> None:
    """Detectors ask by canonical name; the unit stands on every axis."""
    series = read_jsonl(written(tmp_path, json.dumps(ROW) + "\n")).series
    assert {name: (float(some.values[0]), some.unit) for name, some in series.items()} == {
        "loss/l1": (0.25, ""),
        "view/ssim": (0.75, ""),
        "loss/ssim": (0.25, ""),
        "loss/total": (0.3, ""),
        "num_gaussians": (991, "count"),
        "visible": (988, "count"),
        "tile_pairs": (12294, "count"),
        "lr/xyz": (0.00026, "world units"),
        "sh_degree": (1, ""),
        "train/view": (0, ""),
        "view/psnr": (11.5, "dB"),
        "grad_norm/xyz": (0.5, ""),
        "grad_norm/f_dc": (0.25, ""),
        "train/psnr": (14.5, "dB"),
        "test/psnr": (13.5, "dB"),
        "densify/cloned": (4, "count"),
        "densify/split": (175, "count"),
        "densify/pruned": (1, "count"),
        "densify/hot": (0.18, ""),
        "opacity_reset": (1, ""),
        "iter_time": (10.5, "ms"),
    }
    assert all(some.iterations.tolist() == [300] for some in series.values())
    assert series["test/psnr"].source == "metrics.jsonl"
    assert series["loss/ssim"].source == "metrics.jsonl, 1 − ssim"


def test_views_are_categories(tmp_path: Path) -> None:
    """Which image was trained when: indices into sorted names, so that two runs agree."""
    text = "".join(json.dumps({"it": it, "view": view}) + "\n" for it, view in [(1, "b"), (2, "a"), (3, "b")])
    views = read_jsonl(written(tmp_path, text)).series["train/view"]
    assert [views.labels[int(index)] for index in views.values] == ["b", "a", "b"]
    assert views.labels == ("a", "b")


def test_absent_is_not_zero(tmp_path: Path) -> None:
    """null and false say "no value": a reset that did not happen, a score that was not measured."""
    series = read_jsonl(written(tmp_path, '{"it": 1, "reset": false, "loss": null, "l1": 1}\n')).series
    assert list(series) == ["loss/l1"]


@given(st.lists(st.tuples(st.integers(0, 10**9), st.floats()), max_size=20))
def test_values_survive_and_the_last_of_an_iteration_wins(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, float]]
) -> None:
    """NaN and infinity are evidence; after a restart the newer value counts; order is by iteration."""
    text = "".join(json.dumps({"step": step, "loss": value}) + "\n" for step, value in rows)
    series = read_jsonl(written(tmp_path_factory.mktemp("run"), text)).series
    found = series["loss/total"] if rows else None
    wanted = sorted(dict(rows).items())
    assert str(wanted) == str([] if found is None else list(zip(found.iterations.tolist(), found.values.tolist(), strict=True)))


def test_a_half_written_last_line_is_silent_and_a_broken_one_is_not(tmp_path: Path) -> None:
    """The first is a trainer at work, the second a damaged file."""
    found = read_jsonl(written(tmp_path, '{"it": 1, "loss": 1}\n{"it": 2, "los'))
    assert found.notes == ()
    assert len(found.series["loss/total"]) == 1
    found = read_jsonl(
        written(tmp_path, '{"it": 1, "loss": 1}\n{"it": 2, "lo\n\n[3]\n{"loss": 2}\n{"it": 1.5}\n{"it": 4, "loss": 4}\n')
    )
    assert found.notes == ("4 lines could not be read (line 2, 4, 5, 6); correct or delete what is no record",)
    assert found.series["loss/total"].iterations.tolist() == [1, 4]


def test_a_line_of_megabytes_is_one_broken_line(tmp_path: Path) -> None:
    """It is read in pieces, which must neither be taken for lines nor shift the numbers of those after it."""
    endless = '{"it": 1, "pixels": "' + "x" * (3 * LONGEST_LINE) + '"}\n'
    found = read_jsonl(written(tmp_path, '{"it": 1, "loss": 1}\n' + endless + '{"it": 3, "loss": 3}\n!\n' + endless[:-1]))
    assert found.notes == ("3 lines could not be read (line 2, 4, 5); correct or delete what is no record",)
    assert found.series["loss/total"].iterations.tolist() == [1, 3]


def test_the_end_of_an_endless_csv_row_is_no_row(tmp_path: Path) -> None:
    """What follows the first 64 KiB may look like a row of its own, and would be an invented number."""
    endless = "x" * 2**16 + "7,1.5\n"
    found = read_csv(written(tmp_path, "step,loss\n1,0.5\n" + endless + "3,0.25\n"))
    assert found.series["loss/total"].iterations.tolist() == [1, 3]
    assert found.notes == ("1 line could not be read (line 3); correct or delete what is no record",)
    exact = "2," + "0" * (2**16 - 4) + "1\n"
    assert read_csv(written(tmp_path, "step,loss\n" + exact)).series["loss/total"].iterations.tolist() == [2]


def test_a_complete_last_line_without_line_end_counts(tmp_path: Path) -> None:
    """Many writers end without one."""
    assert len(read_jsonl(written(tmp_path, '{"it": 1, "loss": 1}')).series["loss/total"]) == 1


def test_a_score_of_unknown_views_is_not_called_a_test_score(tmp_path: Path) -> None:
    """A training-view PSNR shown as a test score would hide over-fitting."""
    series = read_jsonl(written(tmp_path, '{"step": 1, "psnr": 30, "test": {"psnr": 20}, "other": {"deep": {"er": 1}}}\n')).series
    assert set(series) == {"raw/psnr", "test/psnr", "raw/other/deep/er"}
    assert series["raw/psnr"].unit == ""


@given(st.binary(max_size=200) | st.text('{}[]":,itep0123456789.-eNa\n', max_size=200).map(str.encode))
def test_no_line_escapes_as_an_error(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    """Any bytes give series and notes."""
    path = tmp_path_factory.mktemp("run") / "m.jsonl"
    path.write_bytes(raw)
    for some in read_jsonl(path).series.values():
        assert (np.diff(some.iterations) > 0).all()
    with only_our_error(path):
        read_csv(path)


def test_real_metrics_agree_with_the_event_file_of_the_same_run() -> None:
    """Two independent files of one training, through two independent readers."""
    run = shared_data("runs", "fox-a")
    metrics = read_jsonl(run / "metrics.jsonl")
    assert metrics.notes == ()
    (events,) = run.glob("events*")
    logged = series_from_tags(read_events(events).scalars, events.name)
    for name in ("loss/l1", "loss/total", "iter_time", "test/psnr", "train/psnr"):
        twin = metrics.series[name]
        there = np.isin(twin.iterations, logged[name].iterations)
        np.testing.assert_allclose(twin.values[there], logged[name].values, rtol=1e-5)


def test_lichtfeld_csv_is_of_the_test_views(tmp_path: Path) -> None:
    """Its metrics.csv is written at evaluations; the columns changed over time and are read by name."""
    text = "iteration,psnr,ssim,lpips,time_per_image,num_gaussians\n7000,25.5,0.8,0.2,0.01,1000\n30000,nan,0.9,0.1,0.01,2000\n"
    series = read_csv(written(tmp_path, text, "metrics.csv")).series
    assert set(series) == {"test/psnr", "test/ssim", "test/lpips", "raw/time_per_image", "num_gaussians"}
    assert series["test/psnr"].iterations.tolist() == [7000, 30000]
    assert math.isnan(series["test/psnr"].values[1])


def test_a_set_column_says_whose_scores_they_are(tmp_path: Path) -> None:
    """LightGaussian writes a row per split."""
    text = "iteration,set,l1_loss,psnr\n7000,test,0.1,25\n7000,train,0.05,28\n"
    series = read_csv(written(tmp_path, text, "metric.csv")).series
    assert {name: some.values.tolist() for name, some in series.items()} == {
        "test/l1": [0.1],
        "test/psnr": [25],
        "train/l1": [0.05],
        "train/psnr": [28],
    }


def test_csv_without_a_set_keeps_scores_raw(tmp_path: Path) -> None:
    """As for JSON lines: nobody says which views."""
    assert set(read_csv(written(tmp_path, "step,psnr,loss\n1,20,0.5\n", "a.csv")).series) == {"raw/psnr", "loss/total"}


def test_csv_damage(tmp_path: Path) -> None:
    """As for JSON lines; a table of something else is refused."""
    found = read_csv(written(tmp_path, "step,loss\n1,0.5\n2\nx,1\n3,0.25\n4,0", "a.csv"))
    assert found.notes == ("2 lines could not be read (line 3, 4); correct or delete what is no record",)
    assert found.series["loss/total"].iterations.tolist() == [1, 3]  # "4,0" may become "4,0.25"
    assert read_csv(written(tmp_path, "step,loss,n\n1,0.5,7\n2,0.", "b.csv")).series["loss/total"].iterations.tolist() == [1]
    with pytest.raises(UnreadableFile, match="no column iteration, iter or step"):
        read_csv(written(tmp_path, "name,age\nx,1\n", "c.csv"))


def test_results_by_iteration(tmp_path: Path) -> None:
    """metrics.py names each rendered iteration ours_N; NaN is written bare."""
    text = (
        '{"ours_30000": {"SSIM": 0.9, "PSNR": 27.5, "LPIPS": NaN}, "ours_7000": {"PSNR": 25}, "mine": {"PSNR": 1}, "ours_1": 3}'
    )
    series = read_results(written(tmp_path, text, "results.json"))
    assert series["test/psnr"].iterations.tolist() == [7000, 30000]
    assert series["test/psnr"].values.tolist() == [25, 27.5]
    assert math.isnan(series["test/lpips"].values[0])
    with pytest.raises(UnreadableFile):
        read_results(written(tmp_path, "[]", "results.json"))


def test_scores_per_view(tmp_path: Path) -> None:
    """Rendered images are numbered in the order of the split."""
    text = '{"ours_7000": {"PSNR": {"00000.png": 20.5, "00001.png": Infinity}, "SSIM": 3}}'
    assert read_per_view(written(tmp_path, text, "per_view.json")) == {7000: {"psnr": {"00000.png": 20.5, "00001.png": math.inf}}}

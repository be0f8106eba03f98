"""One name, one unit and one order for what every trainer calls differently: everything above asks by these names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.canonical import make_series, merge, unit_of
from runs.formats.tensorboard import Scalars
from runs.tags import canonical_name, restarts, series_from_tags

pairs = st.lists(st.tuples(st.integers(-5, 50), st.floats(-1e6, 1e6)), max_size=20)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("train_loss_patches/l1_loss", "loss/l1"),
        ("train_loss_patches/total_loss", "loss/total"),
        ("iter_time", "iter_time"),
        ("test/loss_viewpoint - psnr", "test/psnr"),
        ("test/loss_viewpoint_-_psnr", "test/psnr"),
        ("train/loss_viewpoint - l1_loss", "train/l1"),
        ("test/loss_viewpoint - lpips", "test/lpips"),
        ("total_points", "num_gaussians"),
        ("fine/total_points", "num_gaussians"),
        ("garden/test/loss_viewpoint - psnr", "test/psnr"),
        ("garden/total_points", "num_anchors"),
        ("fine/train_loss_patchestotal_loss", "loss/total"),
        ("coarse/total_points", "raw/coarse/total_points"),
        ("metrics_test/L1 Loss", "test/l1"),
        ("counts/total_points", "num_gaussians"),
        ("memory/peak_allocated_MB", "vram"),
        ("train_loss_patches/reg_loss", "loss/l1"),
        ("loss/total", "raw/loss/total"),
        ("x y", "raw/x_y"),
    ],
)
def test_tags_have_one_meaning(tag: str, name: str) -> None:
    """Old and new writers spell one tag two ways; anchors are no Gaussians; an unknown tag never takes a canonical name."""
    assert canonical_name(tag) == (name, 1.0)


@given(pairs)
def test_a_series_is_strictly_ordered_and_the_last_value_wins(rows: list[tuple[int, float]]) -> None:
    """A restarted training repeats iterations; lookups by iteration rely on the order."""
    series = make_series("loss/l1", [row[0] for row in rows], [row[1] for row in rows], "f")
    assert dict(zip(series.iterations.tolist(), series.values.tolist(), strict=True)) == dict(rows)
    assert (np.diff(series.iterations) > 0).all()


@given(pairs, pairs)
def test_merging_prefers_the_first_and_loses_nothing(first: list[tuple[int, float]], second: list[tuple[int, float]]) -> None:
    """float64 metrics beat the float32 of an event file, and an evaluation that only one file holds is kept."""
    one, two = (
        make_series("test/psnr", [r[0] for r in rows], [r[1] for r in rows], name) for rows, name in ((first, "a"), (second, "b"))
    )
    merged = merge({"test/psnr": one}, {"test/psnr": two})["test/psnr"]
    assert dict(zip(merged.iterations.tolist(), merged.values.tolist(), strict=True)) == {**dict(second), **dict(first)}
    assert merged.source == ("a, b" if dict(second).keys() - dict(first).keys() else "a")


def test_categories_are_not_mixed() -> None:
    """Indices into different labels would name wrong images."""
    one = make_series("train/view", [1], [0], "a", ("x",))
    two = make_series("train/view", [2], [0], "b", ("y",))
    assert merge({"train/view": one}, {"train/view": two})["train/view"] is one


def test_units() -> None:
    """A number without its unit is no evidence; a raw number has no known one."""
    assert [
        unit_of(name) for name in ("test/psnr", "view/psnr", "iter_time", "vram", "num_gaussians", "loss/l1", "raw/psnr")
    ] == [
        "dB",
        "dB",
        "ms",
        "MB",
        "count",
        "",
        "",
    ]


def test_restarts_are_seen() -> None:
    """Where logging began again, curves jump for no fault of the training."""
    steps, values = np.array([10, 20, 30, 20, 30, 40]), np.arange(6.0)
    scalars = {"total_points": Scalars(steps, values, values)}
    assert restarts(scalars) == (20,)
    series = series_from_tags(scalars, "events")["num_gaussians"]
    assert (series.iterations.tolist(), series.values.tolist()) == ([10, 20, 30, 40], [0, 3, 4, 5])

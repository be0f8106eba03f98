"""Mip-Splatting draws each splat through a filter: what is shown and judged must be what was drawn, not what was stored."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.formats.ply import read_gaussians
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.trainers.shared.filtered import effective
from tests.support.files import inria_columns, random_gaussians, write_inria_run, write_ply

GAUSSIANS = random_gaussians(40, degree=3)
WIDTHS = np.random.default_rng(3).uniform(0, 0.05, 40).astype(np.float32)
KEYS = "sh_degree=3, source_path='/x', white_background=False, eval=False, kernel_size=0.1, ray_jitter=False"


def write_filtered(path: Path, gaussians: Gaussians = GAUSSIANS, widths: np.ndarray = WIDTHS) -> Path:
    """INRIA's properties, and filter_3D last."""
    return write_ply(path, {**inria_columns(gaussians), "filter_3D": widths})


def test_scales_and_opacities_are_those_of_the_formula(tmp_path: Path) -> None:
    """√(s² + f²), and σ(o) · √(det S² / det (S² + f²)), each by its own plain arithmetic."""
    run = open_run(write_filtered(tmp_path / "scene.ply"))
    found = run.checkpoints[0].gaussians
    squared = np.exp(GAUSSIANS.log_scales.astype(np.float64)) ** 2
    wider = squared + WIDTHS.astype(np.float64)[:, None] ** 2
    np.testing.assert_allclose(found.scales, np.sqrt(wider), rtol=1e-6)
    plain = 1 / (1 + np.exp(-GAUSSIANS.logit_opacities.astype(np.float64)))
    np.testing.assert_allclose(found.opacities, plain * np.sqrt(squared.prod(axis=1) / wider.prod(axis=1)), rtol=2e-6)


def test_what_was_stored_stays_at_hand_and_a_note_tells(tmp_path: Path) -> None:
    """The inspector must be able to show the numbers that the trainer optimised."""
    run = open_run(write_filtered(tmp_path / "scene.ply"))
    found = run.checkpoints[0].gaussians
    assert found.extra_names == ("filter_3D", "stored_scale_0", "stored_scale_1", "stored_scale_2", "stored_opacity")
    np.testing.assert_array_equal(found.extra("filter_3D"), WIDTHS)
    for axis in range(3):
        np.testing.assert_array_equal(found.extra(f"stored_scale_{axis}"), GAUSSIANS.log_scales[:, axis])
    np.testing.assert_array_equal(found.extra("stored_opacity"), GAUSSIANS.logit_opacities)
    for name in ("means", "quats_wxyz", "sh0", "sh_rest"):
        np.testing.assert_array_equal(found.load(name), GAUSSIANS.load(name))
    assert ["as they are drawn" in note.says for note in run.notes] == [True]


def test_a_filter_of_no_width_changes_nothing(tmp_path: Path) -> None:
    """Bit for bit, opaque ones included, for which log(1 - opacity) has no value."""
    opaque = Gaussians.from_arrays(
        means=np.zeros((3, 3)), log_scales=np.array([[-5, -3, -1.5]] * 3), quats_wxyz=np.eye(4)[:3],
        logit_opacities=np.array([-80.0, 0.5, 60.0]), sh0=np.zeros((3, 3)),
    )
    found = open_run(write_filtered(tmp_path / "s.ply", opaque, np.zeros(3, np.float32))).checkpoints[0].gaussians
    np.testing.assert_array_equal(found.log_scales, opaque.log_scales)
    np.testing.assert_array_equal(found.logit_opacities, opaque.logit_opacities)


@given(logit=st.floats(-30, 30), scale=st.floats(-20, 5), width=st.floats(0, 100, width=32))
@settings(max_examples=200, deadline=None)
def test_a_filter_widens_and_dims(logit: float, scale: float, width: float) -> None:
    """Whatever the numbers, no splat gets smaller or more opaque, and none loses its value."""
    one = Gaussians.from_arrays(
        means=np.zeros((1, 3)), log_scales=np.full((1, 3), scale), quats_wxyz=np.eye(4)[:1], logit_opacities=np.array([logit]),
        sh0=np.zeros((1, 3)), extra={"filter_3D": np.array([width])},
    )
    found = effective(one)
    assert (found.log_scales >= one.log_scales).all()
    assert (found.logit_opacities <= one.logit_opacities + 1e-4).all()
    assert not np.isnan(found.logit_opacities).any()


def test_a_whole_run_is_named_and_noted_once(tmp_path: Path) -> None:
    """Thirty saves must not make thirty notes."""
    folder = write_inria_run(tmp_path, iterations=(), cfg_args=f"Namespace({KEYS})")
    for iteration in (7_000, 15_000, 30_000):
        write_filtered(folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply")
    run = open_run(folder)
    assert (run.trainer.name, run.iterations) == ("mip-splatting", (7_000, 15_000, 30_000))
    (note,) = run.notes
    assert note.says.endswith("(so do 2 other files)")


def test_a_copied_folder_without_settings_is_told_by_its_files(tmp_path: Path) -> None:
    """The property alone is a weaker sign: other methods took it over."""
    folder = tmp_path / "copy"
    write_filtered(folder / "point_cloud" / "iteration_7000" / "point_cloud.ply")
    trainer = open_run(folder).trainer
    assert (trainer.name, trainer.confidence) == ("mip-splatting", 0.6)


def test_the_reader_of_plys_alone_stays_plain(tmp_path: Path) -> None:
    """The format knows no method: it hands out what is stored."""
    stored = read_gaussians(write_filtered(tmp_path / "s.ply"))
    np.testing.assert_array_equal(stored.log_scales, GAUSSIANS.log_scales)


def test_two_scales_are_not_filtered(tmp_path: Path) -> None:
    """The third scale of a disc is ours: the formula would make the disc vanish by it."""
    columns = {**inria_columns(GAUSSIANS), "filter_3D": WIDTHS}
    del columns["scale_2"]
    found = open_run(write_ply(tmp_path / "s.ply", columns)).checkpoints[0].gaussians
    np.testing.assert_array_equal(found.logit_opacities, GAUSSIANS.logit_opacities)
    assert found.extra_names == ("filter_3D",)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows: int, tmp_path: Path) -> None:
    """An empty save is legal, and one row has no neighbours."""
    found = open_run(write_filtered(tmp_path / "s.ply", random_gaussians(rows), WIDTHS[:rows])).checkpoints[0].gaussians
    assert found.opacities.shape == (rows,)

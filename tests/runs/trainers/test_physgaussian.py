"""PhysGaussian: frames of a simulation, of which only positions are true; they are shown and never judged."""

from pathlib import Path

import numpy as np
import pytest

from diagnostics.facts.saved import has_splats
from runs.formats.ply.points import as_splats
from runs.open_run import open_run
from tests.support.files import write_points

FRAMES = {0: np.random.default_rng(0).normal(size=(50, 3)), 12: np.random.default_rng(1).normal(size=(50, 3))}


def write(folder: Path) -> Path:
    for frame, xyz in FRAMES.items():
        write_points(folder / "simulation_ply" / f"sim_{frame:010d}.ply", xyz)
    (folder / "0012.png").write_bytes(b"")
    return folder


def test_frames_are_points_with_a_name(tmp_path: Path) -> None:
    """The number is a frame of the simulation; the label says so."""
    run = open_run(write(tmp_path))
    assert run.trainer.name == "physgaussian"
    assert [(one.iteration, one.label, one.holds, one.count) for one in run.checkpoints] == [
        (0, "frame 0", "points", 50), (12, "frame 12", "points", 50)]
    assert not any(has_splats(one) for one in run.checkpoints)
    for frame, xyz in FRAMES.items():
        np.testing.assert_array_equal(run.checkpoint(frame).gaussians.means, xyz.astype(np.float32))
    assert [note.says[:31] for note in run.notes] == ["holds frames of a simulation, n"]


def test_a_half_written_frame_is_left_out(tmp_path: Path) -> None:
    """The simulation goes on while it is watched."""
    path = write(tmp_path) / "simulation_ply" / "sim_0000000012.ply"
    path.write_bytes(path.read_bytes()[:-5])
    run = open_run(tmp_path)
    assert run.iterations == (0,)
    assert any(Path(note.file).name == path.name for note in run.notes)


@pytest.mark.parametrize("size", [0.01, 1.0, 1e4])
def test_dots_fit_the_cloud(size: float) -> None:
    """A cloud of any size shows as dots that are neither specks nor one blob."""
    means = size * np.random.default_rng(2).uniform(-1, 1, (1_000, 3))
    dot = as_splats(means).scales[0, 0]
    spacing = 2 * size / 10
    assert 0.1 < dot / spacing < 0.6


@pytest.mark.parametrize("means", [np.zeros((0, 3)), np.zeros((1, 3)), np.full((4, 3), np.nan), np.ones((5, 3))])
def test_clouds_without_extent_have_a_dot(means: np.ndarray) -> None:
    """No warning, no infinity."""
    assert np.isfinite(as_splats(means).log_scales).all()

"""Deformable-3D-Gaussians: what its network does to each Gaussian must be what the trainer's own renderer would draw."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from render.covariance import covariances
from render.splats import prepare
from runs.arrays import F64
from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.trainers.moving.deformable_settings import DEFAULTS

torch = pytest.importorskip("torch", reason="the twin of the network is built with torch")
from tests.support.moving import Deformer, canonical, trained_like, write_deformable  # noqa: E402

CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def drawn_covariances(scales: Any, quats: Any) -> F64:
    """float64 [N, 3, 3] as INRIA's rasteriser computes them: the quaternion enters as it is (forward.cu, computeCov3D)."""
    w, x, y, z = quats.double().unbind(1)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    axes = torch.stack(rows, 1).reshape(-1, 3, 3) * scales.double()[:, None, :]
    return np.asarray(axes @ axes.transpose(1, 2))


def shapes(gaussians: Gaussians) -> F64:
    splats = prepare(gaussians)
    assert len(splats) == gaussians.count
    return covariances(splats.scales, splats.quats)


@pytest.mark.parametrize("options", [
    {}, {"blender": True}, {"screw": True}, {"blender": True, "screw": True}, {"depth": 4, "width": 32, "blender": True},
    {"depth": 3, "width": 8},
])
def test_every_kind_of_network_moves_as_torch_does(options: dict[str, Any], tmp_path: Path) -> None:
    """Sizes come from the stored shapes; a wrong skip, octave or sign would move the scene elsewhere."""
    still, network = canonical(), trained_like(Deformer(**options), 1)
    run = open_run(write_deformable(tmp_path / "run", network, still))
    assert (run.trainer.name, run.iterations, run.notes) == ("deformable-3dgs", (7_000, 40_000), ())
    motion = run.checkpoints[-1].motion
    assert motion is not None
    assert motion.span == (0.0, 1.0)
    for time in (0.0, 0.37, 1.0):
        found = motion.at(run.checkpoints[-1].gaussians, time)
        with torch.no_grad():
            means, rotation, scaling = network(torch.tensor(still.means), time)
        unit = torch.nn.functional.normalize(torch.tensor(still.quats_wxyz))
        np.testing.assert_allclose(found.means, means, **CLOSE)
        assert np.abs(found.means - still.means).max() > 1e-3
        wanted = drawn_covariances(torch.tensor(still.scales) + scaling, unit + rotation)
        np.testing.assert_allclose(shapes(found), wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())
        for name in ("sh0", "sh_rest", "logit_opacities"):
            np.testing.assert_array_equal(found.load(name), still.load(name))


def test_more_rows_than_are_evaluated_at_once(tmp_path: Path) -> None:
    """Rows are taken in pieces; each must land in its own place."""
    still, network = canonical(20_001), trained_like(Deformer(depth=4, width=8), 2)
    run = open_run(write_deformable(tmp_path / "run", network, still, (7_000,)))
    found = run.checkpoints[0].motion.at(still, 0.5)  # type: ignore[union-attr]
    with torch.no_grad():
        means, _, _ = network(torch.tensor(still.means), 0.5)
    np.testing.assert_allclose(found.means, means, **CLOSE)


def test_a_save_without_its_network_stands_still_and_says_so(tmp_path: Path) -> None:
    """People copy point_cloud/ alone; the canonical set still opens."""
    run_folder = write_deformable(tmp_path / "run", trained_like(Deformer(), 1), canonical())
    (run_folder / "deform/iteration_40000/deform.pth").unlink()
    run = open_run(run_folder)
    assert [checkpoint.motion is None for checkpoint in run.checkpoints] == [False, True]
    (note,) = run.notes
    assert note.file.endswith("deform.pth")
    assert "stand still" in note.says


@pytest.mark.parametrize(("change", "says"), [
    (lambda state: state.pop("linear.3.bias"), "has no layer linear.3"),
    (lambda state: state.pop("gaussian_warp.weight"), "has no layer gaussian_warp"),
    (lambda state: state.update({"linear.5.weight": torch.zeros(256, 256)}), "256 inputs in layer linear.5 where 340 "),
    (lambda state: state.update({"linear.0.weight": torch.zeros(256, 90), "linear.5.weight": torch.zeros(256, 346)}),
     "takes 90 numbers"),
    (lambda state: state.update({"linear.2.weight": torch.zeros(0, 0)}), "impossible shape"),
    (lambda state: state.clear(), "has 0 layers"),
])
def test_a_network_of_other_shapes_is_not_run(change: Any, says: str, tmp_path: Path) -> None:
    """A fork's network evaluated by our formulas would show an invented motion."""
    run_folder = write_deformable(tmp_path / "run", trained_like(Deformer(), 1), canonical(), (7_000,))
    state = dict(Deformer().state_dict())
    change(state)
    torch.save(state, run_folder / "deform/iteration_7000/deform.pth")
    run = open_run(run_folder)
    assert run.checkpoints[0].motion is None
    assert run.checkpoints[0].gaussians.count == 300
    assert says in run.notes[0].says


def test_a_network_that_comes_later_is_found_by_the_next_look(tmp_path: Path) -> None:
    """The trainer writes the point cloud first; looking again must not keep the set that stood still."""
    run_folder = write_deformable(tmp_path / "run", trained_like(Deformer(), 1), canonical(), (7_000,))
    path = run_folder / "deform/iteration_7000/deform.pth"
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    run = open_run(run_folder)
    assert run.checkpoints[0].motion is None
    path.write_bytes(whole)
    again = reopen(run)
    assert again.checkpoints[0].motion is not None
    assert reopen(again).checkpoints[0] is again.checkpoints[0]


def test_settings_that_were_not_stored_are_this_trainers_own(tmp_path: Path) -> None:
    """It trains 40,000 iterations, not INRIA's 30,000."""
    run = open_run(write_deformable(tmp_path / "run", trained_like(Deformer(), 1), canonical(), (7_000,)))
    assert run.settings.value("iterations") == 40_000
    assert not run.settings["iterations"].stored
    assert run.settings["is_blender"].stored
    assert DEFAULTS.keys() <= set(run.settings)


def test_a_run_that_has_just_begun_is_recognised_by_its_settings(tmp_path: Path) -> None:
    """Nothing is saved yet; cfg_args is."""
    run_folder = write_deformable(tmp_path / "run", Deformer(), canonical(), ())
    run = open_run(run_folder)
    assert (run.trainer.name, run.checkpoints) == ("deformable-3dgs", ())

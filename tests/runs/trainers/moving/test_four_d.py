"""4DGaussians: two stages on one axis, and a HexPlane that moves the fine one as torch's own grid_sample does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.checkpoints import AdamGroup
from runs.events import LogEvent
from runs.open_run import open_run
from runs.trainers.moving.four_d_logs import placed
from tests.support.event_writer import event, simple_value, version_event
from tests.support.torch_zip import TorchZip, inria_capture
from tests.support.written import assert_same_gaussians

torch = pytest.importorskip("torch", reason="the twin of the network is built with torch")
from tests.support.moving import HexDeformer, canonical, trained_like, write_four_d  # noqa: E402

CLOSE = {"rtol": 1e-4, "atol": 1e-4}
NAMES = {"pos": "means", "scales": "log_scales", "rotations": "quats_wxyz", "opacity": "logit_opacities"}
ALL_ON = {"no_do": False, "no_dshs": False}


def test_both_stages_lie_on_one_axis(tmp_path: Path) -> None:
    """Fine 1,000 comes after coarse 3,000, although its own number is smaller."""
    still = canonical()
    run = open_run(write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), still))
    assert run.trainer.name == "4dgaussians"
    assert [(c.iteration, c.label) for c in run.checkpoints] == [
        (3_000, "coarse 3,000"), (4_000, "fine 1,000"), (17_000, "fine 14,000")]
    assert [c.motion is None for c in run.checkpoints] == [True, False, False]  # the coarse stage stands still by design
    assert run.notes == ()
    for checkpoint in run.checkpoints:
        assert_same_gaussians(checkpoint.gaussians, still)


@pytest.mark.parametrize("off", [{}, ALL_ON, {"no_dx": True}, {"no_ds": True, "no_dr": True}])
@pytest.mark.parametrize("depth", [1, 3])
def test_the_network_moves_as_torch_does(off: dict[str, bool], depth: int, tmp_path: Path) -> None:
    """Some Gaussians lie outside the box: there the border's value counts. Heads that are off change nothing."""
    still, network = canonical(), trained_like(HexDeformer(depth=depth), 1)
    run = open_run(write_four_d(tmp_path / "run", network, still, **off))
    motion = run.checkpoints[-1].motion
    assert motion is not None
    for time in (0.0, 0.41, 1.0):
        found = motion.at(still, time)
        with torch.no_grad():
            added = network(torch.tensor(still.means), time)
        at_work = {**dict.fromkeys(("no_dx", "no_ds", "no_dr"), True), "no_do": False, "no_dshs": False,
                   **{name: not value for name, value in off.items()}}
        for (head, column), setting in zip(NAMES.items(), ("no_dx", "no_ds", "no_dr", "no_do"), strict=True):
            change = added[head].numpy().reshape(still.load(column).shape)
            assert np.abs(change).max() > 1e-3
            np.testing.assert_allclose(found.load(column), still.load(column) + change * at_work[setting], **CLOSE)
        colours = np.concatenate([found.sh0[:, None], found.sh_rest], axis=1)
        before = np.concatenate([still.sh0[:, None], still.sh_rest], axis=1)
        np.testing.assert_allclose(colours, before + added["shs"].numpy().reshape(-1, 16, 3) * at_work["no_dshs"], **CLOSE)


@pytest.mark.parametrize(("change", "says"), [
    (lambda text: text.replace("static_mlp=False", "static_mlp=True"), "static_mlp"),
    (lambda text: text.replace("no_dr=False, ", ""), "no_dr"),
    (lambda text: text.replace("no_do=True", "no_do=1"), "no_do"),
])
def test_settings_that_ask_for_more_leave_the_set_still(change: Any, says: str, tmp_path: Path) -> None:
    """A mask or another formula would move everything elsewhere; the canonical set is shown and a note names the setting."""
    folder = write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), canonical(), fine=(14_000,))
    path = folder / "cfg_args"
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    run = open_run(folder)
    assert run.checkpoints[-1].motion is None
    assert any(says in note.says and "standing still" in note.says for note in run.notes)


def test_versions_without_colour_head_move_all_the_same(tmp_path: Path) -> None:
    """Before January 2024 there was neither no_dx nor no_dshs, and positions always moved."""
    network = trained_like(HexDeformer(), 1)
    folder = write_four_d(tmp_path / "run", network, canonical(), fine=(14_000,))
    path = folder / "cfg_args"
    path.write_text(path.read_text("utf-8").replace("no_dx=False, ", "").replace("no_dshs=True, ", ""), "utf-8")
    motion = open_run(folder).checkpoints[-1].motion
    assert motion is not None
    with torch.no_grad():
        added = network(torch.tensor(canonical().means), 0.5)
    np.testing.assert_allclose(motion.at(canonical(), 0.5).means, canonical().means + added["pos"].numpy(), **CLOSE)


@pytest.mark.parametrize(("change", "says"), [
    (lambda state: state.pop("deformation_net.grid.aabb"), "no box"),
    (lambda state: state.pop("deformation_net.grid.grids.1.4"), "impossible shape"),
    (lambda state: state.update({"deformation_net.grid.grids.0.2": torch.zeros(1, 7, 5, 8)}), "impossible shape"),
    (lambda state: state.pop("deformation_net.pos_deform.3.weight"), "no layer deformation_net.pos_deform.3"),
    (lambda state: state.update({"deformation_net.feature_out.0.weight": torch.zeros(16, 36)}), "36 inputs"),
    (lambda state: state.clear(), "no box"),
])
def test_tensors_of_another_network_are_not_run(change: Any, says: str, tmp_path: Path) -> None:
    """Dozens of forks write this file with more in it."""
    folder = write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), canonical(), fine=(14_000,))
    path = folder / "point_cloud/iteration_14000/deformation.pth"
    state = torch.load(path)
    change(state)
    torch.save(state, path)
    run = open_run(folder)
    assert run.checkpoints[-1].motion is None
    assert says in run.notes[0].says


def test_missing_deformation_is_told(tmp_path: Path) -> None:
    """A copied point cloud alone still opens."""
    folder = write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), canonical())
    (folder / "point_cloud/iteration_1000/deformation.pth").unlink()
    run = open_run(folder)
    assert [c.motion is None for c in run.checkpoints] == [True, True, False]
    assert "is missing" in run.notes[0].says


def test_the_coarse_stage_is_as_long_as_its_saves_where_no_setting_tells(tmp_path: Path) -> None:
    """Without cfg_args the axis still does not fold."""
    folder = write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), canonical(), coarse=5_000, fine=(1_000,))
    (folder / "cfg_args").unlink()
    run = open_run(folder)
    assert run.iterations == (5_000, 6_000)
    assert run.checkpoints[-1].motion is None  # which heads are at work only cfg_args tells


def test_resumable_states_of_both_stages(tmp_path: Path) -> None:
    """A 14-tuple with the network's state and a table of bools among the parameters, and groups of many tensors."""
    still = canonical(20)
    folder = write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), still)
    for name, number in (("chkpnt_coarse_2000.pth", 2_000), ("chkpnt_fine_9000.pth", 9_000)):
        archive = TorchZip()
        items = inria_capture(still, archive)
        network = {"deformation_net.grid.aabb": np.zeros((2, 3), np.float32)}
        items[2:2] = [network, np.ones(20, bool)]
        optimizer = items[-2]
        optimizer["param_groups"].insert(1, {**optimizer["param_groups"][0], "name": "grid", "params": [6, 7]})
        optimizer["state"] |= {i: {"step": np.array(7.0, np.float32), "exp_avg": np.zeros((1, 6, 8, 8), np.float32),
                                   "exp_avg_sq": np.zeros((1, 6, 8, 8), np.float32)} for i in (6, 7)}
        archive.write(folder / name, (tuple(items), number))
    run = open_run(folder)
    assert [state.iteration for state in run.state_files] == [2_000, 12_000]
    state = run.state_files[1].state
    assert (state.iteration, state.kind, state.missing) == (12_000, "4dgaussians 14-tuple", ())
    assert_same_gaussians(state.gaussians, still)
    assert isinstance(state.adam["xyz"], AdamGroup)
    assert state.adam["xyz"].exp_avg is not None
    assert "grid" not in state.adam or state.adam["grid"].exp_avg is None  # the moments of one plane are not those of all


def test_series_of_both_stages_join(tmp_path: Path) -> None:
    """One curve over the whole training; what is a sum over views stays raw."""
    folder = write_four_d(tmp_path / "run", trained_like(HexDeformer(), 1), canonical(), fine=(14_000,))
    records = [version_event()]
    for stage, steps in (("coarse", (10, 3_000)), ("fine", (10, 14_000))):
        for step in steps:
            values = {"train_loss_patches/l1_loss": 0.5, "train_loss_patchestotal_loss": 0.25, "total_points": step,
                      "test/loss_viewpoint - psnr": 20 + step / 1000, "test/loss_viewpoint - lpipsa": 3.0}
            records.append(event(step, float(step), [simple_value(f"{stage}/{tag}", value) for tag, value in values.items()]))
    (folder / "events.out.tfevents.1").write_bytes(b"".join(records))
    (folder / "results.json").write_text('{"ours_14000": {"PSNR": 33.5}}', "utf-8")
    run = open_run(folder)
    for name in ("loss/l1", "loss/total", "num_gaussians"):
        assert list(run.series[name].iterations) == [10, 3_000, 3_010, 17_000]
        assert run.series[name].source == "events.out.tfevents.1"
    assert list(run.series["num_gaussians"].values) == [10, 3_000, 10, 14_000]
    assert list(run.series["test/psnr"].iterations) == [10, 3_000, 3_010, 17_000]
    assert run.series["test/psnr"].at(17_000) == pytest.approx(34.0)
    assert "test/lpips" not in run.series


def test_events_of_a_log_of_both_stages_are_placed() -> None:
    """The second bar begins again at zero."""
    told = [LogEvent("save", i, "", "log:1") for i in (1_000, 3_000, 1_000, 14_000)] + [LogEvent("killed", None, "", "log:2")]
    assert [e.iteration for e in placed(told, 3_000)] == [1_000, 3_000, 4_000, 17_000, None]
    assert [e.iteration for e in placed(told[3:], 3_000)] == [17_000, None]  # a log of the fine stage alone

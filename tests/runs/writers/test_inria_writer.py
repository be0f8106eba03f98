"""A lab that writes its own dialect measures nothing: readers, plyfile and torch must find what INRIA's trainer would write."""

import json
from pathlib import Path

import numpy as np
import pytest
from plyfile import PlyData

from runs.checkpoints import TrainingState
from runs.formats.tensorboard import read_events
from runs.open_run import open_run
from runs.run import Run
from runs.writers.inria import InriaWriter
from tests.support.data import shared_data
from tests.support.written import ROWS, SETTINGS, Told, assert_same_gaussians, tell


def write(folder: Path, **options) -> tuple[Run, Told]:
    told = tell(InriaWriter(folder, "/data/scenes/ring", clock=lambda: 1.7e9), **options)
    return open_run(folder), told


def assert_same_state(found: TrainingState, told: TrainingState) -> None:
    assert (found.iteration, found.active_sh_degree, found.spatial_lr_scale, found.missing) == (
        told.iteration, told.active_sh_degree, told.spatial_lr_scale, ())
    assert_same_gaussians(found.gaussians, told.gaussians)
    assert list(found.adam) == list(told.adam)
    for name, group in told.adam.items():
        again = found.adam[name]
        assert (again.learning_rate, again.step, again.eps) == (group.learning_rate, group.step, group.eps)
        np.testing.assert_array_equal(again.exp_avg, np.reshape(group.exp_avg, again.exp_avg.shape))
        np.testing.assert_array_equal(again.exp_avg_sq, np.reshape(group.exp_avg_sq, again.exp_avg_sq.shape))
    for name, values in told.statistics.items():
        np.testing.assert_array_equal(found.statistics[name], values)


def test_a_written_run_opens_as_what_was_written(tmp_path: Path) -> None:
    """Cameras, points, settings, Gaussians and the state come back equal; nothing needs a reservation but the known gaps."""
    run, told = write(tmp_path / "run")
    assert (run.trainer.name, run.iterations) == ("inria", (100, 200))
    for iteration, gaussians in told.gaussians.items():
        assert_same_gaussians(run.checkpoint(iteration).gaussians, gaussians)
    assert_same_state(run.state_files[0].state, told.state)
    np.testing.assert_array_equal(run.input_points.xyz, told.points.xyz)
    np.testing.assert_array_equal(run.input_points.rgb, told.points.rgb)
    stored = {name: run.settings[name].value for name in SETTINGS if name != "strategy"}
    assert stored == {name: value for name, value in SETTINGS.items() if name != "strategy"}
    assert all(run.settings[name].stored for name in stored)
    assert run.settings.value("source_path") == "/data/scenes/ring"
    assert [note.says for note in run.notes] == []


def test_cameras_come_back_with_their_poses(tmp_path: Path) -> None:
    """Test cameras are written first; a pose that is off by a transpose would pass no tolerance."""
    run, told = write(tmp_path / "run")
    assert [camera.name for camera in run.cameras[:2]] == [c.name for c in told.cameras if c.split == "test"]
    by_name = {camera.name: camera for camera in told.cameras}
    for camera in run.cameras:
        expected = by_name[camera.name]
        np.testing.assert_allclose(camera.world_from_camera, expected.world_from_camera, atol=1e-6)
        np.testing.assert_allclose([camera.fx, camera.fy], [expected.fx, expected.fy], rtol=1e-6)
        assert camera.size_px == expected.size_px
        assert camera.split == expected.split


def test_series_come_back_from_both_logs(tmp_path: Path) -> None:
    """metrics.jsonl gives every value in double precision, NaN included; the event file agrees under INRIA's tags."""
    run, _ = write(tmp_path / "run")
    for iteration, row in ROWS.items():
        assert np.array_equal(run.series["loss/l1"].at(iteration), row["l1"], equal_nan=True)
        assert run.series["num_gaussians"].at(iteration) == row["n"]
    assert run.series["test/psnr"].at(200) == 24.25
    assert run.series["densify/cloned"].at(100) == 4
    scalars = read_events(next(run.path.glob("events.out.tfevents.*"))).scalars
    np.testing.assert_array_equal(scalars["train_loss_patches/l1_loss"].values, np.float32([r["l1"] for r in ROWS.values()]))
    np.testing.assert_array_equal(scalars["total_points"].steps, [1, 200])
    np.testing.assert_array_equal(scalars["test/loss_viewpoint - psnr"].values, [14.25, 24.25])


def test_the_layout_is_that_of_a_recorded_run(tmp_path: Path) -> None:
    """Same files, same PLY header, same keys as a run of the reference layout."""
    recorded = shared_data("runs", "synth-a")
    run, _ = write(tmp_path / "run")
    assert {path.name for path in run.path.iterdir() if not path.name.startswith("events.out.tfevents.")} == {
        "cfg_args", "opt_args.json", "cameras.json", "input.ply", "point_cloud", "metrics.jsonl", "chkpnt200.pth"}
    assert header(run.path / "input.ply", 20) == header(recorded / "input.ply", 1500)
    theirs, ours = (json.loads((folder / "cameras.json").read_text())[0] for folder in (recorded, run.path))
    assert list(theirs) == list(ours)
    theirs, ours = ((folder / "cfg_args").read_text() for folder in (recorded, run.path))
    assert [part.split("=")[0] for part in theirs.split(", ")] == [part.split("=")[0] for part in ours.split(", ")]


def header(path: Path, count: int) -> list[bytes]:
    """The lines of a PLY's header but the one that counts."""
    lines = path.read_bytes()[:3000].split(b"end_header")[0].split(b"\n")
    return [line for line in lines if line != b"element vertex %d" % count]


def test_plyfile_reads_the_same_columns(tmp_path: Path) -> None:
    """An independent reader: the order of the file is INRIA's, and view-dependent colours lie channel by channel."""
    run, told = write(tmp_path / "run")
    gaussians = told.gaussians[200]
    vertex = PlyData.read(str(run.checkpoint(200).path))["vertex"]
    names = [p.name for p in vertex.properties]
    assert names == ["x", "y", "z", "nx", "ny", "nz", *(f"f_dc_{i}" for i in range(3)), *(f"f_rest_{i}" for i in range(9)),
                     "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
    np.testing.assert_array_equal(vertex["f_rest_4"], gaussians.sh_rest[:, 1, 1])
    np.testing.assert_array_equal(vertex["scale_2"], gaussians.log_scales[:, 2])
    np.testing.assert_array_equal(vertex["rot_0"], gaussians.quats_wxyz[:, 0])
    assert not np.any([vertex["nx"], vertex["ny"], vertex["nz"]])


def test_torch_resumes_from_the_state(tmp_path: Path) -> None:
    """torch loads the file without trusting it, and its Adam takes up the stored moments and rates."""
    torch = pytest.importorskip("torch", reason="torch is a peer for proofs, not needed by the product")
    run, told = write(tmp_path / "run")
    capture, iteration = torch.load(run.path / "chkpnt200.pth", weights_only=True)
    assert (iteration, len(capture), capture[0]) == (200, 12, told.state.active_sh_degree)
    assert all(isinstance(item, torch.nn.Parameter) for item in capture[1:7])
    np.testing.assert_array_equal(capture[6].detach().numpy()[:, 0], told.state.gaussians.logit_opacities)
    assert [tuple(item.shape) for item in capture[7:10]] == [(31,), (31, 1), (31, 1)]
    in_order = [capture[i] for i in (1, 2, 3, 6, 4, 5)]
    names = ["xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation"]
    groups = [{"params": [p], "name": name, "lr": 0.1} for name, p in zip(names, in_order, strict=True)]
    adam = torch.optim.Adam(groups, lr=0.0, eps=1e-15)
    adam.load_state_dict(capture[10])
    assert [group["lr"] for group in adam.param_groups] == [told.state.adam[name].learning_rate for name in names]
    for p in in_order:
        p.grad = torch.zeros_like(p)
    adam.step()
    assert float(adam.state[in_order[0]]["step"]) == 201


def test_a_run_that_is_still_written_opens(tmp_path: Path) -> None:
    """What was flushed with the last save is there; there is no half file and no temporary one that a reader would take."""
    writer = InriaWriter(tmp_path / "run", "/data")
    told = tell(writer, finish=False)
    run = open_run(tmp_path / "run")
    assert run.iterations == tuple(told.gaussians)
    assert run.series["loss/l1"].at(200) == 0.05
    assert not [path for path in run.path.rglob("*") if path.name.endswith(".tmp")]
    writer.finish()


def test_a_resumed_run_goes_on_in_the_same_files(tmp_path: Path) -> None:
    """The table grows and a second event file begins, as with the trainer."""
    for _ in range(2):
        write(tmp_path / "run")
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 2 * len(ROWS)
    assert len(list((tmp_path / "run").glob("events.out.tfevents.*"))) == 2


def test_mcmc_runs_name_their_fork(tmp_path: Path) -> None:
    """Relocation in a folder that says it is INRIA's default trainer would be pinned on another method."""
    run, _ = write(tmp_path / "run", settings={**SETTINGS, "strategy": "mcmc", "cap_max": 40, "noise_lr": 5e5})
    assert run.trainer.name == "3dgs-mcmc"
    assert (run.settings.value("cap_max"), run.settings.value("noise_lr")) == (40, 5e5)


def test_writing_before_begin_is_a_mistake(tmp_path: Path) -> None:
    """A log that goes nowhere would only be missed at the end of a training."""
    with pytest.raises(RuntimeError, match="begin"):
        InriaWriter(tmp_path, "/data").log(1, {})

"""LichtFeld Studio's folders through the years: numbered splats, project files, metrics.csv, and the one checkpoint."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.errors import NotARun, UnreadableFile
from runs.open_run import open_run, reopen
from runs.points import PointCloud
from runs.run import Run
from tests.support.colmap_writer import write_text
from tests.support.exchange import FOREIGN
from tests.support.files import random_gaussians, write_points, write_splats
from tests.support.lichtfeld_writer import PARAMS, Written, adam_of
from tests.support.models import model_of
from tests.support.runs import ring_cameras
from tests.support.written import assert_same_gaussians

SAVES = {7_000: random_gaussians(20, degree=3, seed=1), 30_000: random_gaussians(31, degree=3, seed=2)}
WITH_LPIPS = "iteration,psnr,ssim,lpips,time_per_image,num_gaussians\n7000,24.5,0.8,0.25,0.01,20\n30000,26.25,0.85,0.2,0.01,31\n"
WITHOUT = "iteration,psnr,ssim,time_per_image,num_gaussians\n7000,24.5,0.8,0.01,20\n30000,26.25,0.85,0.01,31\n"


def notes(run: Run) -> list[str]:
    return [f"{Path(note.file).name}: {note.says}" for note in run.notes]


def write_plys(folder: Path, iterations: tuple[int, ...] = tuple(SAVES)) -> Path:
    for iteration in iterations:
        write_splats(folder / f"splat_{iteration}.ply", SAVES[iteration])
    return folder


def write_config(folder: Path, **changes: Any) -> Path:
    """training_config.json, `changes` being settings of the optimisation."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = {**PARAMS, "optimization": {**PARAMS["optimization"], **changes}, "server": {}, "timestamp": "2026-07-20 10:00:00"}
    (folder / "training_config.json").write_text(json.dumps(stored), "utf-8")
    return folder


def assert_saves(run: Run) -> None:
    assert (run.trainer.name, run.iterations) == ("lichtfeld", tuple(SAVES))
    for iteration, gaussians in SAVES.items():
        assert_same_gaussians(run.checkpoint(iteration).gaussians, gaussians)


def test_the_first_layout_opens(tmp_path: Path) -> None:
    """gaussian-splatting-cuda kept INRIA's folders, without cfg_args; its metrics.csv tells it."""
    for iteration, gaussians in SAVES.items():
        write_splats(tmp_path / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply", gaussians)
    assert open_run(tmp_path).trainer.name == "unknown"
    (tmp_path / "metrics.csv").write_text(WITH_LPIPS)
    assert_saves(open_run(tmp_path))


def test_a_run_of_2025_opens(tmp_path: Path) -> None:
    """Splats in the folder and those saved from the window, a project file, and scores with LPIPS."""
    write_plys(tmp_path, (30_000,))
    write_splats(tmp_path / "checkpoints" / "splat_7000.ply", SAVES[7_000])
    (tmp_path / "metrics.csv").write_text(WITH_LPIPS)
    run = open_run(tmp_path)
    assert_saves(run)
    assert {name: run.series[name].at(30_000) for name in ("test/psnr", "test/ssim", "test/lpips", "num_gaussians")} == {
        "test/psnr": 26.25, "test/ssim": 0.85, "test/lpips": 0.2, "num_gaussians": 31}


def test_a_project_tells_iterations_and_settings(tmp_path: Path) -> None:
    """Its list says which file is of which iteration, whatever its name; imported files are no saves."""
    write_splats(tmp_path / "splat_7000.ply", SAVES[7_000])
    write_splats(tmp_path / "garden.ply", SAVES[30_000])
    write_splats(tmp_path / "other.ply", SAVES[30_000])
    plys = [{"is_imported": False, "ply_path": "C:\\out\\garden.ply", "ply_training_iter_number": 30_000, "ply_name": "garden"},
            {"is_imported": True, "ply_path": "other.ply", "ply_training_iter_number": 12, "ply_name": "other"}, "junk", {}]
    project = {"project_info": "LichtFeldStudio Project File", "version": "0.0.1", "project_name": "garden",
               "data": {**PARAMS["dataset"], "data_type": "Colmap"}, "training": {"optimization": PARAMS["optimization"]},
               "outputs": {"plys": plys}}
    (tmp_path / "project.lfs").write_text(json.dumps(project, indent=4))
    run = open_run(tmp_path)
    assert_saves(run)
    assert [one.label for one in run.checkpoints] == [None, "garden"]
    assert run.settings["iterations"].source == "project.lfs"
    assert notes(run) == ["other.ply: is no numbered save and no file tells its iteration, so it is left out; "
                          "open it alone to see it"]


def test_a_run_of_2026_opens(tmp_path: Path) -> None:
    """One checkpoint, replaced at each save: a state, and the splats of an iteration that has no PLY."""
    write_plys(write_config(tmp_path), (30_000,))
    (tmp_path / "metrics.csv").write_text(WITHOUT)
    latest = random_gaussians(50, degree=2, seed=9)
    told = adam_of(latest, step=21_000)
    Written(latest, iteration=21_000, adam=told).write(tmp_path / "checkpoints" / "checkpoint.resume")
    run = open_run(tmp_path)
    assert (run.trainer.name, run.trainer.confidence, run.iterations) == ("lichtfeld", 0.95, (21_000, 30_000))
    assert_same_gaussians(run.checkpoint(21_000).gaussians, latest)
    (state,) = run.state_files
    assert (state.iteration, state.state.kind, state.state.missing) == (21_000, "lichtfeld mcmc", ())
    assert_same_gaussians(state.state.gaussians, latest)
    np.testing.assert_array_equal(state.state.adam["f_rest"].exp_avg, told["shN"].exp_avg)
    assert state.state.adam["xyz"].step == 21_000
    assert run.series["test/psnr"].at(30_000) == 26.25
    assert notes(run) == []


def test_a_ply_is_preferred_to_the_checkpoint_of_its_iteration(tmp_path: Path) -> None:
    """It is the export, and what other tools see; the state opens beside it."""
    write_plys(tmp_path)
    Written(random_gaussians(31, degree=3, seed=5), iteration=30_000).write(tmp_path / "checkpoints" / "checkpoint.resume")
    run = open_run(tmp_path)
    assert_saves(run)
    assert [state.iteration for state in run.state_files] == [30_000]


def test_a_ply_of_any_name_is_of_the_iteration_of_its_checkpoint(tmp_path: Path) -> None:
    """With --output-name the last PLY has no number; the checkpoint saved with it begins with the same splat."""
    gone = np.zeros(31, bool)
    gone[[0, 4]] = True
    latest = SAVES[30_000]
    write_splats(tmp_path / "garden.ply", latest.take(~gone))
    write_splats(tmp_path / "older.ply", random_gaussians(29, degree=3, seed=8))
    Written(latest, iteration=30_000, deleted=gone).write(tmp_path / "checkpoints" / "checkpoint.resume")
    run = open_run(tmp_path)
    assert [(one.iteration, one.label, one.path.name) for one in run.checkpoints] == [(30_000, "garden", "garden.ply")]
    assert_same_gaussians(run.checkpoints[0].gaussians, latest.take(~gone))
    assert [note.partition(":")[0] for note in notes(run)] == ["older.ply"]


@pytest.mark.parametrize(("strategy", "names"), [
    ("default", {"denom", "xyz_gradient_accum"}), ("mcmc", {"densification_info_weight", "densification_info_score"}),
])
def test_statistics_have_inrias_names_only_where_they_are_inrias(strategy: str, names: set[str], tmp_path: Path) -> None:
    """The plain strategy sums gradients; the others score by errors, which a detector of gradients must not read."""
    info = np.arange(40, dtype=np.float32).reshape(2, 20)
    gone = np.zeros(20, bool)
    gone[[3, 7]] = True
    Written(SAVES[7_000], strategy=strategy, densification=info, deleted=gone).write(tmp_path / "checkpoint.resume")
    state = open_run(tmp_path).state_files[0].state
    assert set(state.statistics) == names
    first, second = (state.statistics[name] for name in (("denom", "xyz_gradient_accum") if strategy == "default" else
                                                        ("densification_info_weight", "densification_info_score")))
    np.testing.assert_array_equal(first, info[0, ~gone])
    np.testing.assert_array_equal(second, info[1, ~gone])


def test_approximate_moments_say_so(tmp_path: Path) -> None:
    """Eight bits per number are no measurement of the third digit."""
    Written(SAVES[7_000], adam=adam_of(SAVES[7_000]), adam_version=2).write(tmp_path / "checkpoint.resume")
    assert open_run(tmp_path).state_files[0].state.kind == "lichtfeld mcmc, approximate moments of 8 bits"


def test_damaged_moments_do_not_hide_the_splats(tmp_path: Path) -> None:
    """What is missing is said with the state."""
    path = Written(SAVES[7_000], adam=adam_of(SAVES[7_000])).write(tmp_path / "checkpoint.resume")
    whole = path.read_bytes()
    at = whole.index(b"DAFL") + 8 + 40 + 4  # behind the configuration: the first name
    path.write_bytes(whole[:at] + b"\xff" * 4 + whole[at + 4:])
    state = open_run(tmp_path).state_files[0].state
    assert (state.adam, len(state.missing)) == ({}, 1)
    assert state.missing[0].startswith("Adam's memory (this checkpoint holds something else where a name belongs")
    assert_same_gaussians(state.gaussians, SAVES[7_000])


def test_a_half_written_checkpoint_leaves_the_rest_open(tmp_path: Path) -> None:
    """A copy that was cut off."""
    path = Written(SAVES[7_000], iteration=9_000).write(write_plys(tmp_path) / "checkpoints" / "checkpoint.resume")
    path.write_bytes(path.read_bytes()[:500])
    run = open_run(tmp_path)
    assert_saves(run)
    assert run.state_files == ()
    assert notes(run)[0].startswith("checkpoint.resume: left out: this checkpoint claims")


def test_a_replaced_checkpoint_is_another_one(tmp_path: Path) -> None:
    """Looking again finds the new iteration, and keeps the PLYs that have not changed."""
    path = Written(SAVES[7_000], iteration=9_000).write(write_plys(tmp_path) / "checkpoints" / "checkpoint.resume")
    run = open_run(tmp_path)
    assert reopen(run).checkpoint(9_000) is run.checkpoint(9_000)
    assert reopen(run).state_files == run.state_files
    Written(SAVES[30_000], iteration=12_000).write(path)
    again = reopen(run)
    assert again.iterations == (7_000, 12_000, 30_000)
    assert again.checkpoint(7_000) is run.checkpoint(7_000)


@pytest.mark.parametrize("strategy", ["mcmc", "mrnf", "igs+"])
def test_a_schedule_is_found_by_inrias_names_only_as_far_as_it_is_followed(strategy: str, tmp_path: Path) -> None:
    """All strategies refine between two iterations; none of these clones by gradient or resets opacities as INRIA does."""
    settings = open_run(write_plys(write_config(tmp_path, strategy=strategy))).settings
    assert {name: settings.value(name) for name in ("densify_from_iter", "densify_until_iter", "densification_interval")} == {
        "densify_from_iter": 500, "densify_until_iter": 25_000, "densification_interval": 100}
    found = [settings.value(name) for name in ("iterations", "cap_max", "source_path")]
    assert found == [30_000, 10**6, "/data/garden"]
    assert settings["densify_until_iter"].name == "stop_refine"
    assert all(settings[name].stored for name in settings)
    assert all(name not in settings for name in ("densify_grad_threshold", "opacity_reset_interval", "position_lr_init"))


def test_the_plain_strategy_is_inrias(tmp_path: Path) -> None:
    """It clones by gradient and resets opacities."""
    settings = open_run(write_plys(write_config(tmp_path, strategy="default"))).settings
    assert (settings.value("densify_grad_threshold"), settings.value("opacity_reset_interval")) == (0.0002, 3_000)


def test_scaled_steps_are_not_taken_for_those_that_were_trained(tmp_path: Path) -> None:
    """Versions differ in whether a file holds them before or after scaling; the checkpoint's are after."""
    write_plys(write_config(tmp_path, steps_scaler=3.0))
    settings = open_run(tmp_path).settings
    assert settings.value("iterations (before or after steps_scaler)") == 30_000
    assert all(name not in settings for name in ("iterations", "densify_until_iter", "stop_refine"))
    scaled = {**PARAMS, "optimization": {**PARAMS["optimization"], "steps_scaler": 3.0, "iterations": 90_000}}
    Written(SAVES[7_000], iteration=50_000, params=scaled).write(tmp_path / "checkpoints" / "checkpoint.resume")
    settings = open_run(tmp_path).settings
    assert (settings.value("iterations"), settings["iterations"].source) == (90_000, "checkpoint.resume")


@pytest.mark.parametrize(("evaluated", "split"), [(False, "train"), (True, None)])
def test_cameras_are_those_of_the_data_set(evaluated: bool, split: str | None, tmp_path: Path) -> None:
    """In its world; which were held out depends on an order that no file tells."""
    points = PointCloud(np.random.default_rng(0).normal(size=(9, 3)), None, "made")
    write_text(model_of(ring_cameras(8), points), tmp_path / "garden" / "sparse" / "0")
    run = open_run(write_plys(write_config(tmp_path / "run", enable_eval=evaluated)), tmp_path / "garden")
    assert [camera.name for camera in run.cameras] == [f"view_{i:03d}.png" for i in range(8)]
    np.testing.assert_allclose(run.cameras[2].world_from_camera, ring_cameras(8)[2].world_from_camera, atol=1e-9)
    assert {camera.split for camera in run.cameras} == {split}
    assert any("their split is left open" in note for note in notes(run)) == evaluated


def test_splats_alone_are_told_by_their_names(tmp_path: Path) -> None:
    """With less confidence; the cloud that training began from is no save."""
    write_plys(tmp_path)
    run = open_run(tmp_path)
    assert_saves(run)
    assert run.trainer.confidence == 0.6


def test_a_container_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """The folder opens with what else it holds."""
    path = tmp_path / "garden.licht"
    path.write_bytes(b"\x89LFS\r\n\x1a\n" + bytes(70_000))
    with pytest.raises(UnreadableFile, match="export its splats as PLY from LichtFeld Studio"):
        open_run(path)
    run = open_run(write_plys(tmp_path))
    assert_saves(run)
    assert any(note.startswith("garden.licht: left out: this is a LichtFeld Studio project") for note in notes(run))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"optimization": 3, "dataset": {}}', b'{"lr": 1}', b"\xff" * 40])
def test_another_training_config_is_not_its(content: bytes, tmp_path: Path) -> None:
    """Many programs write a file of this name."""
    (tmp_path / "training_config.json").write_bytes(content)
    with pytest.raises(NotARun):
        open_run(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff" * 40, b'{"project_info": "LichtFeldStudio Project File"}',
                                     b'{"project_info": "LichtFeldStudio Project File", "outputs": [], "training": 3}'])
def test_an_odd_project_leaves_the_splats_open(content: bytes, tmp_path: Path) -> None:
    """Each file is one among several."""
    write_plys(tmp_path)
    (tmp_path / "project.lfs").write_bytes(content)
    run = open_run(tmp_path)
    assert_saves(run)
    assert len(run.settings) == 0


def test_a_point_cloud_beside_the_splats_is_no_save(tmp_path: Path) -> None:
    """It is told, and left out."""
    write_points(write_plys(tmp_path) / "splat_100.ply", np.zeros((5, 3)))
    run = open_run(tmp_path)
    assert_saves(run)
    assert notes(run)[0].startswith("splat_100.ply: left out: this PLY is a plain point cloud")


def test_compressed_saves_fill_the_gaps(tmp_path: Path) -> None:
    """The 2025 trainer can write each save as SOG too; it stands in where there is no PLY, and says that it is lossy."""
    write_plys(tmp_path)
    (tmp_path / "sog").mkdir()
    bundle = FOREIGN / "transform_sh2.sog"  # of another tool
    for iteration in (7_000, 15_000):
        (tmp_path / "sog" / f"splat_{iteration}_sog.sog").write_bytes(bundle.read_bytes())
    run = open_run(tmp_path)
    assert [(one.iteration, one.keeps_rows) for one in run.checkpoints] == [(7_000, True), (15_000, False), (30_000, True)]
    assert run.checkpoint(15_000).gaussians.count == run.checkpoint(15_000).count > 0

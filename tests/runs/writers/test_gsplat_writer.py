"""The gsplat layout differs from INRIA's in every file; what the lab writes must be what its trainer would, down to the step."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from plyfile import PlyData

from runs.formats.tensorboard import read_events
from runs.formats.yaml_file import TAG, read_yaml
from runs.open_run import open_run
from runs.run import Run
from runs.trainers.shared.splits import held_out_every
from runs.writers.gsplat import GsplatWriter
from tests.support.colmap_writer import write_text
from tests.support.models import model_of
from tests.support.runs import ring_cameras
from tests.support.written import ROWS, SETTINGS, Told, assert_same_gaussians, tell

SETTINGS = {**SETTINGS, "white_background": False, "tb_every": 1, "percent_dense": 0.02, "opacity_cull": 0.01,
            "save_iterations": (100, 200)}


def write(folder: Path, *, settings=SETTINGS, data: bool = False, **options) -> tuple[Run, Told]:
    """A written run, opened; `data`: with a COLMAP model of the same cameras and points."""
    writer = GsplatWriter(folder / "run", "/nowhere", clock=lambda: 1.7e9, **options)
    told = tell(writer, settings=settings)
    if data:
        write_text(model_of(told.cameras, told.points), folder / "data" / "sparse" / "0")
    return open_run(folder / "run", folder / "data" if data else None), told


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_written_run_opens_as_what_was_written(ranks: int, tmp_path: Path) -> None:
    """Gaussians, settings and the planned schedule come back; with several ranks only the order of rows is another."""
    run, told = write(tmp_path, ranks=ranks)
    assert (run.trainer.name, run.iterations, run.state_files) == ("gsplat", (100, 200), ())
    for iteration, gaussians in told.gaussians.items():
        in_order = np.concatenate([np.arange(rank, gaussians.count, ranks) for rank in range(ranks)])
        checkpoint = run.checkpoint(iteration)
        assert_same_gaussians(checkpoint.gaussians, gaussians.take(in_order))
        assert (checkpoint.count, checkpoint.sh_degree) == (gaussians.count, 1)
        assert checkpoint.shards == (None if ranks == 1 else (ranks, ranks))
    assert [note.says for note in run.notes] == []


def test_settings_come_back_under_both_spellings(tmp_path: Path) -> None:
    """Whoever asks for INRIA's name finds gsplat's setting, which tells its own name for the advice."""
    run, _ = write(tmp_path)
    for name in ("iterations", "lambda_dssim", "densify_until_iter", "opacity_reset_interval", "position_lr_init",
                 "percent_dense", "densification_interval", "densify_grad_threshold", "densify_from_iter"):
        assert run.settings[name].value == SETTINGS[name]
        assert run.settings[name].stored
    assert run.settings["densify_until_iter"].name == "strategy.refine_stop_iter"
    assert run.settings["refine_stop_iter"].value == 150
    assert run.settings.value("opacity_cull") == run.settings.value("strategy.prune_opa") == 0.01
    assert run.settings.value("strategy") == "default"
    assert "densify_until_iter" not in list(run.settings)


def test_cameras_come_from_the_data_folder(tmp_path: Path) -> None:
    """Poses, lens and split of every camera, and the cloud that training began from."""
    run, told = write(tmp_path, data=True)
    by_name = {camera.name: camera for camera in told.cameras}
    assert {camera.name for camera in run.cameras} == set(by_name)
    for camera in run.cameras:
        expected = by_name[camera.name]
        np.testing.assert_allclose(camera.world_from_camera, expected.world_from_camera, atol=1e-6)
        found, wanted = ((c.fx, c.fy, c.cx, c.cy, *c.size_px) for c in (camera, expected))
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        assert camera.split == expected.split
    np.testing.assert_allclose(run.input_points.xyz, told.points.xyz)
    assert run.notes == ()


def test_series_come_back_at_their_iteration(tmp_path: Path) -> None:
    """Step 0 is iteration 1: without the shift every event would seem one iteration late."""
    run, _ = write(tmp_path)
    for iteration, row in ROWS.items():
        np.testing.assert_allclose(run.series["loss/l1"].at(iteration), row["l1"], rtol=1e-7)
        np.testing.assert_allclose(run.series["loss/ssim"].at(iteration), 1 - row["ssim"], rtol=1e-7)
        assert run.series["num_gaussians"].at(iteration) == row["n"]
    assert (run.series["test/psnr"].at(1), run.series["test/psnr"].at(200)) == (14.25, 24.25)


def test_with_several_ranks_their_counts_are_added_up(tmp_path: Path) -> None:
    """TensorBoard is written by the first process alone, whose count is no count of the model."""
    run, told = write(tmp_path, ranks=2)
    assert run.series["num_gaussians"].at(200) == told.gaussians[200].count
    assert run.series["num_gaussians"].iterations.tolist() == [100, 200]
    assert run.series["raw/train/num_GS_of_rank_0"].at(200) == ROWS[200]["n"] / 2


def test_the_files_are_those_of_the_trainer(tmp_path: Path) -> None:
    """Names, keys, tags and the Python object in cfg.yml."""
    run, told = write(tmp_path, settings={**SETTINGS, "tb_every": 100}, ply=True)
    files = {path.relative_to(run.path).as_posix() for path in run.path.rglob("*") if path.is_file() and path.parent.name != "tb"}
    assert files == {
        "cfg.yml", "ckpts/ckpt_99_rank0.pt", "ckpts/ckpt_199_rank0.pt", "ply/point_cloud_99.ply", "ply/point_cloud_199.ply",
        "stats/train_step0099_rank0.json", "stats/train_step0199_rank0.json", "stats/val_step0000.json",
        "stats/val_step0199.json"}
    assert json.loads((run.path / "stats/train_step0199_rank0.json").read_text()) == {"ellipse_time": 0.0, "num_GS": 31}
    assert json.loads((run.path / "stats/val_step0199.json").read_text()) == {"psnr": 24.25, "num_GS": 30}
    text = (run.path / "cfg.yml").read_text()
    assert "strategy: !!python/object:gsplat.strategy.default.DefaultStrategy\n  absgrad: false\n" in text
    stored = read_yaml(run.path / "cfg.yml")
    assert stored["save_steps"] == [100, 200]
    assert (stored["max_steps"], stored["data_dir"], stored["strategy"]["refine_stop_iter"]) == (200, "/nowhere", 150)
    assert list(stored) == sorted(stored)
    scalars = read_events(next((run.path / "tb").iterdir())).scalars
    assert scalars["train/l1loss"].steps.tolist() == [0]
    assert scalars["val/psnr"].steps.tolist() == [0, 199]
    vertex = PlyData.read(str(run.path / "ply/point_cloud_199.ply"))["vertex"]
    assert [p.name for p in vertex.properties][:6] == ["x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2"]
    np.testing.assert_array_equal(vertex["x"], told.gaussians[200].means[:, 0])


def test_the_settings_are_exactly_those_of_the_installed_strategies(tmp_path: Path) -> None:
    """The field names and defaults of gsplat itself, so that nothing here is made up."""
    strategies = pytest.importorskip("gsplat.strategy", reason="gsplat is a peer for proofs, not needed by the product")
    for name, kind in (("default", strategies.DefaultStrategy), ("mcmc", strategies.MCMCStrategy)):
        run, _ = write(tmp_path / name, settings={"strategy": name})
        assert read_yaml(run.path / "cfg.yml")["strategy"] == {
            TAG: f"object:{kind.__module__}.{kind.__name__}", **vars(kind())}


def test_torch_loads_the_checkpoint(tmp_path: Path) -> None:
    """Without trust, and with the shapes that gsplat's rasterisation takes."""
    torch = pytest.importorskip("torch", reason="torch is a peer for proofs, not needed by the product")
    run, told = write(tmp_path)
    saved = torch.load(run.path / "ckpts/ckpt_199_rank0.pt", weights_only=True)
    assert saved["step"] == 199
    assert {name: tuple(values.shape) for name, values in saved["splats"].items()} == {
        "means": (31, 3), "scales": (31, 3), "quats": (31, 4), "opacities": (31,), "sh0": (31, 1, 3), "shN": (31, 3, 3)}
    np.testing.assert_array_equal(saved["splats"]["shN"].numpy(), told.gaussians[200].sh_rest)


def test_mcmc_has_its_own_fields(tmp_path: Path) -> None:
    """A cap that is stored under the default strategy would never be found."""
    run, _ = write(tmp_path, settings={**SETTINGS, "strategy": "mcmc", "cap_max": 40, "noise_lr": 5e4})
    assert run.settings["cap_max"].name == "strategy.cap_max"
    assert (run.settings.value("cap_max"), run.settings.value("noise_lr"), run.settings.value("strategy")) == (40, 5e4, "mcmc")
    assert run.settings.value("opacity_reset_interval") is None
    assert run.settings.value("strategy.min_opacity") == 0.01


def test_what_the_trainer_cannot_do_is_a_mistake(tmp_path: Path) -> None:
    """Left out silently, the run would be diagnosed under settings that it did not have."""
    with pytest.raises(ValueError, match="background"):
        write(tmp_path / "white", settings={**SETTINGS, "white_background": True})
    with pytest.raises(ValueError, match="strategy"):
        write(tmp_path / "other", settings={**SETTINGS, "strategy": "revising"})
    cameras = tuple(replace(camera, split="test" if i == 1 else "train") for i, camera in enumerate(ring_cameras(4)))
    with pytest.raises(ValueError, match="every n-th"):
        GsplatWriter(tmp_path / "split", "/data").begin(cameras, told_points(tmp_path), SETTINGS)
    with pytest.raises(RuntimeError, match="begin"):
        GsplatWriter(tmp_path / "early", "/data").log(1, {})


def told_points(tmp_path: Path):
    return write(tmp_path / "points")[1].points


def test_any_split_by_name_is_found(tmp_path: Path) -> None:
    """The writer stores the rule that made the cameras' split."""
    for every in (1, 3, 8, 12):
        cameras = held_out_every(ring_cameras(12), every)
        writer = GsplatWriter(tmp_path / str(every), "/data")
        writer.begin(cameras, told_points(tmp_path / f"p{every}"), SETTINGS)
        writer.finish()
        assert read_yaml(tmp_path / str(every) / "cfg.yml")["test_every"] == every

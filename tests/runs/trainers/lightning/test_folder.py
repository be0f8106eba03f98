"""gaussian-splatting-lightning: Lightning's checkpoints with the trainer's own objects inside, one per process if distributed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from runs.writers.torch_zip import write_torch_file
from tests.support.event_writer import event, simple_value, version_event
from tests.support.files import random_gaussians, write_points, write_splats
from tests.support.foreign_objects import filled, foreign_classes
from tests.support.runs import ring_cameras
from tests.support.torch_state import Stepped, assert_same_memory, stepped
from tests.support.written import assert_same_gaussians

CLASSES = ("internal.models.vanilla_gaussian.VanillaGaussian", "internal.models.vanilla_gaussian.OptimizationConfig",
           "internal.density_controllers.vanilla_density_controller.VanillaDensityController",
           "internal.metrics.vanilla_metrics.VanillaMetrics", "internal.dataparsers.colmap_dataparser.Colmap")
RATES = {"means": np.float64(4e-4), "shs_dc": 0.0025, "shs_rest": 0.0025 / 20, "opacities": 0.05, "scales": 0.005,
         "rotations": 0.001}
NAMES = {"means": "xyz", "shs_dc": "f_dc", "shs_rest": "f_rest", "opacities": "opacity", "scales": "scaling",
         "rotations": "rotation"}
OLD = {"means": "_xyz", "shs_dc": "_features_dc", "shs_rest": "_features_rest", "opacities": "_opacity", "scales": "_scaling",
       "rotations": "_rotation"}
CFG_ARGS = ("Namespace(sh_degree=3, white_background=False, source_path='/nowhere/garden', images='images', eval=True, "
            "resolution=1, data_device='cpu')")


def says(run: Run) -> list[str]:
    return [note.says for note in run.notes]


def hyper_parameters(kinds: tuple[type, ...], absgrad: bool, loss: str, changed: Mapping[str, Any]) -> dict[str, Any]:
    """What `save_hyperparameters` keeps: instances of the trainer's dataclasses."""
    gaussian, optimization, density, metric, parser = kinds
    return {
        "gaussian": filled(gaussian, sh_degree=3, optimization=filled(
            optimization, means_lr_init=1.6e-4, shs_dc_lr=0.0025, opacities_lr=0.05, scales_lr=0.005, rotations_lr=0.001)),
        "density": filled(density, **{
            "densify_from_iter": 500, "densify_until_iter": 15_000, "densification_interval": 100, "absgrad": absgrad,
            "opacity_reset_interval": 3_000, "densify_grad_threshold": 2e-4, "cull_opacity_threshold": 0.005,
            "percent_dense": 0.01, **changed}),
        "metric": filled(metric, lambda_dssim=0.2, rgb_diff_loss=loss), "save_iterations": [7_000, 30_000],
        "output_path": "outputs/garden", "parser": filled(parser, down_sample_factor=1),
    }


def write_checkpoint(
    folder: Path, gaussians: Gaussians, step: int, *, rank: int | None = None, old: bool = False, absgrad: bool = False,
    loss: str = "l1", counted: int | None = None, density: Mapping[str, Any] | None = None,
) -> Stepped:
    """As `Trainer.save_checkpoint` of Lightning: two optimizers, buffers of the density controller, objects as settings."""
    import torch

    values = {
        "means": gaussians.means, "shs_dc": gaussians.sh0[:, None], "shs_rest": gaussians.sh_rest,
        "opacities": gaussians.logit_opacities[:, None], "scales": gaussians.log_scales, "rotations": gaussians.quats_wxyz,
    }
    told = stepped(values, RATES, apart=("means",), counted=counted)
    count = gaussians.count
    statistics = {"max_radii2D": torch.arange(count), "xyz_gradient_accum": torch.ones(count, 1),
                  "denom": torch.full((count, 1), 2.0)}
    if old:
        state = {f"gaussian_model.{OLD[name]}": parameter.detach() for name, parameter in told.parameters.items()}
        extra = {"gaussian_model_extra_state_dict": {**statistics, "spatial_lr_scale": 2.5, "active_sh_degree": 2}}
    else:
        state = {f"gaussian_model.gaussians.{name}": parameter.detach() for name, parameter in told.parameters.items()}
        state["gaussian_model._active_sh_degree"] = torch.tensor(2, dtype=torch.uint8)
        state |= {f"density_controller.{name}": value for name, value in statistics.items()}
        extra = {}
    ranked = "" if rank is None else f"-rank={rank}"
    path = folder / "checkpoints" / f"epoch=212-step={step}{ranked}.ckpt"
    path.parent.mkdir(parents=True, exist_ok=True)
    with foreign_classes(*CLASSES) as kinds:
        torch.save({
            "epoch": 212, "global_step": step, "pytorch-lightning_version": "2.2.0", "state_dict": state, "loops": {},
            "callbacks": {}, "optimizer_states": [one.state_dict() for one in told.optimizers], "lr_schedulers": [],
            "hparams_name": "kwargs", "hyper_parameters": hyper_parameters(kinds, absgrad, loss, density or {}),
            "datamodule_hparams_name": "kwargs", "datamodule_hyper_parameters": {"path": "/nowhere/garden"}, **extra}, path)
    return told


def begun(folder: Path) -> Path:
    """What the data module writes before training: a stub of settings for viewers, cameras with principal points, the start."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cfg_args").write_text(CFG_ARGS, encoding="utf-8")
    cameras = [{
        "id": i, "img_name": c.name, "width": 96, "height": 96, "position": c.centre.tolist(), "cx": 47.0, "cy": 49.5,
        "rotation": c.world_from_camera[:3, :3].tolist(), "fx": c.fx, "fy": c.fy, "time": 0.0, "appearance_id": 0,
    } for i, c in enumerate(ring_cameras(9))]
    (folder / "cameras.json").write_text(json.dumps(cameras), encoding="utf-8")
    write_points(folder / "input.ply", random_gaussians(5).means, np.full((5, 3), 3))
    return folder


class TestCheckpoints:
    """Written by torch.save with objects of classes that are not here when they are read."""

    @pytest.mark.parametrize("old", [False, True])
    def test_gaussians_and_state_come_back_bit_by_bit(self, old: bool, tmp_path: Path) -> None:
        """In 2023 the parameters were attributes of INRIA's names."""
        pytest.importorskip("torch")
        gaussians = random_gaussians(6, degree=3)
        told = write_checkpoint(begun(tmp_path), gaussians, 30_000, old=old)
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("gs-lightning", (30_000,))
        assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
        state = run.state_files[0].state
        assert_same_memory(state, told, NAMES, RATES)
        assert (state.active_sh_degree, state.spatial_lr_scale, state.missing) == (2, 2.5 if old else None, ())
        np.testing.assert_array_equal(state.statistics["max_radii2D"], np.arange(6))
        np.testing.assert_array_equal(state.statistics["denom"], np.full(6, 2))

    def test_processes_are_put_together(self, tmp_path: Path) -> None:
        """Each saves its part; a lost one is told."""
        pytest.importorskip("torch")
        parts = [random_gaussians(4, degree=1, seed=rank) for rank in range(3)]
        for rank in (0, 2):
            write_checkpoint(begun(tmp_path), parts[rank], 7_000, rank=rank)
        run = open_run(tmp_path)
        assert (run.checkpoints[0].shards, run.checkpoints[0].count, run.state_files) == ((2, 3), 8, ())
        np.testing.assert_array_equal(run.checkpoints[0].gaussians.means, np.concatenate([parts[0].means, parts[2].means]))
        assert "is missing: 3 processes trained" in says(run)[0]
        assert run.notes[0].file.endswith("epoch=212-step=7000-rank=1.ckpt")

    def test_splat_files_fill_the_gaps(self, tmp_path: Path) -> None:
        """save_ply writes them under another name first; what is not renamed yet is not read."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), random_gaussians(6, degree=1), 7_000)
        for step in (7_000, 30_000):
            write_splats(tmp_path / "point_cloud" / f"iteration_{step}" / "point_cloud.ply", random_gaussians(9, degree=1))
        half = tmp_path / "point_cloud" / "iteration_31000" / "point_cloud.ply.tmp"
        half.parent.mkdir()
        half.write_bytes(b"ply\n")
        run = open_run(tmp_path)
        assert [(c.iteration, c.count) for c in run.checkpoints] == [(7_000, 6), (30_000, 9)]
        assert says(run) == []

    @pytest.mark.parametrize("saved", [3, {"state_dict": 3}, {"state_dict": {}, "global_step": 4}])
    def test_a_foreign_file_is_left_out(self, saved: Any, tmp_path: Path) -> None:
        """The run opens without it."""
        write_torch_file(begun(tmp_path) / "checkpoints" / "epoch=1-step=2.ckpt", saved)
        run = open_run(tmp_path)
        assert run.checkpoints == ()
        assert says(run)[0].startswith("left out: this ")


class TestSettings:
    """They lie in each checkpoint, as objects of the trainer's classes."""

    def test_inrias_names_find_them(self, tmp_path: Path) -> None:
        """By the last part of their dotted names, wherever versions put them."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), random_gaussians(3, degree=1), 7_000)
        settings = open_run(tmp_path).settings
        expected = {
            "densify_until_iter": 15_000, "opacity_reset_interval": 3_000, "position_lr_init": 1.6e-4, "opacity_lr": 0.05,
            "densify_grad_threshold": 2e-4, "opacity_cull": 0.005, "lambda_dssim": 0.2, "white_background": False,
            "gaussian.sh_degree": 3, "source_path": "/nowhere/garden", "data.path": "/nowhere/garden",
        }
        assert {name: settings.value(name) for name in expected} == expected

    def test_a_threshold_of_absolute_gradients_is_another(self, tmp_path: Path) -> None:
        """It is not INRIA's, and must not be judged as if it were."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), random_gaussians(3, degree=1), 7_000, absgrad=True)
        assert open_run(tmp_path).settings.value("densify_grad_threshold") is None


class TestBeside:
    """cameras.json, input.ply and logs."""

    def test_cameras_are_those_that_trained(self, tmp_path: Path) -> None:
        """The file tells principal points, and holds trained views alone, whatever `eval` in the stub says."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), random_gaussians(3, degree=1), 7_000)
        run = open_run(tmp_path)
        assert {(c.split, c.cx, c.cy, c.has_principal_point) for c in run.cameras} == {("train", 47.0, 49.5, True)}
        assert len(run.input_points) == 5
        assert says(run) == []

    @pytest.mark.parametrize(("loss", "name"), [("l1", "loss/l1"), ("l2", "loss/l2")])
    def test_the_difference_that_was_logged(self, loss: str, name: str, tmp_path: Path) -> None:
        """rgb_diff is what the settings made it; steps count from 0."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), random_gaussians(3, degree=1), 7_000, loss=loss)
        logs = tmp_path / "lightning_logs" / "version_0" / "events.out.tfevents.1.host.1.0"
        logs.parent.mkdir(parents=True)
        logs.write_bytes(version_event() + event(99, 1.0, [simple_value("train/rgb_diff", 0.5), simple_value("val/psnr", 20.0)]))
        series = open_run(tmp_path).series
        assert series[name].at(100) == 0.5
        assert series["test/psnr"].at(100) == 20.0

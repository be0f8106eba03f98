"""3DGRUT's folders: OmegaConf objects in the checkpoints, one file for Gaussians and optimizer, cameras of a COLMAP model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from runs.trainers.grut.saved import INRIA_NAMES
from runs.writers.torch_zip import write_torch_file
from tests.support.colmap_writer import write_text
from tests.support.event_writer import event, simple_value, version_event
from tests.support.files import inria_columns, random_gaussians, write_ply
from tests.support.models import model_of
from tests.support.runs import points_of, ring_cameras
from tests.support.torch_state import Stepped, assert_same_memory, stepped
from tests.support.written import assert_same_gaussians

RATES = {"positions": np.float64(1.6e-4 * 2.5), "density": 0.05, "features_albedo": 0.0025, "features_specular": 0.0025 / 20,
         "rotation": 0.001, "scale": 0.005}
CONFIG = """\
path: /nowhere/bonsai
n_iterations: 30000
dataset: {type: colmap, downsample_factor: 2, test_split_interval: 8}
initialization: {method: colmap}
render: {method: 3dgut, particle_kernel_degree: 2}
model:
  density_activation: sigmoid
  progressive_training: {feature_type: sh, init_n_features: 0, max_n_features: 3, increase_frequency: 1000}
checkpoint:
  iterations: [7000, 30000]
optimizer:
  type: adam
  eps: 1.0e-15
  params:
    positions: {lr: 0.00016}
    density: {lr: 0.05}
    features_albedo: {lr: 0.0025}
    features_specular: {lr: '${div:${optimizer.params.features_albedo.lr},20}'}
    rotation: {lr: 0.001}
    scale: {lr: 0.005}
scheduler:
  positions: {type: exp, lr_final: 1.6e-06, max_steps: 30000}
loss: {use_l1: true, lambda_l1: 0.8, use_ssim: true, lambda_ssim: 0.2}
strategy:
  method: GSStrategy
  densify: {frequency: 300, start_iteration: 500, end_iteration: 15000, clone_grad_threshold: 2.0e-4,
            relative_size_threshold: 0.01}
  prune: {frequency: 100, density_threshold: 0.005}
  reset_density: {frequency: 3000, new_max_density: 0.01}
"""


def says(run: Run) -> list[str]:
    return [note.says for note in run.notes]


def begun(folder: Path, text: str = CONFIG) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "parsed.yaml").write_text(text, encoding="utf-8")
    return folder


def write_checkpoint(
    path: Path, gaussians: Gaussians, step: int, *, config: Any = None, rates: Mapping[str, Any] = RATES,
    counted: int | None = None,
) -> Stepped:
    """As `Trainer3DGRUT.save_checkpoint`: parameters, optimizer, settings as OmegaConf's objects, statistics in 1-tuples."""
    import torch

    values = {
        "positions": gaussians.means, "density": gaussians.logit_opacities[:, None], "features_albedo": gaussians.sh0,
        "features_specular": gaussians.sh_rest.reshape(gaussians.count, -1), "rotation": gaussians.quats_wxyz,
        "scale": gaussians.log_scales,
    }
    told = stepped(values, rates, counted=counted)
    saved = {
        **told.parameters, "background": {"color": torch.zeros(3)}, "n_active_features": 2, "max_n_features": 3,
        "progressive_training": True, "scene_extent": np.float64(2.5), "optimizer": told.optimizers[0].state_dict(),
        "config": config, "feature_dim_increase_interval": 1000, "global_step": step, "epoch": 29,
        "densify_grad_norm_accum": (torch.arange(gaussians.count, dtype=torch.float32)[:, None],),
        "densify_grad_norm_denom": (torch.full((gaussians.count, 1), 3, dtype=torch.int32),),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(saved, path)
    return told


@pytest.fixture
def omega() -> Any:
    return pytest.importorskip("omegaconf").OmegaConf


class TestCheckpoints:
    """torch.save with OmegaConf's own objects inside."""

    @pytest.mark.parametrize("degree", [0, 1, 3])
    def test_gaussians_come_back_bit_by_bit(self, degree: int, omega: Any, tmp_path: Path) -> None:
        """Harmonics lie flat, coefficient after coefficient; what OmegaConf's classes are is named and not built."""
        pytest.importorskip("torch")
        gaussians = random_gaussians(8, degree=degree)
        path = begun(tmp_path) / "ours_7000" / "ckpt_7000.pt"
        write_checkpoint(path, gaussians, 7000, config=omega.create({"a": {"b": [1, 2.5, "c", None, True]}}))
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("3dgrut", (7000,))
        assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
        assert says(run) == []

    def test_the_whole_state(self, omega: Any, tmp_path: Path) -> None:
        """Moments against torch's own; statistics under their own names, for they are not INRIA's."""
        pytest.importorskip("torch")
        told = write_checkpoint(begun(tmp_path) / "ours_7000" / "ckpt_7000.pt", random_gaussians(8, degree=3), 7000,
                                config=omega.create({"a": 1}))
        state = open_run(tmp_path).state_files[0].state
        assert_same_memory(state, told, INRIA_NAMES, RATES)
        assert (state.iteration, state.kind, state.active_sh_degree, state.spatial_lr_scale, state.missing) == (
            7000, "3dgrut", 2, 2.5, ())
        np.testing.assert_array_equal(state.statistics["densify_grad_norm_accum"], np.arange(8))
        np.testing.assert_array_equal(state.statistics["densify_grad_norm_denom"], np.full(8, 3))

    def test_the_last_checkpoint_is_that_of_an_iteration(self, tmp_path: Path) -> None:
        """ckpt_last.pt repeats the last one or adds one; it is never told twice."""
        pytest.importorskip("torch")
        first, last = random_gaussians(4, degree=1, seed=1), random_gaussians(5, degree=1, seed=2)
        write_checkpoint(begun(tmp_path) / "ours_7000" / "ckpt_7000.pt", first, 7000)
        write_checkpoint(tmp_path / "ckpt_last.pt", last, 9000)
        assert open_run(tmp_path).iterations == (7000, 9000)
        write_checkpoint(tmp_path / "ours_9000" / "ckpt_9000.pt", last, 9000)
        run = open_run(tmp_path)
        assert (run.iterations, len(run.state_files), says(run)) == ((7000, 9000), 2, [])

    def test_an_export_is_of_the_last_iteration(self, tmp_path: Path) -> None:
        """It is written when training has ended; its normals are (0, 0, 1)."""
        exported = random_gaussians(6, degree=3)
        write_ply(begun(tmp_path) / "export_last.ply", {**inria_columns(exported), "nz": np.ones(6, np.float32)})
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("3dgrut", (30_000,))
        assert_same_gaussians(run.checkpoints[0].gaussians, exported)

    @pytest.mark.parametrize("saved", [7, {"density": 3}, {"density": 1, "global_step": 4}, {
        "density": np.zeros((2, 1), np.float32), "global_step": 4, "positions": np.zeros((2, 3), np.float32),
        "scale": np.zeros((2, 3), np.float32), "rotation": np.zeros((2, 4), np.float32),
        "features_albedo": np.zeros((2, 3), np.float32), "features_specular": np.zeros((2, 7), np.float32)}])
    def test_a_foreign_file_is_left_out(self, saved: Any, tmp_path: Path) -> None:
        """The run opens without it."""
        write_torch_file(begun(tmp_path) / "ours_7" / "ckpt_7.pt", saved)
        run = open_run(tmp_path)
        assert run.checkpoints == ()
        assert says(run)[0].startswith("left out: this ")


class TestSettings:
    """parsed.yaml is plain YAML; references to other settings stay text."""

    def test_inrias_names_find_what_means_the_same(self, tmp_path: Path) -> None:
        """Rates of the means are multiplied by the scene's extent in both; gradients are others."""
        settings = open_run(begun(tmp_path)).settings
        expected = {
            "iterations": 30_000, "position_lr_init": 1.6e-4, "position_lr_final": 1.6e-6, "opacity_lr": 0.05, "sh_degree": 3,
            "densify_until_iter": 15_000, "densification_interval": 300, "opacity_reset_interval": 3_000, "percent_dense": 0.01,
            "opacity_cull": 0.005, "densify_grad_threshold": None, "cap_max": None,
        }
        assert {name: settings.value(name) for name in expected} == expected
        assert settings["opacity_lr"].name == "optimizer.params.density.lr"
        assert isinstance(settings.value("shN_lr"), str)

    def test_tracing_is_told(self, tmp_path: Path) -> None:
        """Its particles are not drawn as splats are."""
        run = open_run(begun(tmp_path, CONFIG.replace("method: 3dgut", "method: 3dgrt")))
        assert "trained by ray tracing" in says(run)[0]

    def test_steps_of_the_log_count_from_one(self, tmp_path: Path) -> None:
        """global_step is raised before it is logged."""
        values = [simple_value("loss/total/train", 0.5), simple_value("train/num_GS", 7.0)]
        (begun(tmp_path) / "events.out.tfevents.1.host.1.0").write_bytes(version_event() + event(10, 1.0, values))
        series = open_run(tmp_path).series
        assert (series["loss/total"].at(10), series["num_gaussians"].at(10)) == (0.5, 7.0)


class TestCameras:
    """Those of the COLMAP model, in its own world."""

    def test_every_nth_view_by_name_is_held_out(self, tmp_path: Path) -> None:
        """At the size that trained; points are the model's."""
        cameras, points = ring_cameras(9, size_px=(101, 75)), points_of(random_gaussians(9))
        write_text(model_of(cameras, points), tmp_path / "data" / "sparse" / "0")
        run = open_run(begun(tmp_path / "run"), tmp_path / "data")
        assert [camera.split for camera in run.cameras] == ["test", *["train"] * 7, "test"]
        assert {camera.size_px for camera in run.cameras} == {(50, 37)}
        for camera, told in zip(run.cameras, cameras, strict=True):
            np.testing.assert_allclose(camera.world_from_camera, told.world_from_camera, atol=1e-9)
            np.testing.assert_allclose((camera.fx, camera.cx), (told.fx / 2, told.cx / 2))
        np.testing.assert_allclose(run.input_points.xyz, points.xyz)

    def test_without_an_interval_all_are_trained(self, tmp_path: Path) -> None:
        """-1 trains on every view and tests on them too."""
        write_text(model_of(ring_cameras(3), points_of(random_gaussians(9))), tmp_path / "data" / "sparse" / "0")
        run = open_run(begun(tmp_path / "run", CONFIG.replace("interval: 8", "interval: -1")), tmp_path / "data")
        assert {camera.split for camera in run.cameras} == {"train"}

    @pytest.mark.parametrize(("old", "new", "why"), [
        ("type: colmap", "type: ncore", "of the kind ncore"),
        ("type: colmap", "type: colmap, normalize_world: true", "was moved"),
    ])
    def test_worlds_that_are_not_known_have_no_cameras(self, old: str, new: str, why: str, tmp_path: Path) -> None:
        """Wrong cameras would raise wrong alarms."""
        write_text(model_of(ring_cameras(3), points_of(random_gaussians(9))), tmp_path / "data" / "sparse" / "0")
        run = open_run(begun(tmp_path / "run", CONFIG.replace(old, new)), tmp_path / "data")
        assert run.cameras == ()
        assert why in says(run)[0]

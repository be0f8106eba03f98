"""splat-trainer, spirulae-splat and gsplat's trainer for driving scenes: small layouts, each with a trap of its own."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.formats.ply.columns import SH_C0
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from runs.writers.gsplat import splats
from runs.writers.torch_zip import write_torch_file
from tests.support.files import random_gaussians, ring_of_cameras, write_points, write_splats
from tests.support.written import assert_same_gaussians


def says(run: Run) -> list[str]:
    return [note.says for note in run.notes]


class TestSplatTrainer:
    """taichi-splatting's tensors: quaternions with the real part last, harmonics channel by channel."""

    def write(self, folder: Path, gaussians: Gaussians, step: int, feature: Any = None) -> None:
        """As `Trainer.write_checkpoint`: a dict of plain dicts, the optimizer's tensors beside the others."""
        import torch

        harmonics = np.concatenate([gaussians.sh0[:, None], gaussians.sh_rest], axis=1).transpose(0, 2, 1)
        tensors = {
            "position": gaussians.means, "log_scaling": gaussians.log_scales, "rotation": gaussians.quats_wxyz[:, [1, 2, 3, 0]],
            "alpha_logit": gaussians.logit_opacities[:, None], "feature": harmonics if feature is None else feature,
            "running_depth": np.zeros(gaussians.count, np.float32),
        }
        points = {
            "tensors": {name: torch.nn.Parameter(torch.tensor(np.ascontiguousarray(values))) for name, values in tensors.items()},
            "optimizer": ({"position": {"exp_avg": torch.zeros(gaussians.count, 3)}}, {"position": {}}),
            "parameter_groups": {"position": {"lr": 0.1, "type": "local_vector"}},
        }
        path = folder / "checkpoint" / f"checkpoint_{step}.pt"
        path.parent.mkdir(parents=True, exist_ok=True)
        others = {"controller": {}, "view_selection": {}, "view_clustering": None}
        torch.save({"step": step, "scene": {"points": points}, **others}, path)

    def begun(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        entries = [{**entry, "cx": 30.0, "cy": 20.0} for entry in ring_of_cameras(["a.jpg", "b.jpg"])]
        (folder / "cameras.json").write_text(json.dumps(entries), encoding="utf-8")
        write_points(folder / "input.ply", random_gaussians(5).means)
        return folder

    @pytest.mark.parametrize("degree", [0, 2])
    def test_gaussians_come_back_bit_by_bit(self, degree: int, tmp_path: Path) -> None:
        """And cameras with their principal points."""
        pytest.importorskip("torch")
        gaussians = random_gaussians(6, degree=degree)
        self.write(self.begun(tmp_path), gaussians, 12_000)
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations, run.state_files) == ("splat-trainer", (12_000,), ())
        assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
        assert [(c.cx, c.cy, c.split) for c in run.cameras] == [(30.0, 20.0, None)] * 2
        assert len(run.input_points) == 5

    def test_splats_of_the_same_step_are_preferred(self, tmp_path: Path) -> None:
        """With a network for colours only they have any; without them the checkpoint says why it shows none."""
        pytest.importorskip("torch")
        gaussians = random_gaussians(6, degree=1)
        self.write(self.begun(tmp_path), gaussians, 12_000, feature=np.zeros((6, 8), np.float32))
        assert "colours come from a network" in says(open_run(tmp_path))[0]
        write_splats(tmp_path / "point_cloud" / "iteration_12000" / "point_cloud.ply", gaussians, normals=False)
        run = open_run(tmp_path)
        assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
        assert says(run) == []

    @pytest.mark.parametrize("saved", [1, {}, {"scene": {"points": 3}}, {"scene": {"points": {"tensors": {"position": 1}}}}])
    def test_a_foreign_file_is_left_out(self, saved: Any, tmp_path: Path) -> None:
        """The run opens without it."""
        write_torch_file(self.begun(tmp_path) / "checkpoint" / "checkpoint_3.pt", saved)
        run = open_run(tmp_path)
        assert run.checkpoints == ()
        assert says(run)[0].startswith("left out: this ")


class TestSpirulae:
    """Its checkpoints are folders, under the name that nerfstudio gives to files."""

    def test_folders_are_opened(self, tmp_path: Path) -> None:
        """A save comes before the step of its number, so step 2000 is iteration 2,000."""
        saved = {step: random_gaussians(5, degree=1, seed=step) for step in (2_000, 30_000)}
        for step, gaussians in saved.items():
            write_splats(tmp_path / f"step-{step:09d}.ckpt" / "splat.ply", gaussians)
        (tmp_path / "config.json").write_text(json.dumps({"num_iterations": 30_000, "sh_degree": 3, "data": "/x"}), "utf-8")
        scores = {"psnr": [20.0, 22.0], "avg_psnr": 21.0, "avg_ssim": 0.8, "num_eval_images": 2, "training_time": 60.5}
        (tmp_path / "metrics.json").write_text(json.dumps(scores), encoding="utf-8")
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("spirulae-splat", (2_000, 30_000))
        for iteration, gaussians in saved.items():
            assert_same_gaussians(run.checkpoint(iteration).gaussians, gaussians)
        assert run.settings.value("num_iterations") == 30_000
        assert (run.series["test/psnr"].at(30_000), run.series["test/ssim"].at(30_000)) == (21.0, 0.8)

    @pytest.mark.parametrize("text", ["", "[]", "7", '{"avg_psnr": "high"}'])
    def test_odd_files_bring_nothing_down(self, text: str, tmp_path: Path) -> None:
        """The splats open."""
        write_splats(tmp_path / "step-000000010.ckpt" / "splat.ply", random_gaussians(3, degree=1))
        for name in ("config.json", "metrics.json"):
            (tmp_path / name).write_text(text, encoding="utf-8")
        run = open_run(tmp_path)
        assert (run.iterations, dict(run.series), run.settings.value("num_iterations")) == ((10,), {}, None)


class TestAvTrainer:
    """`examples/av_trainer.py` of gsplat: its steps count from 1, its colours without harmonics are plain RGB."""

    def evaluated(self, folder: Path, *steps: int) -> Path:
        for step in steps:
            stored = {"step": step, "loss": 0.1, "elapsed_s": 9.0, "gpu_peak_mb": 2**20 / 1e6, "num_gaussians": 4,
                      "mean_psnr": 20.0}
            path = folder / "stats" / f"step{step:05d}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(stored), encoding="utf-8")
        return folder

    def test_its_steps_count_from_one(self, tmp_path: Path) -> None:
        """simple_trainer's file of this name would hold iteration 3,001."""
        gaussians = random_gaussians(4, degree=2)
        saved = {"step": 3_000, "scene_path": "a.npz", "scene_id": 0, "splats": splats(gaussians)}
        write_torch_file(self.evaluated(tmp_path, 1, 3_000) / "ckpts" / "ckpt_03000.pt", saved)
        run = open_run(tmp_path)
        assert (run.trainer.name, run.iterations) == ("gsplat", (3_000,))
        assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
        assert run.series["test/psnr"].iterations.tolist() == [1, 3_000]
        assert (run.series["vram"].at(1), run.series["num_gaussians"].at(3_000)) == (1.0, 4.0)
        assert run.settings.value("iterations") is None
        assert says(run) == []

    def test_the_model_at_the_end(self, tmp_path: Path) -> None:
        """A bare dict of tensors, of the last step that the summary tells."""
        pytest.importorskip("torch")
        import torch

        rgb = np.random.default_rng(0).uniform(size=(4, 3)).astype(np.float32)
        tensors = {name: values for name, values in splats(random_gaussians(4, degree=0)).items() if not name.startswith("sh")}
        torch.save({name: torch.tensor(values) for name, values in {**tensors, "colors": rgb}.items()}, tmp_path / "model.pt")
        (tmp_path / "summary.json").write_text(json.dumps({"max_steps": 15_000, "checkpoints": []}), encoding="utf-8")
        run = open_run(tmp_path)
        assert run.iterations == (15_000,)
        np.testing.assert_allclose(0.5 + SH_C0 * run.checkpoints[0].gaussians.sh0, rgb, atol=1e-6)
        assert says(run) == []

    @pytest.mark.parametrize("text", ["", "[]", '{"mean_psnr": null}'])
    def test_odd_statistics_bring_nothing_down(self, text: str, tmp_path: Path) -> None:
        """Each file is one number among many."""
        self.evaluated(tmp_path, 1, 2)
        (tmp_path / "stats" / "step00002.json").write_text(text, encoding="utf-8")
        assert open_run(tmp_path).series["test/psnr"].iterations.tolist() == [1]

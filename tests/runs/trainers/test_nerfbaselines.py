"""NerfBaselines wraps other trainers' saves into folders of its own: the run inside must open as if it were not wrapped."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.open_run import open_run
from tests.support.files import random_gaussians, write_splats
from tests.support.torch_inria import capture, save
from tests.support.written import assert_same_gaussians

torch = pytest.importorskip("torch")


def written(folder: Path, *, method: str = "gaussian-splatting", saves: tuple[int, ...] = (7_000, 30_000), **info: Any) -> Path:
    """As its `training.py` and its method `gaussian_splatting.py` write them."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"method": method, "num_iterations": 30_000, "nb_version": "1.2.9", "config_overrides": {"white_background": True}}
    for iteration in saves:
        inner = folder / f"checkpoint-{iteration}"
        write_splats(inner / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply", random_gaussians(9, seed=iteration))
        save(inner / f"chkpnt-{iteration}.pth", capture(random_gaussians(9, seed=iteration)), iteration)
        (inner / "nb-info.json").write_text(json.dumps({**about, **info}))
        (inner / "args.txt").write_text("--source_path <empty> --resolution 1 --eval")
        (folder / f"results-{iteration}.json").write_text(json.dumps({"metrics": {"psnr": iteration / 1000, "ssim": 0.5}}))
    (folder / "results-30000-train.json").write_text(json.dumps({"metrics": {"psnr": 33.0}}))
    return folder


def test_saves_of_all_folders_make_one_run(tmp_path: Path) -> None:
    """Series, states, scores and settings of the method, each under its iteration."""
    run = open_run(written(tmp_path))
    assert (run.trainer.name, run.iterations) == ("inria", (7_000, 30_000))
    assert "gaussian-splatting" in run.trainer.why
    for checkpoint in run.checkpoints:
        assert_same_gaussians(checkpoint.gaussians, random_gaussians(9, seed=checkpoint.iteration))
    assert [file.state.iteration for file in run.state_files] == [7_000, 30_000]
    assert (run.series["test/psnr"].at(7_000), run.series["test/psnr"].at(30_000)) == (7.0, 30.0)
    assert (run.series["train/psnr"].at(30_000), run.series["test/ssim"].at(7_000)) == (33.0, 0.5)
    assert run.settings.value("iterations") == 30_000
    assert run.settings.value("white_background") is True


def test_gsplats_files_lie_in_the_folder_itself(tmp_path: Path) -> None:
    """Its method writes ckpt_STEP_rank0.pt beside cfg.yml, without ckpts/; the folder's number is the iteration."""
    gaussians = random_gaussians(6, degree=1)
    inner = tmp_path / "checkpoint-30000"
    inner.mkdir()
    splats = {
        "means": gaussians.means, "scales": gaussians.log_scales, "quats": gaussians.quats_wxyz, "sh0": gaussians.sh0[:, None],
        "opacities": gaussians.logit_opacities, "shN": gaussians.sh_rest,
    }
    stored = {name: torch.from_numpy(np.array(values)) for name, values in splats.items()}
    torch.save({"step": 30_000, "splats": stored}, inner / "ckpt_30000_rank0.pt")
    (inner / "cfg.yml").write_text("strategy: !!python/object:gsplat.strategy.default.DefaultStrategy\n  verbose: true\n")
    (inner / "nb-info.json").write_text(json.dumps({"method": "gsplat"}))
    run = open_run(tmp_path)
    assert (run.trainer.name, run.iterations) == ("gsplat", (30_000,))
    assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)


@pytest.mark.parametrize(("method", "name"), [
    ("mip-splatting", "mip-splatting"), ("3dgs-mcmc:large", "3dgs-mcmc"), ("taming-3dgs", "taming"), ("zipnerf", "unknown"),
])
def test_the_method_names_the_trainer(method: str, name: str, tmp_path: Path) -> None:
    """Presets follow the name after a colon; a method that is not known stays unknown."""
    assert open_run(written(tmp_path, method=method)).trainer.name == name


def test_one_save_opens_by_itself(tmp_path: Path) -> None:
    """People copy a single checkpoint folder."""
    run = open_run(written(tmp_path) / "checkpoint-7000")
    assert run.iterations == (7_000,)


def test_a_file_in_a_save_opens_all_saves(tmp_path: Path) -> None:
    """The save looks like a run of its own, and is a part of one."""
    ply = written(tmp_path) / "checkpoint-7000" / "point_cloud" / "iteration_7000" / "point_cloud.ply"
    run = open_run(ply)
    assert (run.path, run.iterations, run.asked) == (tmp_path, (7_000, 30_000), 7_000)


def test_a_save_without_splats_costs_only_itself(tmp_path: Path) -> None:
    """A method of another kind, or a folder that is being written."""
    (written(tmp_path) / "checkpoint-40000").mkdir()
    (tmp_path / "nb-info.json").write_text("[")
    (tmp_path / "results-40000.json").write_text("[7]")
    run = open_run(tmp_path)
    assert run.iterations == (7_000, 30_000)
    assert any("this save is left out" in note.says for note in run.notes)

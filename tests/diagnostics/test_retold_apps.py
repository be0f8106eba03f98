"""A sound training raises no alarm in the folder of another trainer, which tells less and under other names."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from diagnostics.diagnose import diagnose
from runs.checkpoints import AdamGroup
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from tests.support.data import shared_data
from tests.support.files import write_splats
from tests.support.lichtfeld_writer import PARAMS, Written
from tests.support.retold_apps import unit_quats, write_brush, write_opensplat

SH_C0 = 0.28209479177387814
OWN_NAMES = {"xyz": "means", "f_dc": "sh0", "f_rest": "shN", "scaling": "scaling", "rotation": "rotation", "opacity": "opacity"}
SETTINGS = {**PARAMS["optimization"], "iterations": 2_000, "start_refine": 100, "stop_refine": 1_200, "eval_steps": [600, 2_000],
            "save_steps": [600, 2_000], "reset_every": 500, "max_cap": 0}


@dataclass(frozen=True)
class Sound:
    """A healthy training as the lab's trainer left it."""

    run: Run
    saves: dict[int, Gaussians]
    scene: Path


def sound() -> Sound:
    run = open_run(shared_data("runs", "synth-a"), shared_data("scenes", "synth1"))
    saves = {one.iteration: one.gaussians for one in run.checkpoints if one.iteration in (600, 2_000)}
    return Sound(run, saves, shared_data("scenes", "synth1"))


def brush(told: Sound, to: Path) -> tuple[Path, Path | None]:
    """Beside its data set."""
    shutil.copytree(told.scene, to / "scene")
    return write_brush(to / "scene_exports", {i: unit_quats(g) for i, g in told.saves.items()}, total=2_000), None


def opensplat(told: Sound, to: Path) -> tuple[Path, Path | None]:
    """With its cameras, and the photos named by the user."""
    cameras = json.loads((told.run.path / "cameras.json").read_text("utf-8"))
    return write_opensplat(to, told.saves, cameras), told.scene


def lichtfeld_2025(told: Sound, to: Path) -> tuple[Path, Path | None]:
    """Saves, scores and a project."""
    for iteration, gaussians in told.saves.items():
        write_splats(to / f"splat_{iteration}.ply", unit_quats(gaussians))
    psnr = told.run.series["test/psnr"]
    rows = [f"{i},{psnr.at(i)},0.9,0.1,0.01,{g.count}" for i, g in told.saves.items()]
    (to / "metrics.csv").write_text("\n".join(["iteration,psnr,ssim,lpips,time_per_image,num_gaussians", *rows, ""]))
    return to, told.scene


def lichtfeld_2026(told: Sound, to: Path, *, strategy: str = "default", version: int = 1) -> tuple[Path, Path | None]:
    """One checkpoint with the state that the training really had, a tenth more rows being deleted ones."""
    state = told.run.state_files[-1].state
    write_splats(to / "splat_600.ply", unit_quats(told.saves[600]))
    gone = state.gaussians.count // 10
    padded = {name: padded_group(group, gone) for name, group in state.adam.items()}
    params = {"optimization": {**SETTINGS, "strategy": strategy}, "dataset": {**PARAMS["dataset"], "data_path": str(told.scene)}}
    Written(
        with_deleted(state.gaussians, gone), iteration=state.iteration, strategy=strategy, adam_version=version, params=params,
        adam={OWN_NAMES[name]: group for name, group in padded.items()},
        deleted=np.arange(state.gaussians.count + gone) >= state.gaussians.count,
    ).write(to / "checkpoints" / "checkpoint.resume")
    return to, None


def with_deleted(gaussians: Gaussians, gone: int) -> Gaussians:
    """Rows at the end as pruning leaves them: with a rotation of zero."""
    def grown(values: np.ndarray, fill: float) -> np.ndarray:
        return np.concatenate([values, np.full((gone, *values.shape[1:]), fill, np.float32)])
    return Gaussians.from_arrays(
        means=grown(gaussians.means, 1e6), log_scales=grown(gaussians.log_scales, 20), quats_wxyz=grown(gaussians.quats_wxyz, 0),
        logit_opacities=grown(gaussians.logit_opacities, -20), sh0=grown(gaussians.sh0, 0), sh_rest=grown(gaussians.sh_rest, 0),
    )


def padded_group(group: AdamGroup, gone: int) -> AdamGroup:
    moments = [np.concatenate([values, np.zeros((gone, *values.shape[1:]), np.float32)])
               for values in (group.exp_avg, group.exp_avg_sq) if values is not None]
    return AdamGroup(group.name, group.learning_rate, group.step, *moments, group.eps)


def quantised(told: Sound, to: Path) -> tuple[Path, Path | None]:
    return lichtfeld_2026(told, to, version=2)


def relocating(told: Sound, to: Path) -> tuple[Path, Path | None]:
    return lichtfeld_2026(told, to, strategy="mcmc")


def monogs(told: Sound, to: Path) -> tuple[Path, Path | None]:
    """The last save without colours that depend on the view, every camera a keyframe."""
    last, camera = told.saves[2_000], told.run.cameras[0]
    flat = Gaussians.from_arrays(means=last.means, log_scales=last.log_scales, quats_wxyz=last.quats_wxyz,
                                 logit_opacities=last.logit_opacities, sh0=last.sh0)
    write_splats(to / "point_cloud" / "final" / "point_cloud.ply", flat)
    poses = [view.world_from_camera.tolist() for view in told.run.cameras]
    (to / "plot").mkdir()
    trajectory = {"trj_id": list(range(len(poses))), "trj_est": poses, "trj_gt": poses}
    (to / "plot" / "trj_final.json").write_text(json.dumps(trajectory))
    lens = {"fx": camera.fx, "fy": camera.fy, "cx": camera.cx, "cy": camera.cy, "width": camera.size_px[0],
            "height": camera.size_px[1]}
    config: dict[str, Any] = {"Dataset": {"sensor_type": "depth", "Calibration": lens}, "Training": {}, "Results": {},
                              "opt_params": {"iterations": 30_000, "densify_until_iter": 15_000}}
    (to / "config.yml").write_text(yaml.dump(config))
    return to, None


def splatam(told: Sound, to: Path) -> tuple[Path, Path | None]:
    """The last save in plain colours, all poses as quaternions and translations of the first camera's world."""
    last = told.saves[2_000]
    count = len(told.run.cameras)
    arrays = {"means3D": last.means, "rgb_colors": 0.5 + SH_C0 * last.sh0, "unnorm_rotations": last.quats_wxyz,
              "logit_opacities": last.logit_opacities[:, None], "log_scales": last.log_scales,
              "cam_unnorm_rots": np.tile(np.array([1.0, 0, 0, 0], np.float32)[None, :, None], (1, 1, count)),
              "cam_trans": np.random.default_rng(0).normal(size=(1, 3, count)).astype(np.float32),
              "intrinsics": np.array([[80, 0, 48], [0, 80, 48], [0, 0, 1.0]]), "org_width": 96, "org_height": 96,
              "timestep": np.zeros(last.count)}
    np.savez(to / "params.npz", **arrays)
    return to, None


Retelling = Callable[[Sound, Path], tuple[Path, Path | None]]
WAYS: tuple[Retelling, ...] = (brush, opensplat, lichtfeld_2025, lichtfeld_2026, quantised, relocating, monogs, splatam)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_sound_run_raises_no_alarm_in_another_folder(way: Retelling, tmp_path: Path) -> None:
    """What a trainer does not write is missing, and what it calls otherwise is no fault."""
    told = sound()
    assert [found.pattern.code for found in diagnose(told.run).findings] == []
    to = tmp_path / "run"
    if way is not brush:
        to.mkdir()
    folder, data = way(told, tmp_path if way is brush else to)
    run = open_run(folder, data)
    assert run.checkpoints[-1].count == told.saves[2_000].count
    diagnosis = diagnose(run)
    assert [f"{found.pattern.code} {found.finding.says}" for found in diagnosis.findings] == []

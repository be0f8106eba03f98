"""Files of LichtFeld Studio, Brush, MonoGS and SplaTAM: checkpoints, arguments, trajectories, settings, arrays."""

import json
from pathlib import Path

import numpy as np
import yaml

from runs.formats.lichtfeld.adam import read_adam
from runs.formats.lichtfeld.resume import look as look_at_resume
from runs.formats.lichtfeld.resume import read_resume, read_settings
from runs.formats.ply.points import look_at_points
from runs.gaussians import COLUMNS
from runs.trainers.brush.settings import completed
from runs.trainers.brush.settings import read_settings as read_arguments
from runs.trainers.slam.monogs import read_config, read_trajectory
from runs.trainers.slam.poses import Lens
from runs.trainers.slam.splatam_saved import checked, lens, look, trajectory
from tests.fuzz.seeds import written
from tests.fuzz.target import Target
from tests.support.files import random_gaussians, write_points
from tests.support.lichtfeld_writer import Written, adam_of

LENS = Lens(500.0, 500.0, 320.0, 240.0, (640, 480))
SMALL = random_gaussians(3, degree=1)


def _resume(path: Path) -> None:
    gaussians = look_at_resume(path).read()
    for name in (*COLUMNS, "sh_rest"):
        gaussians.load(name)
    resume = read_resume(path)
    for name in resume.tensors:
        resume.values(name)
    read_adam(resume)
    read_settings(resume)


def _resumes() -> tuple[bytes, ...]:
    told = adam_of(SMALL)
    return (
        Written(SMALL, adam=told).content(), Written(random_gaussians(2, degree=0), strategy="mrnf").content(),
        Written(SMALL, adam=told, adam_version=2, weave=True, deleted=np.array([1, 0, 0], bool),
                densification=np.ones((2, 3), np.float32)).content(),
    )


def _arguments(path: Path) -> None:
    settings = completed(read_arguments(path), ("SplatRenderMode: mip",), path.name)
    for name in ("iterations", "opacity_lr", "eval-split-every", "export-name"):
        settings.value(name)


def _poses(path: Path) -> None:
    found = read_trajectory(path)
    found.cameras(LENS)
    for any_scale in (True, False):
        found.position_error(any_scale=any_scale)


def _trajectories() -> tuple[bytes, ...]:
    poses = np.tile(np.eye(4), (4, 1, 1))
    poses[:, :3, 3] = np.arange(12).reshape(4, 3)
    stored = {"trj_id": [0, 5, 7, 9], "trj_est": poses.tolist(), "trj_gt": (2 * poses).tolist()}
    return tuple(json.dumps(stored, indent=indent).encode() for indent in (0, 4))


def _params(path: Path) -> None:
    gaussians = look(path).read()
    for name in (*COLUMNS, "sh_rest", *gaussians.extra_names):
        gaussians.load(name)
    arrays = checked(path)
    found, seen = trajectory(arrays), lens(arrays)
    if found is not None:
        found.cameras(seen or LENS)
        found.position_error(any_scale=False)


def _saved() -> tuple[bytes, ...]:
    rng = np.random.default_rng(0)
    stored = {"means3D": rng.normal(size=(2, 3)), "rgb_colors": rng.random((2, 3)), "unnorm_rotations": rng.normal(size=(2, 4)),
              "logit_opacities": rng.normal(size=(2, 1)), "log_scales": rng.normal(size=(2, 1)),
              "cam_unnorm_rots": rng.normal(size=(1, 4, 3)), "cam_trans": rng.normal(size=(1, 3, 3))}
    final = {**stored, "timestep": np.arange(2), "intrinsics": 100 * np.eye(3), "org_width": 64, "org_height": 48,
             "gt_w2c_all_frames": np.tile(np.eye(4), (3, 1, 1))}
    return tuple(written(lambda path, arrays=arrays: np.savez(path, **arrays), "params.npz") for arrays in (stored, final))


def _configs() -> tuple[bytes, ...]:
    return (yaml.dump({"Dataset": {"Calibration": {"fx": 1.5}}, "Training": {}, "opt_params": {"iterations": 3}}).encode(),)


TARGETS = (
    Target("lichtfeld-resume", "checkpoint.resume", _resume, _resumes),
    Target("brush-args", "args.txt", _arguments, lambda: (b"--total-steps 9 --sh-degree=2\n--eval-save-to-disk --x a b",)),
    Target("monogs-poses", "trj_final.json", _poses, _trajectories),
    Target("monogs-config", "config.yml", read_config, _configs),
    Target("splatam-params", "params.npz", _params, _saved),
    Target("points-ply", "sim_0000000000.ply", lambda path: look_at_points(path).read(),
           lambda: (written(lambda path: write_points(path, SMALL.means), "a.ply"),)),
)

"""Small checkpoints of trainers as plain values and arrays, for damage: each a valid one, and what reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.checkpoints import Checkpoint
from runs.notes import NoteBook
from runs.trainers import splat_trainer
from runs.trainers.grut import saved as grut_saved
from runs.trainers.gsplat import saved as gsplat_saved
from runs.trainers.gsplat.beside import read_pose_deltas
from runs.trainers.lightning import saved as lightning_saved
from runs.trainers.nerfstudio import saved as nerfstudio_saved
from runs.writers.gsplat import splats
from tests.support.files import random_gaussians


@dataclass(frozen=True)
class Kind:
    """One trainer's checkpoint."""

    file_name: str
    saved: Mapping[str, Any]
    read: Callable[[Path], None]  # all of it


def adam(*shapes: tuple[int, ...], names: tuple[str, ...] = ()) -> dict[str, Any]:
    """An optimizer's state_dict: numpy arrays where torch has tensors."""
    groups = [{"lr": 1e-3, "eps": 1e-15, "params": [i], **({"name": names[i]} if names else {})} for i in range(len(shapes))]
    state = {i: {"step": np.full((), 3, np.float32), "exp_avg": np.ones(shape, np.float32),
                 "exp_avg_sq": np.ones(shape, np.float32)} for i, shape in enumerate(shapes)}
    return {"state": state, "param_groups": groups}


def _nerfstudio() -> dict[str, Any]:
    one = splats(random_gaussians(3, degree=1))
    tensors = {"means": one["means"], "scales": one["scales"], "quats": one["quats"], "features_dc": one["sh0"][:, 0],
               "features_rest": one["shN"], "opacities": one["opacities"][:, None]}
    pipeline = {f"_model.gauss_params.{name}": values for name, values in tensors.items()}
    pipeline["_model.camera_optimizer.pose_adjustment"] = np.zeros((4, 6), np.float32)
    return {"step": 9, "pipeline": pipeline, "optimizers": {name: adam(values.shape) for name, values in tensors.items()},
            "schedulers": {}, "scalers": {}}


def _grut() -> dict[str, Any]:
    one = splats(random_gaussians(3, degree=1))
    tensors = {"positions": one["means"], "density": one["opacities"][:, None], "features_albedo": one["sh0"][:, 0],
               "features_specular": one["shN"].reshape(3, -1), "rotation": one["quats"], "scale": one["scales"]}
    optimizer = adam(*(values.shape for values in tensors.values()), names=tuple(tensors))
    return {**tensors, "optimizer": optimizer, "global_step": 7, "n_active_features": 1, "scene_extent": 2.5, "config": None,
            "densify_grad_norm_accum": (np.ones((3, 1), np.float32),), "densify_grad_norm_denom": (np.ones((3, 1), np.int32),)}


def _lightning() -> dict[str, Any]:
    one = splats(random_gaussians(3, degree=1))
    tensors = {"means": one["means"], "shs_dc": one["sh0"], "shs_rest": one["shN"], "opacities": one["opacities"][:, None],
               "scales": one["scales"], "rotations": one["quats"]}
    state = {f"gaussian_model.gaussians.{name}": values for name, values in tensors.items()}
    state["density_controller.denom"] = np.ones((3, 1), np.float32)
    state["gaussian_model._active_sh_degree"] = np.full((), 1, np.uint8)
    optimizer = adam(*(values.shape for values in tensors.values()), names=tuple(tensors))
    return {"state_dict": state, "global_step": 7, "optimizer_states": [optimizer],
            "hyper_parameters": {"gaussian": {"sh_degree": 3}}, "datamodule_hyper_parameters": {"path": "/x"}}


def _splat_trainer() -> dict[str, Any]:
    one = splats(random_gaussians(3, degree=1))
    feature = np.ascontiguousarray(np.concatenate([one["sh0"], one["shN"]], axis=1).transpose(0, 2, 1))
    return {"step": 3, "scene": {"points": {"tensors": {
        "position": one["means"], "log_scaling": one["scales"], "rotation": one["quats"],
        "alpha_logit": one["opacities"][:, None], "feature": feature}}}}


def _gsplat() -> dict[str, Any]:
    poses = {"embeds.weight": np.zeros((3, 9), np.float32)}
    return {"step": 9, "splats": splats(random_gaussians(3, degree=1)), "pose_adjust": poses, "post_processing": {}}


def _everything(module: Any) -> Callable[[Path], None]:
    """Columns, and the state with all its moments where the module reads one."""

    def read(path: Path) -> None:
        gaussians = module.columns_of(path).gaussians()
        assert gaussians.finite.shape == (gaussians.count,)
        if hasattr(module, "read_state"):
            state = module.read_state(path)
            for values in (*state.statistics.values(), *(group.exp_avg for group in state.adam.values())):
                assert values is None or np.isfinite(np.asarray(values).size)

    return read


def _with_poses(path: Path) -> None:
    nerfstudio_saved.read_pose_deltas(path, ())
    _everything(nerfstudio_saved)(path)


def _with_settings(path: Path) -> None:
    lightning_saved.read_hyper_parameters(path)
    _everything(lightning_saved)(path)


def _of_gsplat(path: Path) -> None:
    read_pose_deltas([Checkpoint(10, path, 3, 1, 0, dict)], (), NoteBook())  # type: ignore[arg-type]
    _everything(gsplat_saved)(path)


KINDS: Mapping[str, Kind] = {
    "nerfstudio": Kind("step-000000009.ckpt", _nerfstudio(), _with_poses),
    "3dgrut": Kind("ckpt_7.pt", _grut(), _everything(grut_saved)),
    "gs-lightning": Kind("epoch=1-step=7.ckpt", _lightning(), _with_settings),
    "splat-trainer": Kind("checkpoint_3.pt", _splat_trainer(), _everything(splat_trainer)),
    "gsplat": Kind("ckpt_9_rank0.pt", _gsplat(), _of_gsplat),
}

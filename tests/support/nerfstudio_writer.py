"""Runs of nerfstudio's splatfacto written through torch and PyYAML: the objects of its trainer, class names included.

Import torch lazily: only tests that write checkpoints need it. Layout and names: nerfstudio 1.1.5 (Apache-2.0).
"""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import yaml

from runs.arrays import F64
from runs.cameras import Camera
from runs.gaussians import Gaussians

OPENGL = np.diag([1.0, -1, -1, 1])  # between OpenCV's camera axes and OpenGL's
RATES = {"means": 1.6e-4, "features_dc": 0.0025, "features_rest": 0.0025 / 20, "opacities": 0.05, "scales": 0.005, "quats": 0.001}
MODEL = {
    "warmup_length": 500, "refine_every": 100, "resolution_schedule": 3000, "background_color": "random", "num_downscales": 2,
    "cull_alpha_thresh": 0.1, "cull_scale_thresh": 0.5, "reset_alpha_every": 30, "densify_grad_thresh": 0.0008,
    "use_absgrad": True, "densify_size_thresh": 0.01, "sh_degree_interval": 1000, "stop_split_at": 15000, "sh_degree": 3,
    "random_init": False, "ssim_lambda": 0.2, "rasterize_mode": "classic", "grid_shape": (16, 16, 8),
}
PARSER = {
    "scale_factor": 1.0, "downscale_factor": None, "scene_scale": 1.0, "orientation_method": "up", "center_method": "poses",
    "auto_scale_poses": True, "eval_mode": "fraction", "train_split_fraction": 0.9, "eval_interval": 8, "load_3D_points": True,
}


def config_yml(
    data: str, *, method: str = "splatfacto", model: str = "nerfstudio.models.splatfacto.SplatfactoModel", colmap: bool = False,
    settings: Mapping[str, Any] | None = None, parser: Mapping[str, Any] | None = None, top: Mapping[str, Any] | None = None,
) -> str:
    """What `yaml.dump(TrainerConfig)` gives: Python objects, paths and classes with their tags."""
    target = {True: "nerfstudio.data.dataparsers.colmap_dataparser.ColmapDataParser",
              False: "nerfstudio.data.dataparsers.nerfstudio_dataparser.Nerfstudio"}[colmap]
    own = {"colmap_path": PurePosixPath("sparse/0"), "images_path": PurePosixPath("images"), "eval_mode": "interval",
           "downscale_rounding_mode": "floor"} if colmap else {}
    location = PurePosixPath(data)
    data_parser = _object("nerfstudio.data.dataparsers.Config", _target=_class(target), data=location,
                          **{**PARSER, **own, **(parser or {})})
    manager = _object("nerfstudio.data.datamanagers.full_images_datamanager.FullImageDatamanagerConfig", data=location,
                      dataparser=data_parser, camera_res_scale_factor=1.0, eval_image_indices=(0,))
    model_config = _object("nerfstudio.models.splatfacto.SplatfactoModelConfig", _target=_class(model),
                           **{**MODEL, **(settings or {})})
    pipeline = _object("nerfstudio.pipelines.base_pipeline.VanillaPipelineConfig", datamanager=manager, model=model_config)
    optimizers = {name: {"optimizer": _object("nerfstudio.engine.optimizers.AdamOptimizerConfig",
                                              _target=_class("torch.optim.adam.Adam"), lr=rate, eps=1e-15, max_norm=None),
                         "scheduler": None} for name, rate in RATES.items()}
    config = _object(
        "nerfstudio.engine.trainer.TrainerConfig", _target=_class("nerfstudio.engine.trainer.Trainer"), method_name=method,
        max_num_iterations=30000, steps_per_save=2000, save_only_latest_checkpoint=True, data=location, pipeline=pipeline,
        optimizers=optimizers, relative_model_dir=PurePosixPath("nerfstudio_models"), vis="viewer", **(top or {}),
    )
    return str(yaml.dump(config))


def _object(name: str, **fields: Any) -> Any:
    found = _class(name)()
    vars(found).update(fields)
    return found


def _class(name: str) -> type:
    module, _, last = name.rpartition(".")
    return type(last, (), {"__module__": module})


@dataclass(frozen=True, eq=False)
class Written:
    """What one checkpoint was told: Adam's moments by nerfstudio's group names."""

    moments: Mapping[str, tuple[Any, Any]]
    rates: Mapping[str, float]
    steps: int


def write_checkpoint(
    folder: Path, step: int, gaussians: Gaussians, *, prefix: str = "_model.gauss_params.", logit_rgb: bool = False,
    poses: Any = None, adam_steps: int = 3, names: Mapping[str, str] | None = None, counted: int | None = None,
) -> Written:
    """`nerfstudio_models/step-N.ckpt` as the trainer saves it: parameters, optimizers, schedulers, scalers, and other modules."""
    import torch

    parameters = _parameters(gaussians, logit_rgb)
    generator = torch.Generator().manual_seed(step)
    optimizers, schedulers = {}, {}
    for name, parameter in parameters.items():
        optimizers[name] = torch.optim.Adam([parameter], lr=RATES[name], eps=1e-15)
        schedulers[name] = torch.optim.lr_scheduler.LambdaLR(optimizers[name], _decay)
        with torch.no_grad():
            kept = parameter.detach().clone()
        for _ in range(adam_steps):
            parameter.grad = torch.randn(parameter.shape, generator=generator) * 1e-3
            optimizers[name].step()
            schedulers[name].step()
        if counted is not None:
            optimizers[name].state[parameter]["step"] = torch.tensor(float(counted))
        with torch.no_grad():
            parameter.copy_(kept)
    model = OrderedDict((f"{prefix}{name}", parameter.detach()) for name, parameter in parameters.items())
    model["_model.device_indicator_param"] = torch.empty(0)
    model["_model.lpips.net.lin0.model.1.weight"] = torch.ones(1, 64, 1, 1)
    if poses is not None:
        model["_model.camera_optimizer.pose_adjustment"] = torch.tensor(poses, dtype=torch.float32)
    model._metadata = OrderedDict({"": {"version": 1}})  # type: ignore[attr-defined]
    spelled = names or {}
    states = {spelled.get(name, name): optimizer.state_dict() for name, optimizer in optimizers.items()}
    path = folder / "nerfstudio_models" / f"step-{step:09d}.ckpt"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"step": step, "pipeline": model, "optimizers": states,
                "schedulers": {name: scheduler.state_dict() for name, scheduler in schedulers.items()}, "scalers": {}}, path)
    moments = {name: (np.asarray(state["state"][0]["exp_avg"]), np.asarray(state["state"][0]["exp_avg_sq"]))
               for name, state in zip(parameters, states.values(), strict=True) if state["state"]}
    rates = {name: float(state["param_groups"][0]["lr"]) for name, state in zip(parameters, states.values(), strict=True)}
    return Written(moments, rates, adam_steps)


def _decay(step: int) -> Any:
    """A numpy scalar, as nerfstudio's ExponentialDecayScheduler gives it."""
    return np.exp(np.log(0.01) * np.clip(step / 30000, 0, 1))


def _parameters(gaussians: Gaussians, logit_rgb: bool) -> dict[str, Any]:
    import torch

    base = gaussians.sh0
    if logit_rgb:
        rgb = 0.5 + 0.28209479177387814 * base.astype(np.float64)
        base = np.log(rgb / (1 - rgb)).astype(np.float32)
    stored = {
        "means": gaussians.means, "scales": gaussians.log_scales, "quats": gaussians.quats_wxyz, "features_dc": base,
        "features_rest": gaussians.sh_rest, "opacities": gaussians.logit_opacities[:, None],
    }
    return {name: torch.nn.Parameter(torch.tensor(np.asarray(values))) for name, values in stored.items()}


def write_transforms(
    path: Path, cameras: Sequence[Camera], *, converted: F64 | None = None, scale: float = 1.0, stored: bool = True,
    points: str | None = None, **extra: Any,
) -> None:
    """`transforms.json` of a converter that turned the world by `converted` [4, 4] and then scaled positions."""
    turn = np.eye(4) if converted is None else converted
    frames = []
    for camera in cameras:
        pose = turn @ camera.world_from_camera @ OPENGL
        pose[:3, 3] *= scale
        frames.append({
            "file_path": f"images/{camera.name}", "transform_matrix": pose.tolist(), "fl_x": camera.fx, "fl_y": camera.fy,
            "cx": camera.cx, "cy": camera.cy, "w": camera.size_px[0], "h": camera.size_px[1],
        })
    known = {"camera_model": "OPENCV", "frames": frames, **extra}
    if stored:
        known |= {"applied_transform": turn[:3].tolist()}
        known |= {"applied_scale": scale} if scale != 1 else {}
    if points is not None:
        known["ply_file_path"] = points
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known), encoding="utf-8")


def orient(cameras: Sequence[Camera], converted: F64, rotation: F64, scale: float = 1.0) -> tuple[F64, float]:
    """What the data parser does to converted poses: turned by `rotation`, their middle at 0, the farthest coordinate 1.

    Returns `dataparser_transforms.json`'s transform [3, 4] and scale, from the world before conversion.
    """
    centres = np.stack([converted[:3, :3] @ camera.centre * scale + converted[:3, 3] * scale for camera in cameras])
    shift = -rotation @ centres.mean(axis=0)
    size = 1 / np.abs(centres @ rotation.T + shift).max()
    movement = np.vstack([np.column_stack([rotation, shift]), [0, 0, 0, 1]])
    return (movement @ converted)[:3], float(size * scale)


def write_movement(folder: Path, transform: F64, scale: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"transform": transform.tolist(), "scale": scale}, indent=4)
    (folder / "dataparser_transforms.json").write_text(text, encoding="utf-8")


def begun(folder: Path, **options: Any) -> Path:
    """A run that has written its settings and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_text(config_yml("/nowhere/scene", **options), encoding="utf-8")
    return folder

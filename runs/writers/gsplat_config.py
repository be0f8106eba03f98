"""The settings of gsplat's trainer 1.5.3 as its cfg.yml holds them: all of them, sorted, the strategy as a Python object."""

from collections.abc import Mapping
from typing import Any

import yaml

from runs.defaults import gsplat_defaults
from runs.spellings import GSPLAT, STRATEGY

CLASSES = {"default": "gsplat.strategy.default.DefaultStrategy", "mcmc": "gsplat.strategy.mcmc.MCMCStrategy"}
# What only version 1.5.3 has, beside the defaults that all versions share.
CONFIG: Mapping[str, Any] = {
    "disable_viewer": False, "ckpt": None, "compression": None, "render_traj_path": "interp", "patch_size": None,
    "normalize_world_space": True, "camera_model": "pinhole", "port": 8080, "steps_scaler": 1.0, "save_ply": False,
    "ply_steps": [7_000, 30_000], "disable_video": False, "init_num_pts": 100_000, "init_extent": 3.0, "init_opa": 0.1,
    "init_scale": 1.0, "near_plane": 0.01, "far_plane": 1e10, "visible_adam": False, "opacity_reg": 0.0, "scale_reg": 0.0,
    "pose_opt": False, "pose_opt_lr": 1e-5, "pose_opt_reg": 1e-6, "pose_noise": 0.0, "app_opt": False, "app_embed_dim": 16,
    "app_opt_lr": 1e-3, "app_opt_reg": 1e-6, "use_bilateral_grid": False, "bilateral_grid_shape": (16, 16, 8),
    "depth_loss": False, "depth_lambda": 1e-2, "tb_save_image": False, "lpips_net": "alex", "with_ut": False,
    "with_eval3d": False, "use_fused_bilagrid": False,
}
STRATEGY_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "default": {"grow_scale2d": 0.05, "prune_scale2d": 0.15, "refine_scale2d_stop_iter": 0, "pause_refine_after_reset": 0,
                "revised_opacity": False, "verbose": False, "key_for_gradient": "means2d"},
    "mcmc": {"verbose": False},
}


def config(settings: Mapping[str, Any]) -> dict[str, Any]:
    """All settings by name, fields of the strategy under `strategy.`; `settings` may spell as INRIA's trainer does.

    Those that gsplat's trainer does not have are left out. Raises ValueError for a strategy or background it cannot have.
    """
    strategy = str(settings.get("strategy", "default"))
    if strategy not in CLASSES:
        raise ValueError(f"gsplat's trainer has no strategy {strategy!r}")
    if settings.get("white_background"):
        raise ValueError("gsplat's trainer always trains on black or random backgrounds")
    own = {f"{STRATEGY}{name}": value for name, value in STRATEGY_FIELDS[strategy].items()}
    known = {**CONFIG, **gsplat_defaults(strategy), **own, "data_dir": "", "result_dir": ""}
    given = {spelled: value for name, value in settings.items() if (spelled := _spelled(name, known)) in known}
    lists = {name: list(value) for name, value in given.items() if isinstance(known[name], list)}
    return {**known, **given, **lists, "strategy": strategy}


def _spelled(name: str, known: Mapping[str, Any]) -> str:
    """The name as gsplat spells it; its two strategies call the least opacity by different names."""
    if name == "opacity_cull" and f"{STRATEGY}min_opacity" in known:
        return f"{STRATEGY}min_opacity"
    own = GSPLAT.get(name, name)
    return f"{STRATEGY}{own}" if own not in known and f"{STRATEGY}{own}" in known else own


def cfg_yml(values: Mapping[str, Any]) -> str:
    """The text of cfg.yml for what `config` gave."""
    fields = {name.removeprefix(STRATEGY): value for name, value in values.items() if name.startswith(STRATEGY)}
    others = {name: value for name, value in values.items() if not name.startswith(STRATEGY)}
    others["strategy"] = _Object(CLASSES[values["strategy"]], fields)
    return str(yaml.dump(others, Dumper=_Dumper))


class _Object:
    """An instance of a Python class, of which only name and fields are known."""

    def __init__(self, kind: str, fields: Mapping[str, Any]) -> None:
        self.kind, self.fields = kind, dict(fields)


class _Dumper(yaml.SafeDumper):
    """Writes what yaml.dump writes for dataclasses and tuples, without having the classes."""


def _object(dumper: yaml.SafeDumper, value: _Object) -> yaml.Node:
    return dumper.represent_mapping(f"tag:yaml.org,2002:python/object:{value.kind}", value.fields)


def _tuple(dumper: yaml.SafeDumper, value: tuple[Any, ...]) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:python/tuple", value)


_Dumper.add_representer(_Object, _object)
_Dumper.add_representer(tuple, _tuple)

"""Settings that a trainer uses and does not store: its defaults, told by the version that its stored keys betray."""

from collections.abc import Mapping
from typing import Any

# INRIA `arguments/__init__.py`, `train.py` (revisions 472689c and 54c035f): none of these reaches cfg_args.
INRIA: Mapping[str, Any] = {
    "iterations": 30_000,
    "position_lr_init": 0.00016,
    "position_lr_final": 0.0000016,
    "position_lr_delay_mult": 0.01,  # has no effect: lr_delay_steps is 0
    "position_lr_max_steps": 30_000,
    "feature_lr": 0.0025,
    "scaling_lr": 0.005,  # 0.001 before 2023-07-16 (commit 6891d45), when cfg_args had the same keys
    "rotation_lr": 0.001,
    "percent_dense": 0.01,
    "lambda_dssim": 0.2,
    "densification_interval": 100,
    "opacity_reset_interval": 3_000,
    "densify_from_iter": 500,
    "densify_until_iter": 15_000,
    "densify_grad_threshold": 0.0002,
    "random_background": False,
    "convert_SHs_python": False,
    "compute_cov3D_python": False,
    "save_iterations": [7_000, 30_000],
    "test_iterations": [7_000, 30_000],
    "checkpoint_iterations": [],
}

# Up to 472689c (2024-05).
INRIA_BEFORE_EXPOSURE: Mapping[str, Any] = {"opacity_lr": 0.05}

# From 2130164 (2024-08), told by the key train_test_exp. Between 2024-08 and 182afc9 (2024-10) the folder does not
# tell the revision; optimizer_type and the lower opacity_lr are those of 54c035f, upstream's last.
INRIA_WITH_EXPOSURE: Mapping[str, Any] = {
    "opacity_lr": 0.025,
    "exposure_lr_init": 0.01,
    "exposure_lr_final": 0.001,
    "exposure_lr_delay_steps": 0,
    "exposure_lr_delay_mult": 0.0,
    "depth_l1_weight_init": 1.0,
    "depth_l1_weight_final": 0.01,
    "antialiasing": False,
    "optimizer_type": "default",
}

# gsplat `examples/simple_trainer.py` Config, 1.5.3. Only what every version since 1.0 does the same, as a setting or not:
# cfg.yml holds all settings of its version, so what it lacks was not yet one.
GSPLAT: Mapping[str, Any] = {
    "data_factor": 4,
    "test_every": 8,
    "global_scale": 1.0,
    "batch_size": 1,
    "max_steps": 30_000,
    "eval_steps": [7_000, 30_000],
    "save_steps": [7_000, 30_000],
    "init_type": "sfm",
    "sh_degree": 3,
    "sh_degree_interval": 1_000,
    "ssim_lambda": 0.2,
    "packed": False,
    "sparse_grad": False,
    "antialiased": False,
    "random_bkgd": False,
    "means_lr": 0.00016,  # it ends at a hundredth of this, in every version
    "scales_lr": 0.005,
    "opacities_lr": 0.05,
    "quats_lr": 0.001,
    "sh0_lr": 0.0025,
    "shN_lr": 0.000125,
    "tb_every": 100,
}

# gsplat/strategy/default.py. Version 1.5.3 never resets opacities, whatever `reset_every` says (gsplat pull request #776).
GSPLAT_DEFAULT_STRATEGY: Mapping[str, Any] = {
    "strategy.prune_opa": 0.005,
    "strategy.grow_grad2d": 0.0002,
    "strategy.grow_scale3d": 0.01,
    "strategy.prune_scale3d": 0.1,
    "strategy.refine_start_iter": 500,
    "strategy.refine_stop_iter": 15_000,
    "strategy.reset_every": 3_000,
    "strategy.refine_every": 100,
    "strategy.absgrad": False,
}

# gsplat/strategy/mcmc.py
GSPLAT_MCMC: Mapping[str, Any] = {
    "strategy.cap_max": 1_000_000,
    "strategy.noise_lr": 500_000.0,
    "strategy.refine_start_iter": 500,
    "strategy.refine_stop_iter": 25_000,
    "strategy.refine_every": 100,
    "strategy.min_opacity": 0.005,
}

GSPLAT_STRATEGIES: Mapping[str, Mapping[str, Any]] = {"default": GSPLAT_DEFAULT_STRATEGY, "mcmc": GSPLAT_MCMC}


def defaults_for(trainer: str, stored: Mapping[str, object]) -> dict[str, Any]:
    """The defaults of `trainer` by setting name, those among `stored` included; empty for a trainer that is not known.

    Without any stored model setting the revision cannot be told, and what differs between revisions is left out.
    """
    if trainer != "inria":
        return {}
    if "train_test_exp" in stored:
        return {**INRIA, **INRIA_WITH_EXPOSURE}
    if "white_background" in stored:  # every cfg_args has it
        return {**INRIA, **INRIA_BEFORE_EXPOSURE}
    return dict(INRIA)


def gsplat_defaults(strategy: object) -> dict[str, Any]:
    """The defaults of gsplat's trainer; those of its strategy only where that is "default" or "mcmc"."""
    return {**GSPLAT, **GSPLAT_STRATEGIES.get(str(strategy), {})}

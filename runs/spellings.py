"""How gsplat's trainer spells the settings that INRIA's has too: same meaning, same unit.

Names with a dot are fields of its strategy, as on its command line (`--strategy.refine-every`). Sources: gsplat 1.5.3,
`examples/simple_trainer.py` Config and `gsplat/strategy/{default,mcmc}.py`; INRIA `arguments/__init__.py`.
"""

from collections.abc import Mapping

STRATEGY = "strategy."

GSPLAT: Mapping[str, str] = {
    "source_path": "data_dir",
    "model_path": "result_dir",
    "iterations": "max_steps",
    "save_iterations": "save_steps",
    "test_iterations": "eval_steps",
    "position_lr_init": "means_lr",  # both are multiplied by 1.1 x the cameras' extent
    "feature_lr": "sh0_lr",
    "opacity_lr": "opacities_lr",
    "scaling_lr": "scales_lr",
    "rotation_lr": "quats_lr",
    "lambda_dssim": "ssim_lambda",
    "random_background": "random_bkgd",
    "antialiasing": "antialiased",
    "sh_interval": "sh_degree_interval",
    "densification_interval": "strategy.refine_every",
    "densify_from_iter": "strategy.refine_start_iter",
    "densify_until_iter": "strategy.refine_stop_iter",
    "densify_grad_threshold": "strategy.grow_grad2d",  # norm over NDC in both
    "percent_dense": "strategy.grow_scale3d",
    "opacity_reset_interval": "strategy.reset_every",
    "opacity_cull": "strategy.prune_opa",
    "cap_max": "strategy.cap_max",
    "noise_lr": "strategy.noise_lr",
}


def gsplat_aliases(stored: Mapping[str, object]) -> dict[str, str]:
    """Name asked for -> name stored, for INRIA's spellings and for strategy fields without their prefix.

    Before version 1.2 gsplat's settings held the fields of the strategy beside the others, without the prefix.
    """
    short = {name.removeprefix(STRATEGY): name for name in stored if name.startswith(STRATEGY)}
    spelled = ((asked, own) for asked, name in GSPLAT.items() for own in (name.removeprefix(STRATEGY), name))
    inria = {asked: own for asked, own in spelled if own in stored}
    return {asked: own for asked, own in (short | inria).items() if asked not in stored}

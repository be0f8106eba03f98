"""Which published scene a run trained on, where it is told beyond doubt, and whether it trained as the evaluations did."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from diagnostics.reference.published import KnownScene, known_scenes
from runs.run import Run
from runs.settings import Settings

PATHS = ("source_path", "data_dir", "path")  # how trainers spell where the data lie
# What changes the score, as INRIA's trainer and gsplat's spell it, with the value that the evaluations used.
INRIA_RECIPE = {
    "sh_degree": 3, "iterations": 30_000, "position_lr_init": 0.00016, "position_lr_final": 0.0000016,
    "position_lr_max_steps": 30_000, "feature_lr": 0.0025, "scaling_lr": 0.005, "rotation_lr": 0.001, "percent_dense": 0.01,
    "lambda_dssim": 0.2, "densification_interval": 100, "opacity_reset_interval": 3_000, "densify_from_iter": 500,
    "densify_until_iter": 15_000, "densify_grad_threshold": 0.0002, "random_background": False, "train_test_exp": False,
    "antialiasing": False,
}
GSPLAT_RECIPE = {
    "sh_degree": 3, "max_steps": 30_000, "test_every": 8, "batch_size": 1, "init_type": "sfm", "ssim_lambda": 0.2,
    "antialiased": False, "random_bkgd": False, "pose_opt": False, "app_opt": False, "use_bilateral_grid": False,
    "depth_loss": False, "strategy.grow_grad2d": 0.0002, "strategy.refine_stop_iter": 15_000, "strategy.reset_every": 3_000,
    "strategy.refine_every": 100, "strategy.prune_opa": 0.005, "strategy.absgrad": False, "strategy.revised_opacity": False,
}
RECIPES: Mapping[str, dict[str, Any]] = {"inria": INRIA_RECIPE, "gsplat": GSPLAT_RECIPE}
FULL_SIZE = (-1, 1, None)  # values of INRIA's `resolution` that leave pictures of up to 1,600 px as they are


def recognised(run: Run) -> KnownScene | None:
    """By the data's path: the folder of a published data set, and in it that of one of its scenes."""
    told = [run.settings.value(name) for name in PATHS] + [None if run.data is None else str(run.data)]
    for path in told:
        if isinstance(path, str):
            parts = [part.lower() for part in PurePosixPath(path.replace("\\", "/")).parts]
            scene = known_scenes().get((parts[-2], parts[-1])) if len(parts) > 1 else None
            if scene is not None:
                return scene
    return None


def unlike_published(run: Run, scene: KnownScene) -> tuple[str, ...]:
    """What keeps the run's scores from being held against published ones, each as a noun phrase; () where nothing does."""
    recipe = RECIPES.get(run.trainer.name)
    if recipe is None:
        return (f"published end points of this trainer ({run.trainer.name})",)
    return (*_data(run, scene), *_recipe(run.settings, recipe))


def _data(run: Run, scene: KnownScene) -> Iterator[str]:
    settings = run.settings
    if run.trainer.name == "inria":
        if settings.value("eval") is not True:
            yield "held-out views (eval is not set, or not stored)"
        if settings.value("images") != scene.images or settings.value("resolution") not in FULL_SIZE:
            yield f"photos of the published size (images = {scene.images}, resolution = -1)"
        if settings.value("white_background") is not scene.white_background:
            yield f"the published background (white_background = {scene.white_background})"
    elif settings.value("data_factor") != scene.data_factor:
        yield f"photos of the published size (data_factor = {scene.data_factor})"
    if run.trainer.name == "gsplat" and settings.value("strategy") != "default":
        yield "gsplat's default strategy"


def _recipe(settings: Settings, recipe: dict[str, Any]) -> Iterator[str]:
    for name, usual in recipe.items():
        setting = settings.get(name)
        if setting is not None and setting.value != usual:
            yield f"the published recipe ({name} = {usual}, here {setting.value})"


def fingerprint(run: Run) -> str | None:
    """Twelve hexadecimal digits that cameras with the same names, sizes and split share; None without cameras."""
    if not run.cameras:
        return None
    told = sorted([camera.name, *camera.size_px, camera.split or ""] for camera in run.cameras)
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]

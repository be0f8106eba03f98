"""One small healthy training as the parts of a run; sick fixtures replace one part of it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from runs.gaussians import Gaussians
from runs.run import Run
from tests.support.runs import changed, cloud, made_run, points_of, ring_cameras, started_from, state_of

LAST = 2000
DENSIFICATIONS = tuple(range(200, 1200, 100))
RESETS = (500, 1000)
SETTINGS: Mapping[str, Any] = {
    "iterations": LAST, "position_lr_init": 1.6e-4, "position_lr_final": 1.6e-6, "feature_lr": 2.5e-3, "opacity_lr": 0.05,
    "scaling_lr": 5e-3, "rotation_lr": 1e-3, "percent_dense": 0.01, "lambda_dssim": 0.2, "densification_interval": 100,
    "opacity_reset_interval": 500, "densify_from_iter": 100, "densify_until_iter": 1200, "densify_grad_threshold": 1e-3,
    "sh_degree": 1, "white_background": False,
}


def healthy_run(**changes: Any) -> Run:
    """The healthy training, with parts replaced (see `made_run`). `series` replaces single ones; None removes one."""
    parts = dict(_parts())
    series = {**parts["series"], **changes.pop("series", {})}
    parts["series"] = {name: values for name, values in series.items() if values is not None}
    parts["settings"] = {**parts["settings"], **changes.pop("settings", {})}
    return made_run(**(parts | changes))


@cache
def start() -> Gaussians:
    """What the healthy training starts from."""
    return started_from(points_of(cloud(400, seed=1)))


@cache
def moved(count: int = 900, seed: int = 2) -> Gaussians:
    """What the healthy training ends with: the start, grown."""
    return cloud(count, seed=seed)


@cache
def _parts() -> Mapping[str, Any]:
    early = changed(start(), sh0=start().sh0 + 0.02, log_scales=start().log_scales - 0.1)
    return {
        "series": healthy_series(), "settings": SETTINGS, "cameras": ring_cameras(), "input_points": points_of(start()),
        "checkpoints": {200: early, 1000: moved(700, 3), LAST: moved()}, "states": {LAST: state_of(moved(), LAST)},
    }


def healthy_series() -> dict[str, dict[int, float]]:
    """PSNR rises with a dip after each reset, the count grows while it may, one view's loss is noisy."""
    rng = np.random.default_rng(7)
    steps = range(1, LAST + 1)
    evaluations = (1, *range(100, LAST + 1, 100))
    noise = dict(zip(steps, rng.normal(0, 0.08, LAST), strict=True))
    return {
        "test/psnr": {i: quality(i) - 0.8 for i in evaluations}, "train/psnr": {i: quality(i) for i in evaluations},
        "view/psnr": {i: quality(i) + 10 * noise[i] for i in range(10, LAST + 1, 10)},
        "loss/l1": {i: 10 ** (-quality(i) / 20) * (1 + noise[i]) for i in steps},
        "num_gaussians": {i: float(count_at(i)) for i in steps},
        "densify/cloned": dict.fromkeys(DENSIFICATIONS, 30.0), "densify/split": dict.fromkeys(DENSIFICATIONS, 25.0),
        "densify/pruned": dict.fromkeys(DENSIFICATIONS, 5.0), "opacity_reset": dict.fromkeys(RESETS, 1.0),
        "lr/xyz": {i: 3.3 * 1.6e-4 * 0.01 ** (i / LAST) for i in steps},
        **{f"grad_norm/{group}": {i: 1e-3 * (1 + noise[i]) for i in range(10, LAST + 1, 10)}
           for group in ("xyz", "f_dc", "opacity", "scaling", "rotation")},
    }


def quality(iteration: int) -> float:
    """PSNR of the training views, dB: an exponential rise, and a dip of 6 dB after a reset that is gone after 100 iterations."""
    rise = 15 + 17 * (1 - np.exp(-iteration / 500))
    dip = sum(6 * np.exp(-(iteration - reset) / 30) for reset in RESETS if iteration > reset)
    return float(rise - dip)


def count_at(iteration: int) -> int:
    """400 Gaussians at the start, 50 more after each densification."""
    return 400 + 50 * sum(1 for event in DENSIFICATIONS if event < iteration)

"""One small training told to any run writer, and what was told: for round trips through files."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from runs.cameras import Camera
from runs.checkpoints import TrainingState
from runs.gaussians import COLUMNS, Gaussians
from runs.points import PointCloud
from runs.writers.protocol import RunWriter
from tests.support.files import random_gaussians
from tests.support.runs import ring_cameras, state_of

SETTINGS: Mapping[str, Any] = {
    "iterations": 200, "sh_degree": 1, "position_lr_init": 1.6e-4, "feature_lr": 2.5e-3, "lambda_dssim": 0.2,
    "densify_from_iter": 50, "densify_until_iter": 150, "densification_interval": 25, "opacity_reset_interval": 75,
    "densify_grad_threshold": 4e-4, "white_background": True, "strategy": "default",
}
ROWS: Mapping[int, Mapping[str, Any]] = {
    1: {"l1": 0.2, "ssim": 0.5, "loss": 0.26, "n": 20, "sh": 0, "view": "view_003.png",
        "eval": {"train": 15.5, "test": 14.25}, "ms": 8.0},
    2: {"l1": float("nan"), "ssim": 0.5, "loss": float("nan"), "n": 20, "sh": 0, "view": "view_002.png", "ms": 7.0},
    100: {"l1": 0.1, "ssim": 0.75, "loss": 0.13, "n": 30, "sh": 1, "view": "view_001.png",
          "densify": {"cloned": 4, "split": 3, "pruned": 0}},
    200: {"l1": 0.05, "ssim": 0.875, "loss": 0.065, "n": 30, "sh": 1, "view": "view_001.png", "psnr": 28.5,
          "eval": {"train": np.float32(25.5), "test": 24.25}},
}


@dataclass(frozen=True)
class Told:
    """What a writer was told."""

    cameras: tuple[Camera, ...]
    points: PointCloud
    gaussians: Mapping[int, Gaussians]
    state: TrainingState


def tell(writer: RunWriter, *, settings: Mapping[str, Any] = SETTINGS, finish: bool = True) -> Told:
    """Writes a run of 200 iterations with two saves and one state."""
    cameras = tuple(replace(c, split="test" if i % 4 == 0 else "train") for i, c in enumerate(ring_cameras(8)))
    rng = np.random.default_rng(5)
    xyz = rng.normal(size=(20, 3)).astype(np.float32).astype(np.float64)
    points = PointCloud(xyz, rng.integers(0, 256, (20, 3), np.uint8), "made")
    saved = {100: random_gaussians(20, degree=1, seed=1), 200: random_gaussians(31, degree=1, seed=2)}
    told = Told(cameras, points, saved, state_of(saved[200], 200))
    writer.begin(told.cameras, points, settings)
    for iteration, row in ROWS.items():
        writer.log(iteration, row)
        if iteration in saved:
            writer.save(iteration, saved[iteration])
    writer.save_state(told.state)
    if finish:
        writer.finish()
    return told


def assert_same_gaussians(found: Gaussians, expected: Gaussians) -> None:
    """Every stored column, bit for bit."""
    assert (found.count, found.sh_degree) == (expected.count, expected.sh_degree)
    for name in (*COLUMNS, "sh_rest"):
        np.testing.assert_array_equal(found.load(name), expected.load(name), err_msg=name)

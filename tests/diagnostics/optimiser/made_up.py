"""Tiny made-up scenes, parameters and contexts for the tests of the trainer."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from diagnostics.optimiser.context import Context
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData, View
from render.raster.differentiable import render
from render.raster.gradients import Gradients
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import F32
from runs.cameras import Camera, look_at
from runs.points import PointCloud

SHAPES = {"means": (3,), "log_scales": (3,), "quats_wxyz": (4,), "logit_opacities": (), "sh0": (3,), "sh_rest": (8, 3)}
SIZE_PX = (24, 20)


def some_parameters(count: int = 5, dtype: type = np.float32, seed: int = 0) -> Parameters:
    """Any numbers, SH degree 2."""
    rng = np.random.default_rng(seed)
    return Parameters(**{name: rng.standard_normal((count, *shape)).astype(dtype) for name, shape in SHAPES.items()})


def blobs(count: int, seed: int = 0, scale: float = 0.12, degree: int = 1) -> Parameters:
    """Coloured, fairly opaque Gaussians in a ball of radius one at the origin."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(-0.6, 0.6, (count, 3))
    stored = {
        "means": means, "log_scales": np.log(scale * rng.uniform(0.5, 1.5, (count, 3))),
        "quats_wxyz": rng.standard_normal((count, 4)), "logit_opacities": rng.uniform(0, 3, count),
        "sh0": rng.uniform(-1.5, 1.5, (count, 3)), "sh_rest": np.zeros((count, (degree + 1) ** 2 - 1, 3)),
    }
    return Parameters(**{name: values.astype(np.float32) for name, values in stored.items()})


def cameras(count: int, size_px: tuple[int, int] = SIZE_PX, turn: float = 0.0) -> list[Camera]:
    """On a circle of radius three, looking at the origin."""
    angles = turn + 2 * np.pi * np.arange(count) / count
    eyes = [np.array([3 * np.sin(angle), -0.6 * np.cos(3 * angle), -3 * np.cos(angle)]) for angle in angles]
    return [look_at(eye, np.zeros(3), size_px=size_px, name=f"view_{index:03d}") for index, eye in enumerate(eyes)]


@cache
def tiny_scene() -> TrainingData:
    """Six training and two test pictures of 40 blobs, and points near some of them."""
    truth = blobs(40)
    train, test = cameras(6), [replace(camera, name=f"test_{camera.name}", split="test") for camera in cameras(2, turn=0.5)]
    train = [replace(camera, split="train") for camera in train]
    views = [View(camera, photo_of(truth, camera)) for camera in (*train, *test)]
    xyz = truth.means[:30] + 0.03 * np.random.default_rng(1).standard_normal((30, 3))
    rgb = np.clip(255 * (0.5 + 0.2821 * truth.sh0[:30]), 0, 255).astype(np.uint8)
    return TrainingData(tuple(views[:6]), tuple(views[6:]), PointCloud(np.asarray(xyz, np.float64), rgb, "made up"))


def photo_of(parameters: Parameters, camera: Camera) -> F32:
    return np.clip(render(parameters, camera).rgb, 0, 1)


def quick(**changes: Any) -> OptimiserSettings:
    """120 iterations with every event of the recipe in them."""
    chosen: dict[str, Any] = {
        "iterations": 120, "position_lr_max_steps": 120, "sh_degree": 1, "sh_interval": 40, "densification_interval": 20,
        "densify_from_iter": 20, "densify_until_iter": 90, "opacity_reset_interval": 50, "densify_grad_threshold": 2e-3,
        "test_iterations": (1, 120), "save_iterations": (60, 120), "checkpoint_iterations": (60,), **changes,
    }
    return OptimiserSettings(**chosen)


def context(parameters: Parameters, iteration: int = 1_000, extent: float = 2.0, **settings: Any) -> Context:
    arrays = {name: np.zeros_like(getattr(parameters, name)) for name in GROUPS}
    none = Gradients(**arrays, means2d_px=np.zeros((parameters.count, 2), np.float32))
    return Context(iteration, OptimiserSettings(**settings), extent, np.random.default_rng(4), none)

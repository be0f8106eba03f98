"""Random trainable Gaussians, and losses that are linear in the picture, for tests of gradients."""

import numpy as np
from numpy.typing import DTypeLike

from render.raster.differentiable import Gradients, render
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import F64, Array
from runs.cameras import Camera
from runs.gaussians import Gaussians

BACKGROUND = (0.2, 0.9, 0.4)


def random_parameters(
    count: int, *, seed: int = 0, size: float = 0.3, opaque: float = 2.0, degree: int = 3, dtype: DTypeLike = np.float64
) -> Parameters:
    """A cloud of unit width with quaternions of any length; all values are exact in float32."""
    rng = np.random.default_rng(seed)
    return Parameters.of(Gaussians.from_arrays(
        means=rng.normal(size=(count, 3)), log_scales=np.log(size) + 0.7 * rng.normal(size=(count, 3)),
        quats_wxyz=rng.normal(size=(count, 4)), logit_opacities=opaque * rng.normal(size=count),
        sh0=rng.normal(size=(count, 3)), sh_rest=0.2 * rng.normal(size=(count, (degree + 1) ** 2 - 1, 3)),
    ), dtype)


def incoming(camera: Camera, seed: int = 0) -> tuple[F64, F64]:
    """dL/d(rgb) and dL/d(alpha) of a random linear loss."""
    rng = np.random.default_rng(seed)
    width, height = camera.size_px
    return rng.normal(size=(height, width, 3)), rng.normal(size=(height, width))


def linear_loss(parameters: Parameters, camera: Camera, gradient: tuple[Array, Array]) -> float:
    """Σ rgb·dL/d(rgb) + Σ alpha·dL/d(alpha)."""
    picture = render(parameters, camera, background=BACKGROUND)
    return float((picture.rgb * gradient[0]).sum() + (picture.alpha * gradient[1]).sum())


def gradients(parameters: Parameters, camera: Camera, gradient: tuple[Array, Array]) -> Gradients:
    """The gradients of that loss by the hand-derived backward pass."""
    return render(parameters, camera, background=BACKGROUND).backward(*gradient)


def relative_errors(found: Gradients, expected: Gradients, floor: float = 1e-3) -> dict[str, float]:
    """Worst |found - expected| / max(|expected|, floor × the group's largest), for each group and for means2d_px."""
    worst = {}
    for name in (*GROUPS, "means2d_px"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        size = np.maximum(np.abs(theirs), floor * np.abs(theirs).max(initial=0) + 1e-12)
        worst[name] = float((np.abs(ours - theirs) / size).max(initial=0))
    return worst

"""What every differentiable renderer gives: a picture, and the gradients of the raw parameters on its way back."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from runs.arrays import F32, Array


@dataclass(frozen=True, eq=False)
class Gradients:
    """dL/d(each group of `Parameters`), same shapes and dtype; exactly 0 for Gaussians that no pixel shows."""

    means: Array  # [N, 3]
    log_scales: Array  # [N, 3]
    quats_wxyz: Array  # [N, 4], through the normalisation: at right angles to the quaternion
    logit_opacities: Array  # [N]
    sh0: Array  # [N, 3]
    sh_rest: Array  # [N, K-1, 3], 0 above the degree that was drawn
    means2d_px: Array  # [N, 2], dL/d(projected centre) per px; × (W/2, H/2) it is what INRIA and gsplat densify by


class Rendering(Protocol):
    """A picture that knows its way back; what `differentiable.render` and `cuda.render` return."""

    @property
    def rgb(self) -> Array:
        """[H, W, 3], background included, not clamped above 1."""

    @property
    def alpha(self) -> Array:
        """[H, W], 0..1."""

    @property
    def radii_px(self) -> F32:
        """float32 [N], how far each Gaussian reaches; 0 where the picture does not show it."""

    def backward(self, rgb_gradient: Array, alpha_gradient: Array | None = None) -> Gradients:
        """Gradients for dL/d(rgb) [H, W, 3] and dL/d(alpha) [H, W]. Raises ValueError for other shapes."""


def shaped(gradient: Array, picture: Array, name: str) -> Array:
    """The gradient as a contiguous array like the picture. Raises ValueError where the shapes differ."""
    if gradient.shape != picture.shape:
        raise ValueError(f"{name} must be {list(picture.shape)} like the picture, not {list(gradient.shape)}")
    return np.ascontiguousarray(gradient, picture.dtype)

"""The photometric loss of a picture against a photo, with its gradient: (1 - λ)·L1 + λ·(1 - SSIM)."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from diagnostics.optimiser.kernels_loss import photo_moments, photometric
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import View
from render.raster.compare import SIGMA_PX, WINDOW_PX
from runs.arrays import Array

K1, K2 = 0.01, 0.03  # Wang et al. 2004


@dataclass(frozen=True, eq=False)
class Target:
    """A photo that pictures are compared with, and its blurred moments; float32, or float64 in proofs."""

    photo: Array  # [H, W, 3], multiplied by the mask
    mask: Array | None = None  # [H, W]

    @classmethod
    def of(cls, view: View) -> "Target":
        if view.mask is None:
            return cls(view.photo)
        return cls(view.photo * view.mask[..., None], view.mask)

    @cached_property
    def rows(self) -> Array:
        """[H, 3·W]."""
        return np.ascontiguousarray(self.photo).reshape(len(self.photo), -1)

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """Blurred mean and variance, each [H, 3·W]."""
        mean, variance = np.empty_like(self.rows), np.empty_like(self.rows)
        photo_moments(self.rows, window(self.rows.dtype), mean, variance)
        return mean, variance


@dataclass(frozen=True, eq=False)
class Loss:
    """How far a picture is from its photo."""

    l1: float  # mean absolute error
    ssim: float
    psnr: float  # dB, of the picture clipped to 0..1; inf where it equals the photo
    total: float  # what is minimised
    rgb_gradient: Array  # [H, W, 3], d total / d picture


def photometric_loss(
    picture: Array, target: Target, settings: OptimiserSettings, *, dynamic_range: float = 1.0,
) -> Loss:
    """Means over all pixels and channels, masked pixels counted as right, as trainers do.

    `dynamic_range` is the largest value that SSIM's constants expect: 1 for pictures 0..1.
    """
    x = picture if target.mask is None else picture * target.mask[..., None]
    rows = np.ascontiguousarray(x, target.photo.dtype).reshape(target.rows.shape)
    share, gradient = settings.lambda_dssim, np.empty_like(rows)
    constants = np.array([share, (K1 * dynamic_range) ** 2, (K2 * dynamic_range) ** 2, 1, 2], rows.dtype)
    l1, ssim, squared = photometric(rows, target.rows, *target.moments, window(rows.dtype), constants, gradient)
    gradient = gradient.reshape(picture.shape)
    if target.mask is not None:
        gradient *= target.mask[..., None]
    psnr = float(-10 * np.log10(squared)) if squared > 0 else float("inf") if squared == 0 else float("nan")
    return Loss(l1, ssim, psnr, (1 - share) * l1 + share * (1 - ssim), gradient)


@lru_cache
def window(dtype: np.dtype[np.floating]) -> Array:
    """[11], the Gaussian window of SSIM along one axis; sums to 1."""
    offsets = np.arange(WINDOW_PX) - WINDOW_PX // 2
    weights = np.exp(-(offsets**2) / (2 * SIGMA_PX**2))
    return np.asarray(weights / weights.sum(), dtype)

"""The steps of the default strategy: which Gaussians are cloned, split, pruned, and what becomes of them.

Rules and numbers are those of Kerbl et al. 2023 and INRIA's trainer. Its prune by size in the picture is left out: that
trainer zeroes the radii just before it tests them, so the prune never happens (INRIA issues #123, #544, #638), and gsplat
ships it switched off.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from diagnostics.optimiser.context import Context
from render.covariance import rotations
from render.raster.parameters import Parameters
from runs.arrays import F32, I64, Array, Mask

CHILDREN = 2  # that a split Gaussian leaves


@dataclass(eq=False)
class Tally:
    """What was gathered about each Gaussian since the last densification; float32 [N] each."""

    accumulated: F32  # sum of the statistic over the views that saw it
    views: F32  # how many those were
    max_radii_px: F32  # largest radius in any of them

    @classmethod
    def zeros(cls, count: int) -> "Tally":
        return cls(*np.zeros((3, count), np.float32))

    def add(self, norms: F32, radii_px: F32) -> None:
        """One view: the statistic and the radius of each Gaussian, radius 0 where it was not seen."""
        seen = radii_px > 0
        self.accumulated[seen] += norms[seen]
        self.views[seen] += 1
        np.maximum(self.max_radii_px, radii_px, out=self.max_radii_px)

    @property
    def mean(self) -> F32:
        """float32 [N], mean over the views that saw it; 0 where none did, or where the mean is NaN."""
        with np.errstate(invalid="ignore"):
            mean = self.accumulated / np.maximum(self.views, 1)
        return np.asarray(np.where(np.isnan(mean), 0, mean), np.float32)


def statistic(means2d_px: F32, size_px: tuple[int, int]) -> F32:
    """float32 [N]: norm of dL/d(centre in NDC), from dL/d(centre in px) [N, 2]; the picture is two NDC units wide and high."""
    return np.asarray(np.hypot(means2d_px[:, 0] * (size_px[0] / 2), means2d_px[:, 1] * (size_px[1] / 2)), np.float32)


def largest_scales(parameters: Parameters) -> Array:
    """[N], world units."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(parameters.log_scales.max(axis=1)))


def clone(_context: Context, parameters: Parameters, rows: I64) -> Parameters:
    """Exact copies: clone and original part only by their moments."""
    return parameters.take(rows)


def split(context: Context, parameters: Parameters, rows: I64) -> Parameters:
    """Two smaller Gaussians for each of `rows`, drawn from the parent's own distribution: all first ones, then all second."""
    children = parameters.take(np.tile(rows, CHILDREN))
    with np.errstate(over="ignore", invalid="ignore"):  # a zero quaternion gives NaN, here as in the trainers
        offsets = np.exp(children.log_scales) * context.rng.standard_normal(children.means.shape, np.float32)
        turned = np.einsum("nij,nj->ni", rotations(children.quats_wxyz), offsets)
    shrunk = children.log_scales - np.log(context.settings.split_shrink)
    return replace(children, means=_like(children, children.means + turned), log_scales=_like(children, shrunk))


def prune(context: Context, parameters: Parameters) -> Mask:
    """bool [N]: too transparent, or too large for the scene once the first opacity reset has passed."""
    settings = context.settings
    gone = expit(parameters.logit_opacities) < settings.opacity_cull
    if settings.prune_scale and context.iteration > settings.opacity_reset_interval:
        gone |= largest_scales(parameters) > settings.prune_scale * context.extent
    return np.asarray(gone)


def reset_opacities(context: Context, logit_opacities: F32) -> F32:
    """Logits [N] of min(opacity, opacity_reset_to)."""
    bound = context.settings.opacity_reset_to
    return np.minimum(logit_opacities, logit_opacities.dtype.type(np.log(bound / (1 - bound))))


def _like(parameters: Parameters, values: Array) -> Array:
    return np.ascontiguousarray(values, parameters.dtype)

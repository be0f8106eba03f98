"""Truncated gradients: a surrogate pull on Gaussians that a picture no longer shows, so that pixels may call them back.

After TruncGradGS (2026, arXiv 2609.03534), with the numbers of its published code: a dead Gaussian is pulled at by pixels that
lie beyond the contour of its density and in which more coverage would lower the loss. The picture is not changed.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from render.raster import layout_training as layout
from render.raster.differentiable import Rendered, each_chunk, groups_of
from render.raster.gradients import Gradients, Rendering, shaped
from render.raster.kernels_backward_project import pull_back
from render.raster.kernels_truncated import CHOICES, SUM_PULLS, as_sums, gather_dead
from render.raster.kernels_truncated_project import project_dead
from render.raster.parameters import GROUPS
from runs.arrays import F64, Array

PAPER_CONTOUR: Final = 2 * np.log(255)  # d² at which the density is 1/255
CODE_CONTOUR: Final = PAPER_CONTOUR + 0.1  # what the published code compares d² with


@dataclass(frozen=True)
class Truncation:
    """How the surrogate of one picture is formed."""

    dead_opacity: float  # a Gaussian of at most this opacity is dead; 1 takes all of them
    fall: float  # of the tail, per unit of d²
    contour: float = CODE_CONTOUR  # d² at which the tail begins
    padding_px: float = 0.0  # round the box of a dead Gaussian (its radius: three deviations) whose radius is below …
    padded_below_px: float = 0.0
    by_centre: bool = True  # the pull on the centre; the rest is what the code adds to it
    by_sign: bool = True  # only from pixels in which more coverage would lower the loss
    by_opacity: bool = True  # dL/d(opacity) inside the contour where alpha is below 1/255
    by_colour: bool = True  # dL/d(colour) wherever a dead Gaussian is skipped

    @property
    def choices(self) -> F64:
        """float64 [CHOICES], as the kernels read it."""
        at_contour = np.sqrt(self.contour) * np.exp(-self.contour / 2)
        table = np.array([self.contour, at_contour, self.fall, self.by_sign, self.by_centre, self.by_opacity, self.by_colour])
        assert len(table) == CHOICES
        return table


@dataclass(frozen=True, eq=False)
class Surrogate:
    """What is added to the gradients of a picture, and how many pixels pulled."""

    gradients: Gradients  # its means2d_px are the surrogate's own: no statistic should see them
    pulling_px: Array  # int64 [N], pixels that pull at the centre of each Gaussian
    calls: Array  # [H, W], Gaussians at which each pixel pulls

    def added_to(self, gradients: Gradients) -> Gradients:
        """The sum for Adam; `means2d_px`, by which Gaussians are densified, stays what the picture said."""
        sums = {name: getattr(gradients, name) + getattr(self.gradients, name) for name in GROUPS}
        return replace(gradients, **sums)


def surrogate(rendered: Rendering, rgb_gradient: Array, how: Truncation) -> Surrogate:
    """The surrogate for dL/d(rgb) [H, W, 3]. Raises ValueError for other shapes, and for a picture of another renderer."""
    if not isinstance(rendered, Rendered):
        raise ValueError("truncated gradients are drawn on the CPU only")
    parameters, frame = rendered.parameters, rendered.frame
    by_rgb = shaped(rgb_gradient, rendered.rgb, "rgb_gradient")
    rows, splat_of = np.empty((parameters.count, layout.FIELDS)), np.empty(parameters.count, np.int32)
    fronts, groups = np.empty(parameters.count, np.int64), groups_of(parameters)
    count = project_dead(*groups, frame.degree, frame.view, frame.lens, frame.centre, frame.size_px, frame.splat_of, frame.count,
                         _logit(how.dead_opacity, parameters.dtype.type), how.padding_px, how.padded_below_px, rows, splat_of,
                         fronts)
    sums, (height, width) = np.empty((layout.CHUNKS, count, layout.SUMS)), rendered.alpha.shape
    calls = np.zeros((height, layout.segments_across(width) * layout.LANES), rendered.rgb.dtype)

    def work(chunk: int) -> None:
        first, last = layout.rows_of(chunk, height)
        gather_dead(first, last, frame.size_px, frame.count, frame.rows, count, rows, fronts, frame.background, frame.pixels,
                    by_rgb, how.choices, sums[chunk], calls)

    if count:
        each_chunk(work, frame.threads)
    pulling = np.zeros(parameters.count, np.int64)
    pulling[splat_of[:count]] = sums[:, :, SUM_PULLS].sum(axis=0)
    as_sums(rows, count, sums)
    means, log_scales, quats, logits, sh0, sh_rest = (np.zeros_like(array) for array in groups)
    found = Gradients(means, log_scales, quats, logits, sh0, sh_rest, np.zeros((len(means), 2), rendered.rgb.dtype))
    pull_back(*groups, frame.degree, frame.view, frame.lens, frame.centre, count, rows, splat_of, sums, *groups_of(found),
              found.means2d_px)
    return Surrogate(found, pulling, calls[:, :width])


def _logit(opacity: float, real: type[np.floating]) -> float:
    """The largest logit of a dead Gaussian, rounded as a trainer's reset rounds it: the reset to 0.01 must count as dead."""
    return float(real(np.log(opacity / (1 - opacity)))) if opacity < 1 else np.inf

"""Kernel that turns dead Gaussians into rows of `layout_training`, nearest first, whether or not the picture shows them."""

import math

import numpy as np

from render.raster import layout_training as layout
from render.raster.kernels_footprint import CX, CY, NEAR, shaped, sigmoid
from render.raster.kernels_training_project import by_depth, colour_row, place, touches
from runs.arrays import F64, Array
from runs.kernels import lane_kernel

X, Y, LN_OPACITY, REACH_X, REACH_Y = layout.X, layout.Y, layout.LN_OPACITY, layout.REACH_X, layout.REACH_Y


@lane_kernel
def project_dead(
    means: Array, log_scales: Array, quats: Array, logits: Array, sh0: Array, sh_rest: Array, degree: int,
    view: F64, lens: F64, centre: F64, size_px: Array, drawn: Array, drawn_count: int, most_logit: float, padding_px: float,
    padded_below_px: float, rows: F64, splat_of: Array, fronts: Array,
) -> int:
    """Fill `rows`, `splat_of` and `fronts` with the Gaussians of at most `most_logit` whose box touches the picture; return
    how many.

    The box is the square of the radius, with `padding_px` round it where the radius is below `padded_below_px`. `drawn` are
    the first `drawn_count` splats of the picture, nearest first; `fronts` says how many of them lie before each dead one.
    """
    wide_lens, wide_size = lens.copy(), np.empty(2, np.float64)
    wide_lens[CX], wide_lens[CY] = lens[CX] + padding_px, lens[CY] + padding_px
    wide_size[0], wide_size[1] = size_px[0] + 2 * padding_px, size_px[1] + 2 * padding_px
    indices, order = by_depth(means, view, lens[NEAR])
    axes, terms = np.empty((3, 4), np.float64), np.empty(25, np.float64)
    count = before = 0
    for at in order:
        i = indices[at]
        in_front = before
        if before < drawn_count and drawn[before] == i:
            before += 1
        if not (logits[i] <= most_logit and shaped(log_scales, quats, logits, i)):
            continue
        # on a picture with a margin: `place` leaves out what its picture does not show
        radius, _ = place(means, log_scales, quats, logits, i, view, wide_lens, wide_size, axes, rows, count)
        reach = radius + padding_px if radius < padded_below_px else radius
        x_px, y_px = rows[count, X] - padding_px, rows[count, Y] - padding_px
        on_picture = touches(x_px, reach, size_px[0]) and touches(y_px, reach, size_px[1])
        if not (radius > 0 and on_picture and colour_row(means, sh0, sh_rest, i, degree, centre, terms, rows, count)):
            continue
        rows[count, X], rows[count, Y], rows[count, REACH_X], rows[count, REACH_Y] = x_px, y_px, reach, reach
        rows[count, LN_OPACITY] = math.log(sigmoid(float(logits[i])))
        splat_of[count], fronts[count] = i, in_front
        count += 1
    return count

"""Kernel that turns raw Gaussians into rows of `layout_training`, nearest first, with what the picture does not show left out."""

import math

import numpy as np

from render.projection import ALPHA_MIN
from render.raster import layout_training as layout
from render.raster.kernels_footprint import (
    CX,
    CY,
    DILATION,
    FX,
    FY,
    NEAR,
    X_HIGH,
    X_LOW,
    Y_HIGH,
    Y_LOW,
    clamped,
    project_axes,
    shaped,
    sigmoid,
    to_camera,
)
from render.raster.kernels_harmonics import sh_terms
from render.raster.kernels_sort import radix_order
from runs.arrays import F32, F64, Array
from runs.kernels import inlined, lane_kernel

X, Y, HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.X, layout.Y, layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, REACH_X, REACH_Y = layout.RED, layout.GREEN, layout.BLUE, layout.REACH_X, layout.REACH_Y
FURTHEST_PX = 1e15  # beyond it squares overflow; no such splat reaches a picture
LN_255 = math.log(255)
SIGMAS = 3  # INRIA's radius of a splat
LEAST_SPREAD = 0.1  # px⁴, INRIA's floor under the square root of the larger eigenvalue


@lane_kernel
def project_all(
    means: Array, log_scales: Array, quats: Array, logits: Array, sh0: Array, sh_rest: Array, degree: int,
    view: F64, lens: F64, centre: F64, size_px: Array, rows: F64, splat_of: Array, radii: F32,
) -> int:
    """Fill `rows` and `splat_of` with the splats on the picture and `radii` [N] with INRIA's radii; return how many.

    Every test is written so that NaN fails it: a row with NaN or infinity is left out and has radius 0.
    """
    radii[:] = 0
    indices, order = by_depth(means, view, lens[NEAR])
    axes, terms = np.empty((3, 4), np.float64), np.empty(25, np.float64)
    count = 0
    for at in order:
        i = indices[at]
        if not shaped(log_scales, quats, logits, i):
            continue
        radius, blended = place(means, log_scales, quats, logits, i, view, lens, size_px, axes, rows, count)
        if radius > 0 and colour_row(means, sh0, sh_rest, i, degree, centre, terms, rows, count):
            radii[i] = radius
        if radii[i] > 0 and blended:
            splat_of[count] = i
            count += 1
    return count


@lane_kernel
def by_depth(means: Array, view: F64, near: float) -> tuple[Array, Array]:
    """The Gaussians beyond the near plane, int32 [V], and their stable depth order, int32 [V]."""
    indices, depths = np.empty(len(means), np.int32), np.empty(len(means), np.float32)
    count = 0
    for i in range(len(means)):
        _, _, depth = to_camera(view, means, i)
        if depth > near:
            indices[count], depths[count] = i, depth
            count += 1
    return indices[:count], radix_order(depths[:count].view(np.uint32))


@inlined
def place(
    means: Array, log_scales: Array, quats: Array, logits: Array, i: int, view: F64, lens: F64, size_px: Array, axes: F64,
    rows: F64, rank: int,
) -> tuple[float, bool]:
    """Write the row of one splat; return its radius in px, 0 off the picture, and whether any pixel centre can see it."""
    x, y, depth = to_camera(view, means, i)
    slope_x, slope_y = x / depth, y / depth
    x_px, y_px = lens[FX] * slope_x + lens[CX], lens[FY] * slope_y + lens[CY]
    if not (abs(x_px) < FURTHEST_PX and abs(y_px) < FURTHEST_PX):
        return 0.0, False
    xx, xy, yy = project_axes(
        log_scales, quats, i, view, lens[FX] / depth, lens[FY] / depth,
        clamped(slope_x, lens[X_LOW], lens[X_HIGH]), clamped(slope_y, lens[Y_LOW], lens[Y_HIGH]), axes)
    dilation = lens[DILATION]
    # det(Σ₀ + dI) >= d·tr Σ₀ + d²: keeps the difference of large products from reaching zero
    determinant = max((xx + dilation) * (yy + dilation) - xy * xy, dilation * (xx + yy + dilation))
    xx, yy = xx + dilation, yy + dilation
    if not 0 < determinant < np.inf:
        return 0.0, False
    middle = 0.5 * (xx + yy)
    radius = math.ceil(SIGMAS * math.sqrt(middle + math.sqrt(max(LEAST_SPREAD, middle * middle - determinant))))
    opacity = sigmoid(float(logits[i]))
    reach = 2 * (math.log(opacity) + LN_255) if opacity > ALPHA_MIN else 0.0
    reach_x, reach_y = math.sqrt(reach * xx), math.sqrt(reach * yy)
    rows[rank, X], rows[rank, Y], rows[rank, REACH_X], rows[rank, REACH_Y] = x_px, y_px, reach_x, reach_y
    rows[rank, HALF_X], rows[rank, SLOPE], rows[rank, HALF_Y] = 0.5 * yy / determinant, xy / yy, 0.5 / yy
    rows[rank, LN_OPACITY] = 0.5 * reach - LN_255
    blended = reach > 0 and touches(x_px, reach_x, size_px[0]) and touches(y_px, reach_y, size_px[1])
    seen = blended or (touches(x_px, radius, size_px[0]) and touches(y_px, radius, size_px[1]))
    return radius if seen else 0.0, blended


@inlined
def touches(centre: float, reach: float, size: int) -> bool:
    return centre + reach > 0 and centre - reach < size


@inlined
def colour_row(
    means: Array, sh0: Array, sh_rest: Array, i: int, degree: int, centre: F64, terms: F64, rows: F64, rank: int
) -> bool:
    """Write max(SH(direction) + 0.5, 0) into the row; whether it is finite."""
    x, y, z = float(means[i, 0]) - centre[0], float(means[i, 1]) - centre[1], float(means[i, 2]) - centre[2]
    length = max(math.sqrt(x * x + y * y + z * z), 1e-30)
    sh_terms(terms, degree, x / length, y / length, z / length)
    red, green, blue = terms[0] * sh0[i, 0] + 0.5, terms[0] * sh0[i, 1] + 0.5, terms[0] * sh0[i, 2] + 0.5
    for k in range((degree + 1) * (degree + 1) - 1):
        red += terms[k + 1] * sh_rest[i, k, 0]
        green += terms[k + 1] * sh_rest[i, k, 1]
        blue += terms[k + 1] * sh_rest[i, k, 2]
    rows[rank, RED], rows[rank, GREEN], rows[rank, BLUE] = max(red, 0.0), max(green, 0.0), max(blue, 0.0)
    return bool(abs(red) + abs(green) + abs(blue) < np.inf)

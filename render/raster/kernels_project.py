"""Kernels that turn splats into rows of `layout`: projection and colour, culled to what the picture shows."""

import math

import numpy as np

from render.projection import ALPHA_MIN, DILATION_PX2
from render.raster import layout
from render.raster.kernels_harmonics import sh_terms
from runs.arrays import F32, F64, Array
from runs.kernels import kernel

BRIGHTEST = np.float32(1e30)
FURTHEST_PX = 1e15  # beyond it float32 squares overflow; no such splat reaches a picture
X, X_REST, Y, Y_REST = layout.X, layout.X_REST, layout.Y, layout.Y_REST
HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, DEPTH = layout.RED, layout.GREEN, layout.BLUE, layout.DEPTH
REACH_X, REACH_Y, TURN, SPREAD_X = layout.REACH_X, layout.REACH_Y, layout.TURN, layout.SPREAD_X


@kernel
def project_range(
    first: int, last: int, means: F32, scales: F32, quats: F32, opacities: F32,
    view: F64, lens: F64, size_px: Array, near: float, rows: F32, boxes: Array, splat_of: Array,
) -> int:
    """Write the rows and boxes of the visible splats of first..last from slot `first` on; return how many.

    view: float64 [3, 4] camera from world. lens: fx, fy, cx, cy and the four slope limits of `projection`.
    Every test is written so that NaN fails it.
    """
    slot = first
    for i in range(first, last):
        opacity = float(opacities[i])
        x, y, z = means[i, 0], means[i, 1], means[i, 2]
        depth = view[2, 0] * x + view[2, 1] * y + view[2, 2] * z + view[2, 3]
        if not (depth > near and opacity >= ALPHA_MIN):
            continue
        slope_x = (view[0, 0] * x + view[0, 1] * y + view[0, 2] * z + view[0, 3]) / depth
        slope_y = (view[1, 0] * x + view[1, 1] * y + view[1, 2] * z + view[1, 3]) / depth
        x_px, y_px = lens[0] * slope_x + lens[2], lens[1] * slope_y + lens[3]
        if not (abs(x_px) < FURTHEST_PX and abs(y_px) < FURTHEST_PX):
            continue
        slope_x = min(max(slope_x, lens[4]), lens[5])
        slope_y = min(max(slope_y, lens[6]), lens[7])
        xx, xy, yy = _covariance_px2(
            scales[i], quats[i], view, lens[0] / depth, lens[1] / depth, slope_x, slope_y)
        reach = 2 * math.log(255.0 * opacity)
        reach_x, reach_y = math.sqrt(reach * xx), math.sqrt(reach * yy)
        if not (x_px + reach_x > 0 and x_px - reach_x < size_px[0] and y_px + reach_y > 0 and y_px - reach_y < size_px[1]):
            continue
        # det(Σ₀ + dI) >= d·tr Σ₀ + d²: keeps the difference of large products from reaching zero
        least = DILATION_PX2 * (xx + yy - DILATION_PX2)
        determinant = max(xx * yy - xy * xy, least)
        row = rows[slot]
        row[X], row[Y] = math.floor(x_px), math.floor(y_px)
        row[X_REST], row[Y_REST] = x_px - math.floor(x_px), y_px - math.floor(y_px)
        row[HALF_X], row[SPREAD_X] = 0.5 * yy / determinant, 2 * determinant / yy
        row[SLOPE], row[HALF_Y] = xy / yy, 0.5 / yy
        row[LN_OPACITY], row[DEPTH] = math.log(opacity), depth
        row[REACH_X], row[REACH_Y], row[TURN] = reach_x, reach_y, reach_x * xy / xx
        boxes[slot, 0], boxes[slot, 1] = _tile(x_px - reach_x, size_px[0]), _tile(y_px - reach_y, size_px[1])
        boxes[slot, 2], boxes[slot, 3] = _tile(x_px + reach_x, size_px[0]), _tile(y_px + reach_y, size_px[1])
        splat_of[slot] = i
        slot += 1
    return slot - first


@kernel
def _tile(px: float, size_px: int) -> int:
    """The column or row of tiles that holds a coordinate, clipped to the picture."""
    return int(min(max(px, 0.0), size_px - 0.5)) // layout.TILE


@kernel
def _covariance_px2(
    scale: F32, quat: F32, view: F64, focal_x: float, focal_y: float, slope_x: float, slope_y: float
) -> tuple[float, float, float]:
    """Σ' = J W Σ Wᵀ Jᵀ + 0.3·I as (xx, xy, yy), summed over the three axes of the splat."""
    w, x, y, z = float(quat[0]), float(quat[1]), float(quat[2]), float(quat[3])
    xx = yy = DILATION_PX2
    xy = 0.0
    for axis in range(3):
        if axis == 0:
            a, b, c = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
        elif axis == 1:
            a, b, c = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
        else:
            a, b, c = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
        along = view[2, 0] * a + view[2, 1] * b + view[2, 2] * c
        size = float(scale[axis])
        u = size * focal_x * (view[0, 0] * a + view[0, 1] * b + view[0, 2] * c - slope_x * along)
        v = size * focal_y * (view[1, 0] * a + view[1, 1] * b + view[1, 2] * c - slope_y * along)
        xx += u * u
        xy += u * v
        yy += v * v
    return xx, xy, yy


@kernel
def colour_range(slots: Array, means: F32, sh: F32, degree: int, centre: F64, rows: F32, splat_of: Array) -> None:
    """Write max(SH(direction) + 0.5, 0) into the colour fields of `slots`."""
    terms = np.empty(25, np.float32)
    used = (degree + 1) * (degree + 1)
    for slot in slots:
        i = splat_of[slot]
        x, y, z = means[i, 0] - centre[0], means[i, 1] - centre[1], means[i, 2] - centre[2]
        length = max(math.sqrt(x * x + y * y + z * z), 1e-30)
        sh_terms(terms, degree, x / length, y / length, z / length)
        red = green = blue = np.float32(0.5)
        for k in range(used):
            red += terms[k] * sh[i, k, 0]
            green += terms[k] * sh[i, k, 1]
            blue += terms[k] * sh[i, k, 2]
        rows[slot, RED], rows[slot, GREEN], rows[slot, BLUE] = _lit(red), _lit(green), _lit(blue)


@kernel
def _lit(value: np.float32) -> np.float32:
    """A colour of at least 0; no NaN and no infinity, which would spread to every pixel of a segment."""
    positive = value if value > np.float32(0) else np.float32(0)
    return positive if positive < BRIGHTEST else BRIGHTEST

"""Kernels that blend the rows of `layout_training` into pixels, front to back, and note where each pixel stopped."""

import math

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN, T_STOP
from render.raster import layout_training as layout
from render.raster.kernels_falloff import falloff
from runs.arrays import F64, Array, Mask
from runs.kernels import inlined, lane_kernel

LANES, SEGMENT = layout.LANES, layout.SEGMENT
LEFT, STOP, RED_AT, GREEN_AT, BLUE_AT = layout.LEFT, layout.STOP, layout.RED_AT, layout.GREEN_AT, layout.BLUE_AT
X, Y, HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.X, layout.Y, layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, REACH_X, REACH_Y = layout.RED, layout.GREEN, layout.BLUE, layout.REACH_X, layout.REACH_Y
NEVER, OUTSIDE = layout.NEVER, layout.OUTSIDE
LN_255 = math.log(255)
SLACK = 0.5 - 1e-3  # px from the edge of a pixel to its centre, less what rounding may lose
CHECK = 128  # splats between two looks at which segments have stopped


@lane_kernel
def blend_rows(
    first: int, last: int, size_px: Array, count: int, rows: F64, background: Array, buffer: Array, rgb: Array, alpha: Array
) -> None:
    """Blend `count` splats into the rows first..last (last excluded) of the picture.

    `buffer` holds the segments of the whole picture; `LEFT` and `STOP` stay there for the backward pass.
    """
    across = (size_px[0] + LANES - 1) // LANES
    _clear(buffer, first, last, across, size_px[0])
    is_open = np.ones(last * across, np.bool_)
    for rank in range(count):
        top, bottom = rows_touched(rows, rank, first, last)
        for y in range(top, bottom):
            _blend_row(buffer, is_open, rank, rows, y, across)
        if rank % CHECK == CHECK - 1 and not _find_open(buffer, is_open, first, last, across):
            break
    _store(buffer, first, last, across, background, rgb, alpha)


@inlined
def rows_touched(rows: F64, rank: int, first: int, last: int) -> tuple[int, int]:
    """First row and last row + 1 of first..last whose pixel centres the splat can reach."""
    y, reach = rows[rank, Y], rows[rank, REACH_Y]
    if not (y + reach > first and y - reach < last):
        return 0, 0
    return int(max(y - reach + SLACK, first)), int(min(y + reach + (1 - SLACK), last))


@inlined
def segments_touched(rows: F64, rank: int, y: int, across: int) -> tuple[int, int]:
    """First segment and last segment + 1 of one row of pixels that the contour alpha = 1/255 reaches."""
    delta_y = y + 0.5 - rows[rank, Y]
    budget = rows[rank, LN_OPACITY] + LN_255 - rows[rank, HALF_Y] * delta_y * delta_y
    half_width = math.sqrt(max(budget, 0.0) / rows[rank, HALF_X])
    centre = rows[rank, X] + rows[rank, SLOPE] * delta_y
    left, right = max(centre - half_width + SLACK, 0.0), min(centre + half_width + (1 - SLACK), across * LANES)
    if not left < right:
        return 0, 0
    return int(left) // LANES, (int(right) + LANES - 1) // LANES


@inlined
def _blend_row(buffer: Array, is_open: Mask, rank: int, rows: F64, y: int, across: int) -> None:
    real = buffer.dtype.type
    zero, a_min, a_max, t_stop = real(0), real(ALPHA_MIN), real(ALPHA_MAX), real(T_STOP)
    me, half_x = real(rank), real(rows[rank, HALF_X])
    red, green, blue = real(rows[rank, RED]), real(rows[rank, GREEN]), real(rows[rank, BLUE])
    delta_y = y + 0.5 - rows[rank, Y]
    exponent = real(rows[rank, LN_OPACITY] - rows[rank, HALF_Y] * delta_y * delta_y)
    first_t = 0.5 - rows[rank, X] - rows[rank, SLOPE] * delta_y
    first, last = segments_touched(rows, rank, y, across)
    for segment in range(first, last):
        if not is_open[y * across + segment]:
            continue
        at = np.uint64(y * across + segment) * SEGMENT
        segment_t = real(first_t + segment * LANES)
        for j in range(np.uint64(LANES)):
            i = at + j
            t = segment_t + real(j)
            e = falloff(exponent - half_x * t * t)
            a = e if e < a_max else a_max
            clear, stop = buffer[LEFT + i], buffer[STOP + i]
            w = clear * a if (e >= a_min) & (me < stop) else zero
            stops = clear - w < t_stop
            w = zero if stops else w
            buffer[STOP + i] = me if stops else stop
            buffer[LEFT + i] = clear - w
            buffer[RED_AT + i] += w * red
            buffer[GREEN_AT + i] += w * green
            buffer[BLUE_AT + i] += w * blue


@lane_kernel
def _clear(buffer: Array, first: int, last: int, across: int, width_px: int) -> None:
    """Empty rows; pixels beyond the right edge of the picture count as stopped."""
    for y in range(first, last):
        for x in range(across * LANES):
            i = np.uint64(y * across + x // LANES) * SEGMENT + np.uint64(x % LANES)
            buffer[LEFT + i] = 1
            buffer[STOP + i] = NEVER if x < width_px else OUTSIDE
            buffer[RED_AT + i] = buffer[GREEN_AT + i] = buffer[BLUE_AT + i] = 0


@lane_kernel
def _find_open(buffer: Array, is_open: Mask, first: int, last: int, across: int) -> bool:
    """Note which segments still have a pixel that has not stopped; whether there is any."""
    found = False
    for segment in range(first * across, last * across):
        at = STOP + np.uint64(segment) * SEGMENT
        goes_on = False
        for j in range(np.uint64(LANES)):
            goes_on |= buffer[at + j] == NEVER
        is_open[segment] = goes_on
        found |= goes_on
    return found


@lane_kernel
def _store(buffer: Array, first: int, last: int, across: int, background: Array, rgb: Array, alpha: Array) -> None:
    """Copy finished rows into the picture."""
    for y in range(first, last):
        for x in range(alpha.shape[1]):
            i = np.uint64(y * across + x // LANES) * SEGMENT + np.uint64(x % LANES)
            left = buffer[LEFT + i]
            rgb[y, x, 0] = buffer[RED_AT + i] + left * background[0]
            rgb[y, x, 1] = buffer[GREEN_AT + i] + left * background[1]
            rgb[y, x, 2] = buffer[BLUE_AT + i] + left * background[2]
            alpha[y, x] = 1 - left

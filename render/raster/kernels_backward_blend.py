"""Kernels of the backward pass over pixels, back to front: from dL/d(picture) to sums for each splat.

The transmittance in front of a splat is recovered by dividing by 1 - alpha, as INRIA's rasteriser does (Kerbl et al. 2023,
appendix C). Selections are made on values, never as products with 0: a NaN gradient must reach the splats that a pixel shows,
and no others.
"""

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN
from render.raster import layout_training as layout
from render.raster.kernels_falloff import falloff
from render.raster.kernels_training_blend import rows_touched, segments_touched
from render.raster.lanes import add_lanes
from runs.arrays import F64, I64, Array
from runs.kernels import lane_kernel

LANES, SEGMENT, HEAD, SUMS = layout.LANES, layout.SEGMENT, layout.HEAD, layout.SUMS
LEFT, STOP, RED_AT, GREEN_AT, BLUE_AT = layout.LEFT, layout.STOP, layout.RED_AT, layout.GREEN_AT, layout.BLUE_AT
BEHIND, NOW_V, NOW_VT, NOW_VTT = layout.BEHIND, layout.NOW_V, layout.NOW_VT, layout.NOW_VTT
NOW_RED, NOW_GREEN, NOW_BLUE = layout.NOW_RED, layout.NOW_GREEN, layout.NOW_BLUE
X, Y, HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.X, layout.Y, layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE = layout.RED, layout.GREEN, layout.BLUE
V, VT, VTT, VY, VYY, VYT, W_RED, W_GREEN, W_BLUE = (np.uint64(LANES * k) for k in range(SUMS))


@lane_kernel
def gather_rows(
    first: int, last: int, size_px: Array, count: int, rows: F64, background: Array, pixels: Array,
    rgb_gradient: Array, alpha_gradient: Array, sums: F64,
) -> None:
    """Fill `sums` [count, SUMS] with what the rows first..last (last excluded) of the picture say about each splat.

    `pixels` is the buffer of the forward pass; it is only read. `alpha_gradient` is [H, W], or [0, 0] for none.
    """
    across = (size_px[0] + LANES - 1) // LANES
    buffer = np.empty(int(HEAD) + (last - first) * across * int(SEGMENT), pixels.dtype)
    stops = np.empty((last - first) * across, np.int64)
    load(buffer, stops, first, last, across, pixels, background, rgb_gradient, alpha_gradient)
    for rank in range(count - 1, -1, -1):
        top, bottom = rows_touched(rows, rank, first, last)
        if top >= bottom:
            sums[rank] = 0
            continue
        buffer[:HEAD] = 0
        for y in range(top, bottom):
            _gather_row(buffer, stops, rank, rows, y, (y - first) * across, across)
        for k in range(SUMS):
            total = 0.0
            for j in range(LANES):
                total += buffer[np.uint64(k * LANES + j)]
            sums[rank, k] = total


@lane_kernel
def _gather_row(buffer: Array, stops: I64, rank: int, rows: F64, y: int, start: int, across: int) -> None:
    real = buffer.dtype.type
    zero, one, a_min, a_max = real(0), real(1), real(ALPHA_MIN), real(ALPHA_MAX)
    me, half_x = real(rank), real(rows[rank, HALF_X])
    red, green, blue = real(rows[rank, RED]), real(rows[rank, GREEN]), real(rows[rank, BLUE])
    delta_y = y + 0.5 - rows[rank, Y]
    dy = real(delta_y)
    exponent = real(rows[rank, LN_OPACITY] - rows[rank, HALF_Y] * delta_y * delta_y)
    first_t = 0.5 - rows[rank, X] - rows[rank, SLOPE] * delta_y
    first, last = segments_touched(rows, rank, y, across)
    for segment in range(first, last):
        if rank >= stops[start + segment]:
            continue
        at = HEAD + np.uint64(start + segment) * SEGMENT
        segment_t = real(first_t + segment * LANES)
        for j in range(np.uint64(LANES)):
            i = at + j
            t = segment_t + real(j)
            e = falloff(exponent - half_x * t * t)
            a = e if e < a_max else a_max
            shown = (e >= a_min) & (me < buffer[STOP + i])
            left, behind = buffer[LEFT + i], buffer[BEHIND + i]
            opening = one / (one - a)
            before = left * opening
            w = before * a
            r, g, b = buffer[RED_AT + i], buffer[GREEN_AT + i], buffer[BLUE_AT + i]
            pull = r * red + g * green + b * blue
            v = e * (before * pull - behind * opening)
            v = v if shown & (e < a_max) else zero
            buffer[LEFT + i] = before if shown else left
            buffer[BEHIND + i] = behind + w * pull if shown else behind
            buffer[NOW_V + i] = v
            buffer[NOW_VT + i] = v * t
            buffer[NOW_VTT + i] = v * t * t
            buffer[NOW_RED + i] = w * r if shown else zero
            buffer[NOW_GREEN + i] = w * g if shown else zero
            buffer[NOW_BLUE + i] = w * b if shown else zero
        add_lanes(buffer, V, at + NOW_V, one)
        add_lanes(buffer, VT, at + NOW_VT, one)
        add_lanes(buffer, VTT, at + NOW_VTT, one)
        add_lanes(buffer, VY, at + NOW_V, dy)
        add_lanes(buffer, VYY, at + NOW_V, dy * dy)
        add_lanes(buffer, VYT, at + NOW_VT, dy)
        add_lanes(buffer, W_RED, at + NOW_RED, one)
        add_lanes(buffer, W_GREEN, at + NOW_GREEN, one)
        add_lanes(buffer, W_BLUE, at + NOW_BLUE, one)


@lane_kernel
def load(
    buffer: Array, stops: I64, first: int, last: int, across: int, pixels: Array, background: Array,
    rgb_gradient: Array, alpha_gradient: Array,
) -> None:
    """The end of the forward pass and dL/d(picture) into the buffer; the last stop of each segment into `stops`."""
    stops[:] = 0
    width = rgb_gradient.shape[1]
    for y in range(first, last):
        for x in range(across * LANES):
            segment = (y - first) * across + x // LANES
            source = np.uint64(y * across + x // LANES) * SEGMENT + np.uint64(x % LANES)
            i = HEAD + np.uint64(segment) * SEGMENT + np.uint64(x % LANES)
            left = buffer[LEFT + i] = pixels[LEFT + source]
            buffer[STOP + i] = pixels[STOP + source]
            stops[segment] = max(stops[segment], int(pixels[STOP + source]))
            if x >= width:
                buffer[RED_AT + i] = buffer[GREEN_AT + i] = buffer[BLUE_AT + i] = buffer[BEHIND + i] = 0
                continue
            r, g, b = rgb_gradient[y, x, 0], rgb_gradient[y, x, 1], rgb_gradient[y, x, 2]
            buffer[RED_AT + i], buffer[GREEN_AT + i], buffer[BLUE_AT + i] = r, g, b
            light = r * background[0] + g * background[1] + b * background[2]
            if alpha_gradient.size > 0:
                light -= alpha_gradient[y, x]  # alpha = 1 - what is left
            buffer[BEHIND + i] = left * light

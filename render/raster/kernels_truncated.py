"""Kernels of the second pass back to front, over dead Gaussians and the pixels around them that do not show them.

The surrogate is that of TruncGradGS (2026, equations 9 to 17): the derivative of the density by the projected centre, continued
beyond the contour d² = `CONTOUR` by a tail that falls linearly in d², the squared Mahalanobis distance.
"""

import math

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN
from render.raster import layout_training as layout
from render.raster.kernels_backward_blend import load
from render.raster.kernels_falloff import falloff
from render.raster.kernels_training_blend import SLACK, rows_touched, segments_touched
from render.raster.lanes import add_lanes
from runs.arrays import F64, I64, Array
from runs.kernels import inlined, lane_kernel

LANES, SEGMENT, HEAD, SUMS = layout.LANES, layout.SEGMENT, layout.HEAD, layout.SUMS
LEFT, STOP, RED_AT, GREEN_AT, BLUE_AT = layout.LEFT, layout.STOP, layout.RED_AT, layout.GREEN_AT, layout.BLUE_AT
BEHIND, NOW_V, NOW_X, NOW_Y = layout.BEHIND, layout.NOW_V, layout.NOW_VT, layout.NOW_VTT
NOW_RED, NOW_GREEN, NOW_BLUE = layout.NOW_RED, layout.NOW_GREEN, layout.NOW_BLUE
X, Y, HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.X, layout.Y, layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, REACH_X = layout.RED, layout.GREEN, layout.BLUE, layout.REACH_X

# What the surrogate is made of, float64 [7]: where the tail begins and |dG/dΔ| there per unit of Σ'⁻¹Δ / d, how fast it
# falls, and 1 or 0: only where more coverage would lower the loss; the centre at all; opacity inside the contour; colours.
CONTOUR, AT_CONTOUR, FALL, BY_SIGN, BY_CENTRE, BY_OPACITY, BY_COLOUR = range(7)
CHOICES = 7

# What is summed for each dead Gaussian: dL/d(exponent), dL/d(centre in px), the number of pixels that pull, dL/d(colour).
SUM_V, SUM_X, SUM_Y, SUM_PULLS, SUM_RED = 0, 1, 2, 3, layout.SUM_RED
V, AT_X, AT_Y, PULLS, W_RED, W_GREEN, W_BLUE = (
    np.uint64(LANES * k) for k in (SUM_V, SUM_X, SUM_Y, SUM_PULLS, SUM_RED, SUM_RED + 1, SUM_RED + 2))


@lane_kernel
def gather_dead(
    first: int, last: int, size_px: Array, count: int, rows: F64, dead_count: int, dead_rows: F64, fronts: Array,
    background: Array, pixels: Array, rgb_gradient: Array, choices: F64, sums: F64, calls: Array,
) -> None:
    """Fill `sums` [dead_count, SUMS] with what the rows first..last (last excluded) of the picture say about dead Gaussians,
    and add to `calls` [H, whole segments] how many of them each pixel pulls at.

    `rows` are the `count` splats of the picture and `pixels` the buffer that they left; `fronts` says how many of them lie
    before each row of `dead_rows`.
    """
    across = (size_px[0] + LANES - 1) // LANES
    buffer = np.empty(int(HEAD) + (last - first) * across * int(SEGMENT), pixels.dtype)
    stops = np.empty((last - first) * across, np.int64)
    load(buffer, stops, first, last, across, pixels, background, rgb_gradient, np.empty((0, 0), pixels.dtype))
    dead = dead_count - 1
    for rank in range(count, -1, -1):
        if rank < count:
            top, bottom = rows_touched(rows, rank, first, last)
            for y in range(top, bottom):
                _lift_row(buffer, stops, rank, rows, y, (y - first) * across, across)
        while dead >= 0 and fronts[dead] >= rank:
            _gather(buffer, dead, dead_rows, fronts[dead], first, last, across, choices, sums, calls)
            dead -= 1


@inlined
def _lift_row(buffer: Array, stops: I64, rank: int, rows: F64, y: int, start: int, across: int) -> None:
    """Take one splat of the picture off a row of pixels: what is left in front of it, and what shines from behind."""
    real = buffer.dtype.type
    one, a_min, a_max = real(1), real(ALPHA_MIN), real(ALPHA_MAX)
    me, half_x = real(rank), real(rows[rank, HALF_X])
    red, green, blue = real(rows[rank, RED]), real(rows[rank, GREEN]), real(rows[rank, BLUE])
    delta_y = y + 0.5 - rows[rank, Y]
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
            before = left / (one - a)
            pull = buffer[RED_AT + i] * red + buffer[GREEN_AT + i] * green + buffer[BLUE_AT + i] * blue
            buffer[LEFT + i] = before if shown else left
            buffer[BEHIND + i] = behind + before * a * pull if shown else behind


@inlined
def _gather(
    buffer: Array, dead: int, rows: F64, front: int, first: int, last: int, across: int, choices: F64, sums: F64, calls: Array
) -> None:
    """The sums of one dead Gaussian over the pixels of its box."""
    top, bottom = rows_touched(rows, dead, first, last)
    buffer[:HEAD] = 0
    for y in range(top, bottom):
        _gather_row(buffer, dead, rows, front, y, (y - first) * across, across, choices, calls)
    for k in range(SUMS):
        total = 0.0
        for j in range(LANES):
            total += buffer[np.uint64(k * LANES + j)]
        sums[dead, k] = total


@inlined
def _gather_row(
    buffer: Array, dead: int, rows: F64, front: int, y: int, start: int, across: int, choices: F64, calls: Array
) -> None:
    real = buffer.dtype.type
    zero, one, a_min, far = real(0), real(1), real(ALPHA_MIN), real(1e30)
    me, reach = real(front), rows[dead, REACH_X]
    half_x, slope, opacity = real(rows[dead, HALF_X]), real(rows[dead, SLOPE]), real(math.exp(rows[dead, LN_OPACITY]))
    red, green, blue = real(rows[dead, RED]), real(rows[dead, GREEN]), real(rows[dead, BLUE])
    contour, at_contour, fall = real(choices[CONTOUR]), real(choices[AT_CONTOUR]), real(choices[FALL])
    # a limit of "more coverage would not help" that nothing passes stands for no filter
    least = zero if choices[BY_SIGN] > 0 else far
    by_centre, by_opacity, by_colour = real(choices[BY_CENTRE]), real(choices[BY_OPACITY]), real(choices[BY_COLOUR])
    delta_y = y + 0.5 - rows[dead, Y]
    rest = real(rows[dead, HALF_Y] * delta_y * delta_y)
    lift = real(2 * rows[dead, HALF_Y] * delta_y)
    exponent = real(rows[dead, LN_OPACITY] - rows[dead, HALF_Y] * delta_y * delta_y)
    bend, within = real(rows[dead, SLOPE] * delta_y), real(reach)
    first_t = 0.5 - rows[dead, X] - rows[dead, SLOPE] * delta_y
    left_px, right_px = max(rows[dead, X] - reach + SLACK, 0.0), min(rows[dead, X] + reach + (1 - SLACK), across * LANES)
    if not (left_px < right_px and abs(delta_y) <= reach):
        return
    for segment in range(int(left_px) // LANES, (int(right_px) + LANES - 1) // LANES):
        at = HEAD + np.uint64(start + segment) * SEGMENT
        segment_t = real(first_t + segment * LANES)
        _densities(buffer, at + NOW_V, half_x, segment_t, rest)
        for j in range(np.uint64(LANES)):
            i = at + j
            t = segment_t + real(j)
            half = rest + half_x * t * t  # d² / 2
            e, density = falloff(exponent - half_x * t * t), buffer[NOW_V + i]
            across_px = t + bend
            skipped = (e < a_min) & (me <= buffer[STOP + i])
            skipped &= (across_px <= within) & (-across_px <= within)
            clear = buffer[LEFT + i]
            r, g, b = buffer[RED_AT + i], buffer[GREEN_AT + i], buffer[BLUE_AT + i]
            gain = clear * (r * red + g * green + b * blue) - buffer[BEHIND + i]  # dL/d(alpha), at alpha 0
            outside = half + half >= contour
            along_x = real(2) * half_x * t
            along_y = lift - slope * along_x
            size_x, size_y = abs(along_x), abs(along_y)
            plateau, drop = at_contour / math.sqrt(half + half), fall * (half + half - contour)
            tail_x, tail_y = plateau * size_x - drop, plateau * size_y - drop
            true_x, true_y = density * size_x, density * size_y
            pull_x, pull_y = tail_x if tail_x > true_x else true_x, tail_y if tail_y > true_y else true_y
            pull_x, pull_y = pull_x if along_x > zero else -pull_x, pull_y if along_y > zero else -pull_y
            pulls = skipped & outside & (gain < least)
            strength = by_centre * opacity * gain
            weight = by_colour * clear * opacity * density
            buffer[NOW_X + i] = strength * pull_x if pulls else zero
            buffer[NOW_Y + i] = strength * pull_y if pulls else zero
            buffer[NOW_V + i] = by_opacity * opacity * density * gain if skipped & (half + half < contour) else zero
            buffer[NOW_RED + i] = weight * r if skipped else zero
            buffer[NOW_GREEN + i] = weight * g if skipped else zero
            buffer[NOW_BLUE + i] = weight * b if skipped else zero
        add_lanes(buffer, V, at + NOW_V, one)
        add_lanes(buffer, AT_X, at + NOW_X, one)
        add_lanes(buffer, AT_Y, at + NOW_Y, one)
        add_lanes(buffer, W_RED, at + NOW_RED, one)
        add_lanes(buffer, W_GREEN, at + NOW_GREEN, one)
        add_lanes(buffer, W_BLUE, at + NOW_BLUE, one)
        for j in range(np.uint64(LANES)):
            i = at + j
            pulled = one if (buffer[NOW_X + i] != zero) | (buffer[NOW_Y + i] != zero) else zero
            buffer[NOW_V + i] = pulled
            calls[y, np.uint64(segment * LANES) + j] += pulled
        add_lanes(buffer, PULLS, at + NOW_V, one)


@inlined
def _densities(buffer: Array, at: np.uint64, half_x: float, first_t: float, rest: float) -> None:
    """exp(-d²/2) of one segment, and 0 below exp(-32): `falloff` itself ends at exp(-8)."""
    real = buffer.dtype.type
    zero, lowest = real(0), real(-8)
    for j in range(np.uint64(LANES)):
        t = first_t + real(j)
        quarter = real(-0.25) * (rest + half_x * t * t)
        root = falloff(quarter)
        root *= root
        buffer[at + j] = root * root if quarter > lowest else zero


@lane_kernel
def as_sums(rows: F64, count: int, sums: F64) -> None:
    """Turn the sums [CHUNKS, count, SUMS] into those of the first pass, whose kernel then pulls them back: a shift of the
    centre becomes the two moments that stand for it, and shapes get nothing."""
    for chunk in range(len(sums)):
        for k in range(count):
            by_x, by_y = sums[chunk, k, SUM_X], sums[chunk, k, SUM_Y]
            sums[chunk, k, layout.SUM_VT] = by_x / (2 * rows[k, HALF_X])
            sums[chunk, k, layout.SUM_VY] = (by_y + rows[k, SLOPE] * by_x) / (2 * rows[k, HALF_Y])
            sums[chunk, k, layout.SUM_VTT] = sums[chunk, k, layout.SUM_VYY] = sums[chunk, k, layout.SUM_VYT] = 0.0

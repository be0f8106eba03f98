"""The innermost kernel: one splat over the pixels of one tile, eight pixels at a time.

All fields of the pixels lie in one flat buffer: a single base pointer with constant offsets is what lets
LLVM prove that they do not overlap and vectorise the loop over a segment. Selections are products with
0 or 1, because a masked store would keep the next splat waiting.
"""

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN
from render.raster import layout
from runs.arrays import F32, Array, Mask
from runs.kernels import kernel

TILE, LANES, ACROSS = layout.TILE, layout.LANES, layout.ACROSS
X, X_REST, Y, Y_REST = layout.X, layout.X_REST, layout.Y, layout.Y_REST
HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, DEPTH = layout.RED, layout.GREEN, layout.BLUE, layout.DEPTH
REACH_X, REACH_Y = layout.REACH_X, layout.REACH_Y
LEFT, OPEN, BEST, WHO, LIMIT, COUNTED = layout.LEFT, layout.OPEN, layout.BEST, layout.WHO, layout.LIMIT, layout.COUNTED
SUM_RED, SUM_GREEN, SUM_BLUE, SUM_DEPTH = layout.SUM_RED, layout.SUM_GREEN, layout.SUM_BLUE, layout.SUM_DEPTH

ZERO, ONE, HALF, SLACK = np.float32(0), np.float32(1), np.float32(0.5), np.float32(1e-3)
EDGE = np.float32(TILE - 1)
A_MIN, A_MAX = np.float32(ALPHA_MIN), np.float32(ALPHA_MAX)
LOWEST = np.float32(-8)  # below ln(1/255), and small enough for the polynomial
SCALE = np.float32(1 / 16)
# A minimax polynomial of exp on -0.5..0 (fitted here, 1e-8 relative); exp(x) = p(x/16)**16, 2e-6 relative in float32
E0, E1, E2 = np.float32(1.0), np.float32(0.9999989983134819), np.float32(0.4999727349671721)
E3, E4, E5 = np.float32(0.16642143137579404), np.float32(0.04068698257029872), np.float32(0.006505264888230763)


@kernel
def blend_splat(
    buffer: F32, open_segments: Mask, corner_x: np.float32, corner_y: np.float32, who: np.float32, rows: F32, slot: int,
    t_stop: np.float32, weights: F32, hits: Array, entry: int,
) -> None:
    """Blend one splat over the segments that the box round its contour alpha = 1/255 touches.

    `corner_x`, `corner_y` are the centre of the tile's first pixel. What the splat added goes to
    `weights[entry]` (sum, max) and `hits[entry]`, unless they are empty.
    """
    centre_x = (rows[slot, X] - corner_x) + rows[slot, X_REST]  # in columns and rows of this tile
    centre_y = (rows[slot, Y] - corner_y) + rows[slot, Y_REST]
    left, right = clipped(centre_x, rows[slot, REACH_X] + SLACK)
    top, bottom = clipped(centre_y, rows[slot, REACH_Y] + SLACK)
    whole_x, rest_x, whole_y, rest_y = rows[slot, X], rows[slot, X_REST], rows[slot, Y], rows[slot, Y_REST]
    half_x, slope, half_y, ln_opacity = rows[slot, HALF_X], rows[slot, SLOPE], rows[slot, HALF_Y], rows[slot, LN_OPACITY]
    red, green, blue, z = rows[slot, RED], rows[slot, GREEN], rows[slot, BLUE], rows[slot, DEPTH]
    noted = len(hits) > 0
    total = most = ZERO
    count = 0
    for y in range(top, bottom + 1):
        delta_y = (corner_y + np.float32(y) - whole_y) - rest_y
        exponent = ln_opacity - half_y * delta_y * delta_y
        shift = slope * delta_y + rest_x
        for segment in range(left // LANES, right // LANES + 1):
            if not open_segments[y * ACROSS + segment]:
                continue
            at = np.uint64(y * TILE + segment * LANES)
            from_centre = (corner_x + np.float32(segment * LANES) - whole_x) - shift
            for j in range(np.uint64(LANES)):
                i = at + j
                t = from_centre + np.float32(j)
                e = exponent - half_x * t * t
                e = (e if e > LOWEST else LOWEST) * SCALE
                e = E0 + e * (E1 + e * (E2 + e * (E3 + e * (E4 + e * E5))))
                e *= e
                e *= e
                e *= e
                e *= e
                a = e if e < A_MAX else A_MAX
                a = (a if a >= A_MIN else ZERO) * buffer[OPEN + i]
                clear = buffer[LEFT + i]
                w = clear * a
                goes_on = ZERO if clear - w < t_stop else ONE
                w *= goes_on
                buffer[OPEN + i] *= goes_on
                buffer[LEFT + i] = clear - w
                buffer[SUM_RED + i] += w * red
                buffer[SUM_GREEN + i] += w * green
                buffer[SUM_BLUE + i] += w * blue
                buffer[SUM_DEPTH + i] += w * z
                best = buffer[BEST + i]
                better = ONE if w > best else ZERO
                buffer[WHO + i] += better * (who - buffer[WHO + i])
                buffer[BEST + i] = w if w > best else best
                buffer[COUNTED + i] = w if z < buffer[LIMIT + i] else ZERO
            if noted:
                total += lane_sum(buffer, COUNTED + at)
                most = max(most, largest(buffer, COUNTED + at))
                count += _positive(buffer, COUNTED + at)
    if noted:
        weights[entry, 0], weights[entry, 1], hits[entry] = total, most, count


@kernel
def clipped(centre: np.float32, reach: np.float32) -> tuple[int, int]:
    """First and last pixel of the tile inside centre ± reach; empty (0, -8) where there is none, also for NaN."""
    if not (centre + reach >= ZERO and centre - reach <= EDGE):
        return 0, -LANES
    return int(np.float32(max(centre - reach, ZERO))), int(np.float32(min(centre + reach, EDGE)))


@kernel
def lane_sum(buffer: F32, at: np.uint64) -> np.float32:
    """Sum of one segment, as a tree: half as long a wait as one after the other."""
    a, b = buffer[at] + buffer[at + np.uint64(1)], buffer[at + np.uint64(2)] + buffer[at + np.uint64(3)]
    c, d = buffer[at + np.uint64(4)] + buffer[at + np.uint64(5)], buffer[at + np.uint64(6)] + buffer[at + np.uint64(7)]
    return np.float32((a + b) + (c + d))


@kernel
def largest(buffer: F32, at: np.uint64) -> np.float32:
    """The largest of one segment, as a tree."""
    a, b = max(buffer[at], buffer[at + np.uint64(1)]), max(buffer[at + np.uint64(2)], buffer[at + np.uint64(3)])
    c, d = max(buffer[at + np.uint64(4)], buffer[at + np.uint64(5)]), max(buffer[at + np.uint64(6)], buffer[at + np.uint64(7)])
    first, second = max(a, b), max(c, d)
    return np.float32(max(first, second))


@kernel
def _positive(buffer: F32, at: np.uint64) -> int:
    count = 0
    for j in range(np.uint64(LANES)):
        count += 1 if buffer[at + j] > ZERO else 0
    return count

"""Kernels that ask of each splat how its pixels would change if it were taken away, and what the photo says to that."""

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN
from render.raster import layout
from render.raster.kernels_splat import E0, E1, E2, E3, E4, E5, HALF, LOWEST, ONE, SCALE, SLACK, ZERO, clipped, lane_sum
from render.raster.prefetch import AHEAD, prefetch_row
from runs.arrays import F32, F64, I64, Array
from runs.kernels import kernel, lane_kernel

TILE, PIXELS, LANES = layout.TILE, layout.PIXELS, layout.LANES
X, X_REST, Y, Y_REST = layout.X, layout.X_REST, layout.Y, layout.Y_REST
HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, DEPTH = layout.RED, layout.GREEN, layout.BLUE, layout.DEPTH
REACH_X, REACH_Y = layout.REACH_X, layout.REACH_Y
A_MIN, A_MAX = np.float32(ALPHA_MIN), np.float32(ALPHA_MAX)

# Fields of the pixels of a tile.
LEFT, LIMIT = np.uint64(0), np.uint64(1 * PIXELS)  # transmittance; depth before which weight counts
REST_RED, REST_GREEN, REST_BLUE = np.uint64(2 * PIXELS), np.uint64(3 * PIXELS), np.uint64(4 * PIXELS)  # light still to come
OFF_RED, OFF_GREEN, OFF_BLUE = np.uint64(5 * PIXELS), np.uint64(6 * PIXELS), np.uint64(7 * PIXELS)  # picture - photo
FRONT, ALONG, EFFECT = np.uint64(8 * PIXELS), np.uint64(9 * PIXELS), np.uint64(10 * PIXELS)  # of the splat looked at last
WEIGHT = np.uint64(11 * PIXELS)
BUFFER = 12 * PIXELS
SUMS = 4  # weight, front weight, along, effect


@kernel
def removal_range(
    chunk: int, chunks: int, size_px: Array, first_tile: int, starts: I64, entries: Array, rows: F32,
    present: F32, picture: F32, off: F32, limits: F32, t_stop: float, sums: F32,
) -> None:
    """Fill `sums` [E, SUMS] for every `chunks`-th tile from `chunk` on.

    `present` [M] by slot is 1, or 0 for what is not in the picture. `picture` [H, W, 3] is the finished one, `off` [H, W, 3] what
    it has more than the photo.
    """
    tiles_x = (size_px[0] + TILE - 1) // TILE
    buffer = np.empty(BUFFER, np.float32)
    for at in range(chunk, len(starts) - 1, chunks):
        tile, start, end = first_tile + at, starts[at], starts[at + 1]
        x0, y0 = tile % tiles_x * TILE, tile // tiles_x * TILE
        _load(buffer, x0, y0, size_px, picture, off, limits)
        for entry in range(start, end):
            if entry + AHEAD < end:
                prefetch_row(rows, entries[entry + AHEAD])
            slot = entries[entry]
            _without(buffer, np.float32(x0) + HALF, np.float32(y0) + HALF, rows, slot, present[slot], np.float32(t_stop),
                     sums, entry)


@kernel
def gather_sums(entries: Array, splat_of: Array, sums: F32, totals: F64) -> None:
    """Add `sums` [E, SUMS] of the entries into `totals` [M, SUMS] of their splats, in the order of the lists."""
    for entry in range(len(entries)):
        splat = splat_of[entries[entry]]
        for k in range(SUMS):
            totals[splat, k] += sums[entry, k]


@kernel
def _load(buffer: F32, x0: int, y0: int, size_px: Array, picture: F32, off: F32, limits: F32) -> None:
    """An empty tile; pixels beyond the edge of the picture let no light through."""
    buffer[:] = ZERO
    for y in range(min(TILE, size_px[1] - y0)):
        for x in range(min(TILE, size_px[0] - x0)):
            i, row, column = np.uint64(y * TILE + x), y0 + y, x0 + x
            buffer[LEFT + i], buffer[LIMIT + i] = ONE, limits[row, column]
            buffer[REST_RED + i], buffer[OFF_RED + i] = picture[row, column, 0], off[row, column, 0]
            buffer[REST_GREEN + i], buffer[OFF_GREEN + i] = picture[row, column, 1], off[row, column, 1]
            buffer[REST_BLUE + i], buffer[OFF_BLUE + i] = picture[row, column, 2], off[row, column, 2]


@lane_kernel
def _without(
    buffer: F32, corner_x: np.float32, corner_y: np.float32, rows: F32, slot: int, present: np.float32, t_stop: np.float32,
    sums: F32, entry: int,
) -> None:
    """What one splat does to its pixels: its own light, less the light from behind that it keeps away.

    What is not present leaves no trace: light passes it, and the light still to come has nothing of it.
    """
    centre_x = (rows[slot, X] - corner_x) + rows[slot, X_REST]
    centre_y = (rows[slot, Y] - corner_y) + rows[slot, Y_REST]
    left, right = clipped(centre_x, rows[slot, REACH_X] + SLACK)
    top, bottom = clipped(centre_y, rows[slot, REACH_Y] + SLACK)
    whole_x, rest_x, whole_y, rest_y = rows[slot, X], rows[slot, X_REST], rows[slot, Y], rows[slot, Y_REST]
    half_x, slope, half_y, ln_opacity = rows[slot, HALF_X], rows[slot, SLOPE], rows[slot, HALF_Y], rows[slot, LN_OPACITY]
    red, green, blue, z = rows[slot, RED], rows[slot, GREEN], rows[slot, BLUE], rows[slot, DEPTH]
    weight = front = along = effect = ZERO
    for y in range(top, bottom + 1):
        delta_y = (corner_y + np.float32(y) - whole_y) - rest_y
        exponent = ln_opacity - half_y * delta_y * delta_y
        shift = slope * delta_y + rest_x
        for segment in range(left // LANES, right // LANES + 1):
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
                clear = buffer[LEFT + i]
                a = a if a >= A_MIN else ZERO
                goes_on = ZERO if clear - clear * a < t_stop else ONE
                a *= goes_on
                w = clear * a
                kept_away = a / (ONE - present * a)
                rest_red = buffer[REST_RED + i] - present * w * red
                rest_green = buffer[REST_GREEN + i] - present * w * green
                rest_blue = buffer[REST_BLUE + i] - present * w * blue
                d_red = w * red - kept_away * rest_red
                d_green = w * green - kept_away * rest_green
                d_blue = w * blue - kept_away * rest_blue
                buffer[LEFT + i] = clear - present * (clear - (clear - w) * goes_on)
                buffer[REST_RED + i], buffer[REST_GREEN + i], buffer[REST_BLUE + i] = rest_red, rest_green, rest_blue
                buffer[WEIGHT + i] = w
                buffer[FRONT + i] = w if z < buffer[LIMIT + i] else ZERO
                buffer[ALONG + i] = d_red * buffer[OFF_RED + i] + d_green * buffer[OFF_GREEN + i] + d_blue * buffer[OFF_BLUE + i]
                buffer[EFFECT + i] = d_red * d_red + d_green * d_green + d_blue * d_blue
            weight += lane_sum(buffer, WEIGHT + at)
            front += lane_sum(buffer, FRONT + at)
            along += lane_sum(buffer, ALONG + at)
            effect += lane_sum(buffer, EFFECT + at)
    sums[entry, 0], sums[entry, 1], sums[entry, 3] = weight, front, effect
    sums[entry, 2] = along + (ONE - present) * effect  # with it the picture would be off by d more

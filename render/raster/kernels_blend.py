"""The kernel that blends the splats of each tile into pixels, front to back, eight pixels at a time.

One flat float32 buffer holds every field of a tile's pixels: a single base pointer with constant
offsets is what lets LLVM prove independence and vectorise the inner loop over `LANES` pixels.
"""

import math

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN
from render.raster import layout
from runs.arrays import F32, I64, Array
from runs.kernels import kernel

TILE, PIXELS, LANES, SEGMENTS = layout.TILE, layout.TILE * layout.TILE, 8, layout.TILE // 8
X, X_REST, Y, Y_REST = layout.X, layout.X_REST, layout.Y, layout.Y_REST
HALF_X, SLOPE, HALF_Y, LN_OPACITY = layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
RED, GREEN, BLUE, DEPTH = layout.RED, layout.GREEN, layout.BLUE, layout.DEPTH
REACH_Y, SPREAD_X, LN_255 = layout.REACH_Y, layout.SPREAD_X, layout.LN_255

# Where each field of the pixels starts in the buffer of a tile; the last three are sums over one splat.
LEFT = np.uint64(0)  # transmittance
OPEN = np.uint64(1 * PIXELS)  # 1 until the early stop, then 0
R, G, B, D = np.uint64(2 * PIXELS), np.uint64(3 * PIXELS), np.uint64(4 * PIXELS), np.uint64(5 * PIXELS)
BEST = np.uint64(6 * PIXELS)  # the largest weight so far
WHO = np.uint64(7 * PIXELS)  # whose it is: place in the tile's list, exact to 2**24
SUM, MOST, HITS = np.uint64(8 * PIXELS), np.uint64(8 * PIXELS + LANES), np.uint64(8 * PIXELS + 2 * LANES)
BUFFER = 8 * PIXELS + 3 * LANES

ZERO, ONE, HALF, SLACK = np.float32(0), np.float32(1), np.float32(0.5), np.float32(1e-3)
A_MIN, A_MAX = np.float32(ALPHA_MIN), np.float32(ALPHA_MAX)
LOWEST = np.float32(-8)  # below ln(1/255), and small enough for the polynomial
SCALE = np.float32(1 / 16)
# A minimax polynomial of exp on -0.5..0 (fitted here, 1e-8 relative); exp(x) = p(x/16)**16, 2e-6 relative in float32
E0, E1, E2 = np.float32(1.0), np.float32(0.9999989983134819), np.float32(0.4999727349671721)
E3, E4, E5 = np.float32(0.16642143137579404), np.float32(0.04068698257029872), np.float32(0.006505264888230763)
CHECK = 32  # splats between two looks at whether the whole tile has stopped


@kernel
def blend_range(
    chunk: int, chunks: int, size_px: Array, starts: I64, entries: Array, rows: F32, background: F32, t_stop: float,
    rgb: F32, alpha: F32, depth: F32, mode_splat: Array, weights: F32, hits: Array,
) -> None:
    """Blend every `chunks`-th tile from `chunk` on; interleaving shares busy regions among threads.

    `weights` [E, 2] (sum, max) and `hits` [E] take what each entry of a tile list added; [0] to skip.
    """
    tiles_x = (size_px[0] + TILE - 1) // TILE
    buffer = np.empty(BUFFER, np.float32)
    for tile in range(chunk, len(starts) - 1, chunks):
        x0, y0 = tile % tiles_x * TILE, tile // tiles_x * TILE
        _clear(buffer, x0, y0, size_px)
        _blend_tile(buffer, x0, y0, starts[tile], starts[tile + 1], entries, rows, np.float32(t_stop), weights, hits)
        _store(buffer, x0, y0, size_px, starts[tile], entries, background, rgb, alpha, depth, mode_splat)


@kernel
def _clear(buffer: F32, x0: int, y0: int, size_px: Array) -> None:
    buffer[:] = ZERO
    buffer[:PIXELS] = ONE
    for y in range(min(TILE, size_px[1] - y0)):
        for x in range(min(TILE, size_px[0] - x0)):
            buffer[PIXELS + y * TILE + x] = ONE


@kernel
def _blend_tile(
    buffer: F32, x0: int, y0: int, start: int, end: int, entries: Array, rows: F32, t_stop: float, weights: F32, hits: Array
) -> None:
    for entry in range(start, end):
        slot = entries[entry]
        whole_y, rest_y, reach = rows[slot, Y], rows[slot, Y_REST], rows[slot, REACH_Y]
        centre_y = (whole_y - np.float32(y0)) + rest_y - HALF  # in rows of this tile
        first = max(math.ceil(max(centre_y - reach - SLACK, -ONE)), 0)
        last = min(math.floor(min(centre_y + reach + SLACK, np.float32(TILE))), TILE - 1)
        for y in range(first, last + 1):
            delta_y = (np.float32(y0 + y) + HALF - whole_y) - rest_y
            _blend_row(buffer, y * TILE, x0, delta_y, np.float32(entry - start), slot, rows, t_stop)
        if len(hits) > 0:
            _note(buffer, entry, weights, hits)
        if (entry - start) % CHECK == CHECK - 1 and not _any_open(buffer):
            return


@kernel
def _blend_row(
    buffer: F32, base: int, x0: int, delta_y: float, who: float, slot: int, rows: F32, t_stop: float
) -> None:
    """Blend one splat into one row of a tile, over the exact span of its contour alpha = 1/255."""
    exponent = rows[slot, LN_OPACITY] - rows[slot, HALF_Y] * delta_y * delta_y
    budget = exponent + LN_255
    if not budget >= ZERO:
        return
    half_width = math.sqrt(budget * rows[slot, SPREAD_X]) + SLACK
    shift = rows[slot, SLOPE] * delta_y + rows[slot, X_REST]
    centre = (rows[slot, X] - np.float32(x0)) + shift - HALF  # in columns of this tile
    low, high = max(math.ceil(max(centre - half_width, -ONE)), 0), min(math.floor(min(centre + half_width, np.float32(TILE))), TILE - 1)
    half_x = rows[slot, HALF_X]
    red, green, blue, z = rows[slot, RED], rows[slot, GREEN], rows[slot, BLUE], rows[slot, DEPTH]
    for segment in range(low // LANES, high // LANES + 1):
        at = np.uint64(base + segment * LANES)
        from_centre = (np.float32(x0 + segment * LANES) + HALF - rows[slot, X]) - shift
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
            a = a if a >= A_MIN else ZERO
            a = a * buffer[OPEN + i]
            left = buffer[LEFT + i]
            w = left * a
            after = left - w
            stops = after < t_stop
            w = ZERO if stops else w
            buffer[OPEN + i] = ZERO if stops else buffer[OPEN + i]
            buffer[LEFT + i] = left if stops else after
            buffer[R + i] += w * red
            buffer[G + i] += w * green
            buffer[B + i] += w * blue
            buffer[D + i] += w * z
            best = buffer[BEST + i]
            buffer[WHO + i] = who if w > best else buffer[WHO + i]
            buffer[BEST + i] = w if w > best else best
            buffer[SUM + j] += w
            buffer[MOST + j] = w if w > buffer[MOST + j] else buffer[MOST + j]
            buffer[HITS + j] += ONE if w > ZERO else ZERO


@kernel
def _note(buffer: F32, entry: int, weights: F32, hits: Array) -> None:
    """Move the sums of one splat out of the buffer."""
    total = most = count = ZERO
    for j in range(LANES):
        total += buffer[8 * PIXELS + j]
        most = max(most, buffer[8 * PIXELS + LANES + j])
        count += buffer[8 * PIXELS + 2 * LANES + j]
    weights[entry, 0], weights[entry, 1], hits[entry] = total, most, count
    buffer[8 * PIXELS:] = ZERO


@kernel
def _any_open(buffer: F32) -> bool:
    return bool(buffer[PIXELS:2 * PIXELS].max() > ZERO)


@kernel
def _store(
    buffer: F32, x0: int, y0: int, size_px: Array, start: int, entries: Array, background: F32,
    rgb: F32, alpha: F32, depth: F32, mode_splat: Array,
) -> None:
    for y in range(min(TILE, size_px[1] - y0)):
        for x in range(min(TILE, size_px[0] - x0)):
            i = y * TILE + x
            left = buffer[i]
            for channel in range(3):
                rgb[y0 + y, x0 + x, channel] = buffer[(2 + channel) * PIXELS + i] + left * background[channel]
            alpha[y0 + y, x0 + x] = ONE - left
            best = buffer[6 * PIXELS + i]
            if best > ZERO:
                depth[y0 + y, x0 + x] = buffer[5 * PIXELS + i] / (ONE - left)
                mode_splat[y0 + y, x0 + x] = entries[start + int(buffer[7 * PIXELS + i])]
            else:
                depth[y0 + y, x0 + x] = np.float32(np.nan)
                mode_splat[y0 + y, x0 + x] = -1


@kernel
def gather(
    entries: Array, splat_of: Array, weights: F32, hits: Array, weight_sum: F32, weight_max: F32, pixel_count: Array
) -> None:
    """Sum what the entries added into their splats, always in the order of the lists."""
    for entry in range(len(entries)):
        if hits[entry] > 0:
            splat = splat_of[entries[entry]]
            weight_sum[splat] += weights[entry, 0]
            weight_max[splat] = max(weight_max[splat], weights[entry, 1])
            pixel_count[splat] += hits[entry]

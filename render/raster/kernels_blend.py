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

# Where each field of the pixels starts in the buffer of a tile.
LEFT = np.uint64(0)  # transmittance
OPEN = np.uint64(1 * PIXELS)  # 1 until the early stop, then 0
R, G, B, D = np.uint64(2 * PIXELS), np.uint64(3 * PIXELS), np.uint64(4 * PIXELS), np.uint64(5 * PIXELS)
BEST = np.uint64(6 * PIXELS)  # the largest weight so far
WHO = np.uint64(7 * PIXELS)  # whose it is: place in the tile's list, exact to 2**24
LAST = np.uint64(8 * PIXELS)  # the weight of the splat blended last
LIMIT = np.uint64(9 * PIXELS)  # only what is nearer counts as a contribution
BUFFER = 10 * PIXELS

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
    rgb: F32, alpha: F32, depth: F32, mode_splat: Array, limits: F32, weights: F32, hits: Array,
) -> None:
    """Blend every `chunks`-th tile from `chunk` on; interleaving shares busy regions among threads.

    `weights` [E, 2] (sum, max) and `hits` [E] take what each entry of a tile list added; [0] to skip.
    They count only where the splat is nearer than `limits` [H, W]; [0, 0] for no limit.
    """
    tiles_x = (size_px[0] + TILE - 1) // TILE
    buffer = np.empty(BUFFER, np.float32)
    for tile in range(chunk, len(starts) - 1, chunks):
        x0, y0 = tile % tiles_x * TILE, tile // tiles_x * TILE
        _clear(buffer, x0, y0, size_px, limits)
        _blend_tile(buffer, x0, y0, starts[tile], starts[tile + 1], entries, rows, np.float32(t_stop), weights, hits)
        _store(buffer, x0, y0, size_px, starts[tile], entries, background, rgb, alpha, depth, mode_splat)


@kernel
def _clear(buffer: F32, x0: int, y0: int, size_px: Array, limits: F32) -> None:
    """An empty tile; pixels beyond the edge of the picture count as stopped."""
    buffer[:] = ZERO
    buffer[:PIXELS] = ONE
    for y in range(min(TILE, size_px[1] - y0)):
        for x in range(min(TILE, size_px[0] - x0)):
            buffer[PIXELS + y * TILE + x] = ONE
            buffer[9 * PIXELS + y * TILE + x] = limits[y0 + y, x0 + x] if limits.size > 0 else np.float32(np.inf)


@kernel
def _blend_tile(
    buffer: F32, x0: int, y0: int, start: int, end: int, entries: Array, rows: F32, t_stop: np.float32, weights: F32, hits: Array
) -> None:
    """Blend the list of one tile: each splat over the exact span of its contour alpha = 1/255 in each row."""
    corner_x, corner_y, edge = np.float32(x0) + HALF, np.float32(y0) + HALF, np.float32(TILE - 1)
    for entry in range(start, end):
        slot = entries[entry]
        centre_y = (rows[slot, Y] - corner_y) + rows[slot, Y_REST]  # in rows of this tile
        reach = rows[slot, REACH_Y] + SLACK
        if not (centre_y + reach >= ZERO and centre_y - reach <= edge):
            continue
        first, last = int(max(centre_y - reach, ZERO)), int(min(centre_y + reach, edge))
        whole_x, rest_x, whole_y, rest_y = rows[slot, X], rows[slot, X_REST], rows[slot, Y], rows[slot, Y_REST]
        half_x, slope, half_y, ln_opacity = rows[slot, HALF_X], rows[slot, SLOPE], rows[slot, HALF_Y], rows[slot, LN_OPACITY]
        red, green, blue, z = rows[slot, RED], rows[slot, GREEN], rows[slot, BLUE], rows[slot, DEPTH]
        spread_x, who = rows[slot, SPREAD_X], np.float32(entry - start)
        for y in range(first, last + 1):
            delta_y = (corner_y + np.float32(y) - whole_y) - rest_y
            exponent = ln_opacity - half_y * delta_y * delta_y
            budget = exponent + LN_255
            if not budget >= ZERO:
                continue
            shift = slope * delta_y + rest_x
            half_width = math.sqrt(budget * spread_x) + SLACK
            centre = (whole_x - corner_x) + shift  # in columns of this tile
            if not (centre + half_width >= ZERO and centre - half_width <= edge):
                continue
            low, high = int(max(centre - half_width, ZERO)), int(min(centre + half_width, edge))
            for segment in range(low // LANES, high // LANES + 1):
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
                    buffer[LAST + i] = w
                if len(hits) > 0:
                    _note(buffer, at, z, entry, weights, hits)
        if (entry - start) % CHECK == CHECK - 1 and not _any_open(buffer):
            return


@kernel
def _note(buffer: F32, at: np.uint64, z: np.float32, entry: int, weights: F32, hits: Array) -> None:
    """Add the weights that one splat got in one segment."""
    total = most = ZERO
    count = 0
    for j in range(np.uint64(LANES)):
        w = buffer[LAST + at + j] if z < buffer[LIMIT + at + j] else ZERO
        total += w
        most = max(most, w)
        count += 1 if w > ZERO else 0
    weights[entry, 0] += total
    weights[entry, 1] = max(weights[entry, 1], most)
    hits[entry] += count


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

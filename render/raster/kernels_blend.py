"""Kernels that blend the lists of tiles into pixels, front to back, and sum up what each splat added."""

import numpy as np

from render.raster import layout
from render.raster.kernels_splat import blend_splat, largest
from render.raster.prefetch import AHEAD, prefetch_row
from runs.arrays import F32, I64, Array, Mask
from runs.kernels import kernel

TILE, PIXELS, LANES, SEGMENTS = layout.TILE, layout.PIXELS, layout.LANES, layout.SEGMENTS
LEFT, OPEN, BEST, WHO, LIMIT = layout.LEFT, layout.OPEN, layout.BEST, layout.WHO, layout.LIMIT
SUM_RED, SUM_GREEN, SUM_BLUE, SUM_DEPTH = layout.SUM_RED, layout.SUM_GREEN, layout.SUM_BLUE, layout.SUM_DEPTH
ZERO, ONE, HALF = np.float32(0), np.float32(1), np.float32(0.5)
CHECK = 16  # splats between two looks at which segments have stopped


@kernel
def blend_range(
    chunk: int, chunks: int, size_px: Array, first_tile: int, starts: I64, entries: Array, rows: F32,
    background: F32, t_stop: float, rgb: F32, alpha: F32, depth: F32, mode_slot: Array, limits: F32, weights: F32, hits: Array,
) -> None:
    """Blend every `chunks`-th tile from `chunk` on; interleaving shares busy regions among threads.

    `starts` [T + 1] are the lists of the tiles from `first_tile` on. `weights` [E, 2] (sum, max) and `hits` [E]
    take what each entry of a list added; [0] to skip. They count only where the splat is nearer than
    `limits` [H, W]; [0, 0] for no limit.
    """
    tiles_x = (size_px[0] + TILE - 1) // TILE
    buffer, open_segments = np.empty(layout.BUFFER, np.float32), np.empty(SEGMENTS, np.bool_)
    for at in range(chunk, len(starts) - 1, chunks):
        tile, start, end = first_tile + at, starts[at], starts[at + 1]
        x0, y0 = tile % tiles_x * TILE, tile // tiles_x * TILE
        corner_x, corner_y = np.float32(x0) + HALF, np.float32(y0) + HALF
        _clear(buffer, x0, y0, size_px, limits)
        open_segments[:] = True
        for entry in range(start, end):
            if entry + AHEAD < end:
                prefetch_row(rows, entries[entry + AHEAD])
            blend_splat(buffer, open_segments, corner_x, corner_y, np.float32(entry - start), rows, entries[entry],
                        np.float32(t_stop), weights, hits, entry)
            if (entry - start) % CHECK == CHECK - 1 and not _find_open(buffer, open_segments):
                break
        _store(buffer, x0, y0, size_px, start, end, entries, background, rgb, alpha, depth, mode_slot)


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


@kernel
def _clear(buffer: F32, x0: int, y0: int, size_px: Array, limits: F32) -> None:
    """An empty tile; pixels beyond the edge of the picture count as stopped."""
    buffer[:] = ZERO
    buffer[:PIXELS] = ONE
    for y in range(min(TILE, size_px[1] - y0)):
        for x in range(min(TILE, size_px[0] - x0)):
            i = np.uint64(y * TILE + x)
            buffer[OPEN + i] = ONE
            buffer[LIMIT + i] = limits[y0 + y, x0 + x] if limits.size > 0 else np.float32(np.inf)


@kernel
def _find_open(buffer: F32, open_segments: Mask) -> bool:
    """Note which segments still have a pixel that has not stopped; whether there is any."""
    found = False
    for segment in range(SEGMENTS):
        open_segments[segment] = largest(buffer, OPEN + np.uint64(segment * LANES)) > ZERO
        found |= open_segments[segment]
    return found


@kernel
def _store(
    buffer: F32, x0: int, y0: int, size_px: Array, start: int, end: int, entries: Array, background: F32,
    rgb: F32, alpha: F32, depth: F32, mode_slot: Array,
) -> None:
    """Copy a finished tile into the pictures."""
    for y in range(min(TILE, size_px[1] - y0)):
        for x in range(min(TILE, size_px[0] - x0)):
            i, row, column = np.uint64(y * TILE + x), y0 + y, x0 + x
            left = buffer[LEFT + i]
            rgb[row, column, 0] = buffer[SUM_RED + i] + left * background[0]
            rgb[row, column, 1] = buffer[SUM_GREEN + i] + left * background[1]
            rgb[row, column, 2] = buffer[SUM_BLUE + i] + left * background[2]
            alpha[row, column] = ONE - left
            if buffer[BEST + i] > ZERO:
                depth[row, column] = buffer[SUM_DEPTH + i] / (ONE - left)
                mode_slot[row, column] = entries[min(start + int(buffer[WHO + i]), end - 1)]
            else:
                depth[row, column] = np.float32(np.nan)
                mode_slot[row, column] = -1

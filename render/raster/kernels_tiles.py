"""Kernels that put splats into the lists of the tiles they touch, in depth order."""

import math

import numpy as np

from render.raster import layout
from render.raster.prefetch import AHEAD, prefetch_row
from runs.arrays import F32, I64, Array
from runs.kernels import kernel

TILE = layout.TILE
LN_255 = layout.LN_255
X, X_REST, Y, Y_REST = layout.X, layout.X_REST, layout.Y, layout.Y_REST
SLOPE, HALF_Y, LN_OPACITY = layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
REACH_Y, TURN, SPREAD_X = layout.REACH_Y, layout.TURN, layout.SPREAD_X
SLACK, ZERO = np.float32(0.01), np.float32(0)  # px: rounding may not lose a pixel at the rim
SMALL = 2  # tiles: up to this wide, the box is as good as the ellipse


@kernel
def count_range(first: int, last: int, order: Array, rows: F32, boxes: Array, tiles_x: int, counts: I64) -> None:
    """Add to `counts` [tiles] how many splats of order[first:last] touch each tile."""
    for at in range(first, last):
        slot = order[at]
        if at + AHEAD < last:
            prefetch_row(boxes, order[at + AHEAD])
        left, right = int(boxes[slot, 0]), int(boxes[slot, 2])
        wide = right - left >= SMALL
        for tile_y in range(boxes[slot, 1], boxes[slot, 3] + 1):
            if wide:
                left, right = _span(rows, slot, tile_y, tiles_x)
            for tile in range(tile_y * tiles_x + left, tile_y * tiles_x + right + 1):
                counts[tile] += 1


@kernel
def fill_range(
    first: int, last: int, order: Array, rows: F32, boxes: Array, tiles_x: int, band: tuple[int, int],
    cursors: I64, entries: Array,
) -> None:
    """Append the splats of order[first:last] to the lists of the tiles in the rows band[0]..band[1] (last excluded).

    `cursors` [tiles] are the next free places in `entries`.
    """
    for at in range(first, last):
        slot = order[at]
        if at + AHEAD < last:
            prefetch_row(boxes, order[at + AHEAD])
        left, right = int(boxes[slot, 0]), int(boxes[slot, 2])
        wide = right - left >= SMALL
        for tile_y in range(max(int(boxes[slot, 1]), band[0]), min(boxes[slot, 3] + 1, band[1])):
            if wide:
                left, right = _span(rows, slot, tile_y, tiles_x)
            for tile in range(tile_y * tiles_x + left, tile_y * tiles_x + right + 1):
                entries[cursors[tile]] = slot
                cursors[tile] += 1


@kernel
def _span(rows: F32, slot: int, tile_y: int, tiles_x: int) -> tuple[int, int]:
    """First and last tile that the splat's ellipse touches in one row of tiles; empty when the last comes first."""
    y = rows[slot, Y] + rows[slot, Y_REST]
    reach = rows[slot, REACH_Y]
    top, bottom = max(np.float32(tile_y * TILE) - y, -reach), min(np.float32((tile_y + 1) * TILE) - y, reach)
    right = _edge(rows, slot, min(max(rows[slot, TURN], top), bottom), np.float32(1))
    left = _edge(rows, slot, min(max(-rows[slot, TURN], top), bottom), np.float32(-1))
    limit = np.float32(tiles_x * TILE)
    if right < ZERO or left >= limit:
        return 1, 0
    return int(np.float32(max(left, ZERO))) // TILE, int(np.float32(min(right, limit - np.float32(1)))) // TILE


@kernel
def _edge(rows: F32, slot: int, delta_y: np.float32, side: np.float32) -> np.float32:
    """Where the contour alpha = 1/255 ends at one height, px; `side` is -1 for left and 1 for right."""
    budget = rows[slot, LN_OPACITY] + LN_255 - rows[slot, HALF_Y] * delta_y * delta_y
    half_width = math.sqrt(max(budget, ZERO) * rows[slot, SPREAD_X]) + SLACK
    return np.float32(rows[slot, X] + (rows[slot, X_REST] + rows[slot, SLOPE] * delta_y + side * half_width))

"""Kernels that put splats into the lists of the tiles they touch, in depth order."""

import math

import numpy as np

from render.raster import layout
from runs.arrays import F32, I64, Array
from runs.kernels import kernel

TILE = layout.TILE
LN_255 = layout.LN_255
X, X_REST, Y, Y_REST = layout.X, layout.X_REST, layout.Y, layout.Y_REST
SLOPE, HALF_Y, LN_OPACITY = layout.SLOPE, layout.HALF_Y, layout.LN_OPACITY
REACH_X, REACH_Y, TURN, SPREAD_X = layout.REACH_X, layout.REACH_Y, layout.TURN, layout.SPREAD_X
SLACK = np.float32(0.01)  # px: rounding may not lose a pixel at the rim
SMALL = 2  # tiles: up to this wide, the box is as good as the ellipse


@kernel
def _tile_of(px: float, tiles: int) -> int:
    """The tile that holds a coordinate, clipped to -1..tiles; safe for coordinates no integer holds."""
    return int(min(max(math.floor(px / np.float32(TILE)), np.float32(-1)), np.float32(tiles)))


@kernel
def _row_of_tiles(row: F32, tile_y: int, tiles_x: int) -> tuple[int, int]:
    """First and last tile (clipped to the picture) that the splat touches in one row of tiles."""
    x = row[X] + row[X_REST]
    left, right = -row[REACH_X], row[REACH_X]
    low, high = _tile_of(x + left, tiles_x), _tile_of(x + right, tiles_x)
    if high - low >= SMALL:
        y = row[Y] + row[Y_REST]
        top = max(np.float32(tile_y * TILE) - y, -row[REACH_Y])
        bottom = min(np.float32((tile_y + 1) * TILE) - y, row[REACH_Y])
        budget = row[LN_OPACITY] + LN_255
        at = min(max(row[TURN], top), bottom)
        right = row[SLOPE] * at + math.sqrt(max(budget - row[HALF_Y] * at * at, np.float32(0)) * row[SPREAD_X])
        at = min(max(-row[TURN], top), bottom)
        left = row[SLOPE] * at - math.sqrt(max(budget - row[HALF_Y] * at * at, np.float32(0)) * row[SPREAD_X])
        low, high = _tile_of(x + left - SLACK, tiles_x), _tile_of(x + right + SLACK, tiles_x)
    return max(low, 0), min(high, tiles_x - 1)


@kernel
def _column_of_tiles(row: F32, tiles_y: int) -> tuple[int, int]:
    y = row[Y] + row[Y_REST]
    return max(_tile_of(y - row[REACH_Y], tiles_y), 0), min(_tile_of(y + row[REACH_Y], tiles_y), tiles_y - 1)


@kernel
def count_range(first: int, last: int, order: Array, rows: F32, tiles_x: int, tiles_y: int, counts: I64) -> None:
    """Add to `counts` [tiles] how many splats of order[first:last] touch each tile."""
    for at in range(first, last):
        row = rows[order[at]]
        top, bottom = _column_of_tiles(row, tiles_y)
        for tile_y in range(top, bottom + 1):
            left, right = _row_of_tiles(row, tile_y, tiles_x)
            for tile in range(tile_y * tiles_x + left, tile_y * tiles_x + right + 1):
                counts[tile] += 1


@kernel
def fill_range(
    first: int, last: int, order: Array, rows: F32, tiles_x: int, tiles_y: int, cursors: I64, entries: Array
) -> None:
    """Append the splats of order[first:last] to their tiles' lists; `cursors` [tiles] are the next free places."""
    for at in range(first, last):
        slot = order[at]
        row = rows[slot]
        top, bottom = _column_of_tiles(row, tiles_y)
        for tile_y in range(top, bottom + 1):
            left, right = _row_of_tiles(row, tile_y, tiles_x)
            for tile in range(tile_y * tiles_x + left, tile_y * tiles_x + right + 1):
                entries[cursors[tile]] = slot
                cursors[tile] += 1

"""Splats sorted into the tiles of one view: what every pass over pixels starts from.

Each step works on its own share of the splats; none depends on how many threads share it, so neither do results.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from render.projection import NEAR, slope_limits
from render.raster import layout
from render.raster.kernels_project import colour_range, project_range
from render.raster.kernels_sort import depth_order
from render.raster.kernels_tiles import count_range, fill_range
from render.splats import Splats
from runs.arrays import F32, I64, Array
from runs.cameras import Camera

Share = Callable[[Callable[..., Any], int], list[Any]]
MIN_SHARE = 4096  # splats: below it a second thread costs more than it saves
MOST_ENTRIES = 50_000_000  # of tile lists held at once, 0.8 GB with contributions: exploded scales would fill the memory


@dataclass(frozen=True, eq=False)
class Frame:
    """The visible splats of one view: their kernel rows by slot, and the slots nearest first."""

    rows: F32  # float32 [M, FIELDS]; only `slots` are filled
    boxes: Array  # int16 [M, 4], first column, first row, last column, last row of tiles
    splat_of: Array  # int32 [M], splat of each slot
    slots: Array  # int32 [V], the filled slots
    order: Array  # int32 [V], the filled slots, nearest first


@dataclass(frozen=True, eq=False)
class Lists:
    """The splats of each tile, nearest first: tile first_tile + t owns entries[starts[t]:starts[t + 1]]."""

    first_tile: int
    starts: I64  # int64 [tiles + 1]
    entries: Array  # int32 [E], slots


@dataclass(frozen=True, eq=False)
class Binned:
    """The frame and the counts from which the lists of each band of tiles are filled."""

    frame: Frame
    counts: I64  # int64 [tiles, parts]
    tiles: tuple[int, int]  # columns, rows
    share: Share

    def bands(self) -> Iterator[Lists]:
        """The lists of the whole picture, as many rows of tiles at a time as memory should hold."""
        across, down = self.tiles
        for band in _bands(self.counts.sum(axis=1).reshape(down, across).sum(axis=1)):
            yield _fill(self.frame, self.counts, across, band, self.share)


def binned(
    splats: Splats, camera: Camera, pool: ThreadPoolExecutor, workers: int, *, near: float = NEAR,
    sh_degree: int | None = None, colours: F32 | None = None,
) -> Binned:
    """Project, colour and count; see `cpu.rasterise` for the arguments."""
    tiles = tiles_of(camera.size_px)
    share = _sharing(pool, workers)
    frame = _project(splats, camera, near, share)
    _colour(frame, splats, camera, sh_degree, colours, share)
    return Binned(frame, _count(frame, tiles, share), tiles, share)


def tiles_of(size_px: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows of tiles that cover the picture."""
    across, down = ((size + layout.TILE - 1) // layout.TILE for size in size_px)
    return across, down


def _sharing(pool: ThreadPoolExecutor, workers: int) -> Share:
    def share(work: Callable[..., Any], count: int) -> list[Any]:
        """work(part, first, last) over `count` items in as many parts as there are workers."""
        parts = max(1, min(workers, count // MIN_SHARE))
        edges = [count * part // parts for part in range(parts + 1)]
        return list(pool.map(work, range(parts), edges[:-1], edges[1:]))

    return share


def _project(splats: Splats, camera: Camera, near: float, share: Share) -> Frame:
    count = len(splats)
    view = np.ascontiguousarray(camera.camera_from_world[:3, :4], np.float64)
    lens = np.array([camera.fx, camera.fy, camera.cx, camera.cy, *slope_limits(camera)], np.float64)
    size = np.array(camera.size_px, np.int64)
    rows, boxes = np.empty((count, layout.FIELDS), np.float32), np.empty((count, 4), np.int16)
    splat_of = np.empty(count, np.int32)

    def work(_part: int, first: int, last: int) -> Array:
        found = project_range(first, last, splats.means, splats.scales, splats.quats, splats.opacities,
                              view, lens, size, near, rows, boxes, splat_of)
        return np.arange(first, first + found, dtype=np.int32)

    slots = np.concatenate(share(work, count))
    return Frame(rows, boxes, splat_of, slots, slots[depth_order(rows[slots, layout.DEPTH])])


def _colour(
    frame: Frame, splats: Splats, camera: Camera, sh_degree: int | None, colours: F32 | None, share: Share
) -> None:
    slots = frame.slots
    if colours is not None:
        frame.rows[slots, layout.RED:layout.BLUE + 1] = colours[frame.splat_of[slots]]
        return
    degree = splats.sh_degree if sh_degree is None else min(sh_degree, splats.sh_degree)

    def work(_part: int, first: int, last: int) -> None:
        colour_range(slots[first:last], splats.means, splats.sh, degree, camera.centre, frame.rows, frame.splat_of)

    share(work, len(slots))


def _count(frame: Frame, tiles: tuple[int, int], share: Share) -> I64:
    """int64 [tiles, parts]: how long each part's share of the splats makes the list of each tile."""

    def count(_part: int, first: int, last: int) -> I64:
        counts = np.zeros(tiles[0] * tiles[1], np.int64)
        count_range(first, last, frame.order, frame.rows, frame.boxes, tiles[0], counts)
        return counts

    return np.stack(share(count, len(frame.order)), axis=1)


def _bands(lengths: I64) -> list[tuple[int, int]]:
    """Rows of tiles, from `lengths` [rows] of their lists, cut so that no band but a single row is over `MOST_ENTRIES`."""
    edges, held = [0], 0
    for row, length in enumerate(lengths.tolist()):
        if held and held + length > MOST_ENTRIES:
            edges.append(row)
            held = 0
        held += length
    return list(pairwise([*edges, len(lengths)]))


def _fill(frame: Frame, counts: I64, tiles_x: int, band: tuple[int, int], share: Share) -> Lists:
    first_tile = band[0] * tiles_x
    ours = counts[first_tile:band[1] * tiles_x]
    ends = np.cumsum(ours).reshape(ours.shape)
    cursors = np.zeros(counts.T.shape, np.int64)
    cursors[:, first_tile:first_tile + len(ours)] = (ends - ours).T
    entries = np.empty(int(ends[-1, -1]), np.int32)

    def fill(part: int, first: int, last: int) -> None:
        fill_range(first, last, frame.order, frame.rows, frame.boxes, tiles_x, band, cursors[part], entries)

    share(fill, len(frame.order))
    return Lists(first_tile, np.append(0, ends[:, -1]), entries)

"""The fast CPU rasteriser: pictures and per-splat measurements without a GPU, equal to `reference`.

Four steps (projection, colour, tile lists, blending) run as serial kernels that release the GIL, each on
its own share of the splats or tiles. No step depends on how many threads share it, so neither do results.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from render.projection import NEAR, T_STOP, slope_limits
from render.raster import layout
from render.raster.kernels_blend import blend_range, gather
from render.raster.kernels_project import colour_range, project_range
from render.raster.kernels_sort import depth_order
from render.raster.kernels_tiles import count_range, fill_range
from render.raster.picture import Contributions, Picture
from render.splats import Splats
from runs.arrays import F32, I64, Array
from runs.cameras import Camera

Share = Callable[[Callable[..., Any], int], list[Any]]
MIN_SHARE = 4096  # splats: below it a second thread costs more than it saves
MOST_ENTRIES = 50_000_000  # of tile lists held at once, 0.8 GB with contributions: exploded scales would fill the memory
BLEND_PARTS = 32  # interleaved shares of the tiles; more than threads, so that no thread waits long for the last


@dataclass(frozen=True, eq=False)
class _Frame:
    """The visible splats of one view: their kernel rows by slot, and the slots nearest first."""

    rows: F32  # float32 [M, FIELDS]; only `slots` are filled
    boxes: Array  # int16 [M, 4], first column, first row, last column, last row of tiles
    splat_of: Array  # int32 [M], splat of each slot
    slots: Array  # int32 [V], the filled slots
    order: Array  # int32 [V], the filled slots, nearest first


@dataclass(frozen=True, eq=False)
class _Lists:
    """The splats of each tile, nearest first: tile first_tile + t owns entries[starts[t]:starts[t + 1]]."""

    first_tile: int
    starts: I64  # int64 [tiles + 1]
    entries: Array  # int32 [E], slots


@dataclass(frozen=True, eq=False)
class _Blending:
    """What blending needs besides the splats; see `rasterise`."""

    size_px: I64  # int64 [2]
    background: F32  # float32 [3]
    t_stop: float
    limits: F32  # float32 [H, W] or [0, 0]


@dataclass(frozen=True, eq=False)
class _Canvas:
    """The picture being filled, band by band."""

    rgb: F32
    alpha: F32
    depth: F32
    mode_slot: Array  # int32 [H, W], -1 where nothing was hit
    added: Contributions | None

    @classmethod
    def empty(cls, size_px: tuple[int, int], splats: int, contributions: bool) -> "_Canvas":
        width, height = size_px
        added = Contributions(np.zeros(splats, np.float32), np.zeros(splats, np.float32), np.zeros(splats, np.int32))
        alpha, depth = np.empty((2, height, width), np.float32)
        return cls(np.empty((height, width, 3), np.float32), alpha, depth, np.empty((height, width), np.int32),
                   added if contributions else None)


def rasterise(
    splats: Splats, camera: Camera, *, background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    sh_degree: int | None = None, near: float = NEAR, t_stop: float = T_STOP, contributions: bool = False,
    colours: F32 | None = None, counted_before: F32 | None = None, threads: int | None = None,
) -> Picture:
    """The splats as the camera sees them, at the camera's `size_px`, by INRIA's rules (see `reference`).

    `background` is RGB 0..1. `sh_degree` caps the degree that is evaluated. `near` is in world units.
    `t_stop` 0 turns the early stop off, as the GL viewport draws. `colours` [M, 3] are drawn instead of
    SH (scalar modes, tints). `contributions` also measures what each splat added, with `counted_before`
    [H, W] only in pixels where it is nearer than that depth. `threads` defaults to one per core, and
    changes no result. Safe to call from several threads at once.
    """
    limits = np.empty((0, 0), np.float32) if counted_before is None else np.ascontiguousarray(counted_before, np.float32)
    how = _Blending(np.array(camera.size_px, np.int64), np.asarray(background, np.float32), t_stop, limits)
    canvas = _Canvas.empty(camera.size_px, len(splats), contributions)
    tiles_x, tiles_y = ((size + layout.TILE - 1) // layout.TILE for size in camera.size_px)
    workers = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        share = _sharing(pool, workers)
        frame = _project(splats, camera, near, share)
        _colour(frame, splats, camera, sh_degree, colours, share)
        counts = _count(frame, (tiles_x, tiles_y), share)
        for band in _bands(counts.sum(axis=1).reshape(tiles_y, tiles_x).sum(axis=1)):
            _blend(frame, _fill(frame, counts, tiles_x, band, share), canvas, how, pool)
    return _picture(frame, canvas)


def _sharing(pool: ThreadPoolExecutor, workers: int) -> Share:
    def share(work: Callable[..., Any], count: int) -> list[Any]:
        """work(part, first, last) over `count` items in as many parts as there are workers."""
        parts = max(1, min(workers, count // MIN_SHARE))
        edges = [count * part // parts for part in range(parts + 1)]
        return list(pool.map(work, range(parts), edges[:-1], edges[1:]))

    return share


def _project(splats: Splats, camera: Camera, near: float, share: Share) -> _Frame:
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
    return _Frame(rows, boxes, splat_of, slots, slots[depth_order(rows[slots, layout.DEPTH])])


def _colour(
    frame: _Frame, splats: Splats, camera: Camera, sh_degree: int | None, colours: F32 | None, share: Share
) -> None:
    slots = frame.slots
    if colours is not None:
        frame.rows[slots, layout.RED:layout.BLUE + 1] = colours[frame.splat_of[slots]]
        return
    degree = splats.sh_degree if sh_degree is None else min(sh_degree, splats.sh_degree)

    def work(_part: int, first: int, last: int) -> None:
        colour_range(slots[first:last], splats.means, splats.sh, degree, camera.centre, frame.rows, frame.splat_of)

    share(work, len(slots))


def _count(frame: _Frame, tiles: tuple[int, int], share: Share) -> I64:
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


def _fill(frame: _Frame, counts: I64, tiles_x: int, band: tuple[int, int], share: Share) -> _Lists:
    first_tile = band[0] * tiles_x
    ours = counts[first_tile:band[1] * tiles_x]
    ends = np.cumsum(ours).reshape(ours.shape)
    cursors = np.zeros(counts.T.shape, np.int64)
    cursors[:, first_tile:first_tile + len(ours)] = (ends - ours).T
    entries = np.empty(int(ends[-1, -1]), np.int32)

    def fill(part: int, first: int, last: int) -> None:
        fill_range(first, last, frame.order, frame.rows, frame.boxes, tiles_x, band, cursors[part], entries)

    share(fill, len(frame.order))
    return _Lists(first_tile, np.append(0, ends[:, -1]), entries)


def _blend(frame: _Frame, lists: _Lists, canvas: _Canvas, how: _Blending, pool: ThreadPoolExecutor) -> None:
    """Blend the lists into the canvas, and add what each splat contributed."""
    noted = 0 if canvas.added is None else len(lists.entries)
    weights, hits = np.zeros((noted, 2), np.float32), np.zeros(noted, np.int32)
    parts = min(len(lists.starts) - 1, BLEND_PARTS)

    def work(part: int) -> None:
        blend_range(part, parts, how.size_px, lists.first_tile, lists.starts, lists.entries, frame.rows,
                    how.background, how.t_stop, canvas.rgb, canvas.alpha, canvas.depth, canvas.mode_slot,
                    how.limits, weights, hits)

    list(pool.map(work, range(parts)))
    if canvas.added is not None:
        added = canvas.added
        gather(lists.entries, frame.splat_of, weights, hits, added.weight_sum, added.weight_max, added.pixel_count)


def _picture(frame: _Frame, canvas: _Canvas) -> Picture:
    hit = canvas.mode_slot >= 0
    slots = canvas.mode_slot[hit]
    mode_splat, mode_depth = np.full_like(canvas.mode_slot, -1), np.full_like(canvas.depth, np.nan)
    mode_splat[hit], mode_depth[hit] = frame.splat_of[slots], frame.rows[slots, layout.DEPTH]
    return Picture(canvas.rgb, canvas.alpha, canvas.depth, mode_depth, mode_splat, canvas.added)

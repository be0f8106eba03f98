"""The fast CPU rasteriser: pictures and per-splat measurements without a GPU, equal to `reference`.

Four steps (projection, colour and tile lists in `binning`, blending here) run as serial kernels that release the GIL, each
on its own share of the splats or tiles. No step depends on how many threads share it, so neither do results.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from render.projection import NEAR, T_STOP
from render.raster import layout
from render.raster.binning import Frame, Lists, binned
from render.raster.kernels_blend import blend_range, gather
from render.raster.picture import Contributions, Picture
from render.splats import Splats
from runs.arrays import F32, I64, Array
from runs.cameras import Camera

BLEND_PARTS = 32  # interleaved shares of the tiles; more than threads, so that no thread waits long for the last


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
    workers = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        sorted_splats = binned(splats, camera, pool, workers, near=near, sh_degree=sh_degree, colours=colours)
        for lists in sorted_splats.bands():
            _blend(sorted_splats.frame, lists, canvas, how, pool)
    return _picture(sorted_splats.frame, canvas)


def _blend(frame: Frame, lists: Lists, canvas: _Canvas, how: _Blending, pool: ThreadPoolExecutor) -> None:
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


def _picture(frame: Frame, canvas: _Canvas) -> Picture:
    hit = canvas.mode_slot >= 0
    slots = canvas.mode_slot[hit]
    mode_splat, mode_depth = np.full_like(canvas.mode_slot, -1), np.full_like(canvas.depth, np.nan)
    mode_splat[hit], mode_depth[hit] = frame.splat_of[slots], frame.rows[slots, layout.DEPTH]
    return Picture(canvas.rgb, canvas.alpha, canvas.depth, mode_depth, mode_splat, canvas.added)

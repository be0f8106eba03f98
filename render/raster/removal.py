"""What each splat does to a picture: what would change without it, and whether the photo would like that better."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from render.projection import NEAR, T_STOP
from render.raster.binning import Frame, Lists, binned
from render.raster.cpu import BLEND_PARTS
from render.raster.kernels_removal import SUMS, gather_sums, removal_range
from render.splats import Splats
from runs.arrays import F32, F64, I64, Mask
from runs.cameras import Camera


@dataclass(frozen=True, eq=False)
class Removal:
    """Sums over the pixels of one view for each of M splats; d [3] is the pixel with the splat less the pixel without it.

    Without the splat the squared difference to the photo, Σ |picture - photo|², is `effect - 2 · along` larger. That is exact,
    not a first order, but for what lies behind the early stop.
    """

    weight: F64  # float64 [M], alpha × transmittance
    front_weight: F64  # float64 [M], its weight in pixels where it is nearer than their limit
    along: F64  # float64 [M], Σ d · (picture - photo)
    effect: F64  # float64 [M], Σ d · d


def removal(
    splats: Splats, camera: Camera, picture: F32, photo: F32, counted_before: F32, *, absent: Mask | None = None,
    near: float = NEAR, threads: int | None = None,
) -> Removal:
    """Of every splat at once, in one pass over the pixels.

    `picture` [H, W, 3] is this very view as `rasterise` gives it, on any background; `photo` [H, W, 3] is what it should have
    been. `counted_before` [H, W] is the depth limit of the front weight; NaN counts nothing.
    The picture lacks the `absent` [M] splats: each of them is judged as if it, and no other of them, were added.
    """
    shown, off, limits = (np.ascontiguousarray(pixels, np.float32) for pixels in (picture, picture - photo, counted_before))
    present = np.ones(len(splats), np.float32) if absent is None else (~absent).astype(np.float32)
    totals, size_px = np.zeros((len(splats), SUMS)), np.array(camera.size_px, np.int64)
    workers = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        sorted_splats = binned(splats, camera, pool, workers, near=near)
        for lists in sorted_splats.bands():
            totals += _summed(sorted_splats.frame, lists, len(splats), pool, size_px, present, (shown, off, limits))
    return Removal(*totals.T)


def _summed(
    frame: Frame, lists: Lists, splats: int, pool: ThreadPoolExecutor, size_px: I64, present: F32, pixels: tuple[F32, F32, F32],
) -> F64:
    """float64 [M, SUMS]: over the pixels of one band."""
    sums, totals = np.zeros((len(lists.entries), SUMS), np.float32), np.zeros((splats, SUMS))
    by_slot = np.ones(len(frame.rows), np.float32)
    by_slot[frame.slots] = present[frame.splat_of[frame.slots]]
    parts = min(len(lists.starts) - 1, BLEND_PARTS)

    def work(part: int) -> None:
        removal_range(part, parts, size_px, lists.first_tile, lists.starts, lists.entries, frame.rows, by_slot, *pixels,
                      T_STOP, sums)

    list(pool.map(work, range(parts)))
    gather_sums(lists.entries, frame.splat_of, sums, totals)
    return totals

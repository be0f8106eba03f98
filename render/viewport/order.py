"""Back-to-front order of the splats that a camera, or one slightly turned from it, can see."""

import numpy as np

from render.projection import ALPHA_MIN
from render.splats import Splats
from runs.arrays import F32, U32
from runs.cameras import Camera
from runs.kernels import kernel

# A picture drawn while the camera moves uses the order of a moment ago: splats just outside must be in it.
MARGIN = 0.3
_DIGIT_BITS = 11
_BUCKETS = 1 << _DIGIT_BITS


def reach(splats: Splats) -> F32:
    """float32 [M], world units: the largest distance from the mean where alpha >= 1/255; 0 where alpha never gets there.

    From o·exp(-r²/2σ²) = 1/255: r = σ·sqrt(2 ln(255 o)), with the largest σ.
    """
    sharp = np.maximum(2 * np.log(np.maximum(splats.opacities / ALPHA_MIN, 1)), 0)
    return np.asarray(np.sqrt(sharp) * splats.scales.max(axis=1, initial=0), np.float32)


def depth_order(means: F32, radii: F32, camera: Camera, margin: float = MARGIN) -> U32:
    """Indices of the visible splats, farthest first; equal depths keep their order in `means`.

    `means` float32 [M, 3] world, `radii` float32 [M] from `reach` (0: never drawn). Kept is every splat in front of the
    camera whose EWA footprint can touch the image enlarged by `margin` of its size on each side. With the ray slope
    clamped at (1 + margin)·tan, the footprint of a sphere is at most radius·sqrt(1 + slope²)/z wide, so the test below
    never drops a splat that is drawn. Serial and without the GIL: one worker thread calls it.
    """
    world = camera.camera_from_world.astype(np.float32)
    slopes = np.array(_edge_slopes(camera, margin), np.float32)
    keys, rows = _cull(np.ascontiguousarray(means), radii, world, slopes, np.sqrt(1 + slopes * slopes))
    # A kernel from numba's cache answers with a copy of the dtype, which gloo takes for a structured one.
    return _radix_descending(keys, rows).view(np.uint32)


def _edge_slopes(camera: Camera, margin: float) -> tuple[float, float, float, float]:
    """Slopes |x|/z of the left and right, |y|/z of the top and bottom edge of the enlarged image."""
    width, height = camera.size_px
    x, y = margin * width, margin * height
    return ((camera.cx + x) / camera.fx, (width - camera.cx + x) / camera.fx,
            (camera.cy + y) / camera.fy, (height - camera.cy + y) / camera.fy)


@kernel
def _cull(means: F32, radii: F32, world: F32, slopes: F32, widths: F32) -> tuple[U32, U32]:
    """Depth bits and index of each kept splat. Bits of positive floats sort as the floats do."""
    depths = np.empty(len(means), np.float32)
    rows = np.empty(len(means), np.uint32)
    kept = 0
    for i in range(len(means)):
        x, y, z = means[i, 0], means[i, 1], means[i, 2]
        depth = world[2, 0] * x + world[2, 1] * y + world[2, 2] * z + world[2, 3]
        radius = radii[i]
        if not (depth > np.float32(0) and radius > np.float32(0)):
            continue
        across = world[0, 0] * x + world[0, 1] * y + world[0, 2] * z + world[0, 3]
        down = world[1, 0] * x + world[1, 1] * y + world[1, 2] * z + world[1, 3]
        outside = (-across > slopes[0] * depth + radius * widths[0] or across > slopes[1] * depth + radius * widths[1]
                   or -down > slopes[2] * depth + radius * widths[2] or down > slopes[3] * depth + radius * widths[3])
        if not outside:
            depths[kept] = depth
            rows[kept] = i
            kept += 1
    return depths[:kept].view(np.uint32), rows[:kept]


@kernel
def _radix_descending(keys: U32, rows: U32) -> U32:
    """`rows` by falling key, stable: three counting passes of 11 bits, or two where the keys span 22 bits."""
    count = len(keys)
    if count == 0:
        return rows.copy()
    highest, lowest = keys[0], keys[0]
    for i in range(count):
        highest, lowest = max(highest, keys[i]), min(lowest, keys[i])
    for i in range(count):
        keys[i] = highest - keys[i]
    keys_out, rows_out = np.empty_like(keys), np.empty_like(rows)
    starts = np.empty(_BUCKETS, np.int64)
    span = np.int64(highest) - np.int64(lowest)
    shift = 0
    while (span >> shift) > 0:
        starts[:] = 0
        for i in range(count):
            starts[(keys[i] >> np.uint32(shift)) & np.uint32(_BUCKETS - 1)] += 1
        total = 0
        for bucket in range(_BUCKETS):
            total, starts[bucket] = total + starts[bucket], total
        for i in range(count):
            bucket = (keys[i] >> np.uint32(shift)) & np.uint32(_BUCKETS - 1)
            place = starts[bucket]
            starts[bucket] = place + 1
            keys_out[place] = keys[i]
            rows_out[place] = rows[i]
        keys, keys_out = keys_out, keys
        rows, rows_out = rows_out, rows
        shift += _DIGIT_BITS
    return rows

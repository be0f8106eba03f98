"""The surface that a region of a picture shows, undisturbed by small things that hang before it."""

import numpy as np
from scipy.ndimage import median_filter

from runs.arrays import F32

WINDOW = 0.08  # of the picture's longer side: larger than a speck, smaller than an object
CELLS = 7  # the window is sampled this finely: the median of a full-size window costs more than the rendering


def regional_depth(depth: F32) -> F32:
    """float32 [H, W]: the depth of each pixel's surroundings where that is farther, else the pixel's own depth.

    An opaque speck is itself the strongest splat of its pixels, so that nothing floats before the pixel's own main
    surface; the median of the region looks past it. NaN (nothing hit) stays NaN, and where most of the region is
    empty there is no surface to float before, so the pixel's own depth is kept.
    """
    step = max(1, round(WINDOW * max(depth.shape) / CELLS))
    coarse = depth[::step, ::step]
    hit = np.isfinite(coarse)
    # the median of what was hit is only known where the middle is hit from both ends
    low = median_filter(np.where(hit, coarse, -np.inf), CELLS, mode="nearest")
    high = median_filter(np.where(hit, coarse, np.inf), CELLS, mode="nearest")
    known = np.isfinite(low) & np.isfinite(high)
    middle = np.full_like(coarse, np.nan)
    middle[known] = (low[known] + high[known]) / 2
    spread = np.repeat(np.repeat(middle, step, axis=0), step, axis=1)[: depth.shape[0], : depth.shape[1]]
    return np.where(np.isfinite(depth), np.fmax(depth, spread), np.nan).astype(np.float32)

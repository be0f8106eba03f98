"""Pictures of one view side by side, as a probe shows them."""

import numpy as np

from runs.arrays import U8, Array

GAP_PX = 4
GAP_GREY = 0.5


def beside(*pictures: Array) -> U8:
    """uint8 [H, ΣW + gaps, 3]: colours 0..1 [H, W, 3] of one height, from left to right; what is beyond is cut off."""
    gap = np.full((pictures[0].shape[0], GAP_PX, 3), GAP_GREY, np.float32)
    strips = [part for picture in pictures for part in (gap, picture)][1:]
    return np.asarray(np.round(np.clip(np.concatenate(strips, axis=1), 0, 1) * 255), np.uint8)

"""The tables that the training kernels share: a row for each splat on the picture, a buffer for the pixels of some rows."""

from typing import Final

import numpy as np

# A row of float64 for each splat on the picture, nearest first. Completing the square along a row of pixels gives
# alpha = exp(LN_OPACITY - HALF_Y·dy² - HALF_X·(dx - SLOPE·dy)²), dx and dy from the centre.
X, Y = 0, 1  # px
HALF_X = 2  # ½ / variance of x given y
SLOPE = 3  # covariance_xy / variance_y
HALF_Y = 4  # ½ / variance_y
LN_OPACITY = 5
RED, GREEN, BLUE = 6, 7, 8
REACH_X, REACH_Y = 9, 10  # px, half width and height of the box round the contour alpha = 1/255
FIELDS: Final = 11

# Rows of pixels are cut into segments of LANES pixels, the width of a vector instruction. All that is known of a segment
# lies together, at constant distances from one base: that lets LLVM prove that fields do not overlap, and vectorise.
# Unsigned, because numba would otherwise test each index for a negative value.
LANES: Final = 8
LEFT = np.uint64(0 * LANES)  # transmittance: in the end of the forward pass, in front of the splat in the backward pass
STOP = np.uint64(1 * LANES)  # rank of the splat that would have left too little; it and all behind it are not blended
RED_AT, GREEN_AT, BLUE_AT = np.uint64(2 * LANES), np.uint64(3 * LANES), np.uint64(4 * LANES)  # sums, or dL/d(pixel)
BEHIND = np.uint64(5 * LANES)  # Σ weight·(colour·dL/dpixel) of all behind the splat, background included
NOW_V, NOW_VT, NOW_VTT = np.uint64(6 * LANES), np.uint64(7 * LANES), np.uint64(8 * LANES)  # what the splat at hand adds
NOW_RED, NOW_GREEN, NOW_BLUE = np.uint64(9 * LANES), np.uint64(10 * LANES), np.uint64(11 * LANES)  # to the sums below
SEGMENT = np.uint64(12 * LANES)  # numbers in a segment

NEVER = float(2**24)  # a STOP that no rank reaches: ranks are counted in float32, exactly
OUTSIDE = -1.0  # the STOP of a pixel beyond the edge of the picture

# What the backward pass sums for each splat over its pixels. v = dL/d(exponent); t = dx - SLOPE·dy.
SUM_V, SUM_VT, SUM_VTT, SUM_VY, SUM_VYY, SUM_VYT, SUM_RED, SUM_GREEN, SUM_BLUE = range(9)
SUMS: Final = 9
HEAD = np.uint64(SUMS * LANES)  # the sums stand before the segments in the buffer, one for each lane

CHUNKS: Final = 4  # bands of the picture with sums of their own: fixed, so that no number depends on the thread count


def segments_across(width_px: int) -> int:
    """Segments in a row of pixels."""
    return (width_px + LANES - 1) // LANES


def rows_of(chunk: int, height_px: int) -> tuple[int, int]:
    """First row and last row + 1 of a chunk; empty for pictures of fewer rows than chunks."""
    return chunk * height_px // CHUNKS, (chunk + 1) * height_px // CHUNKS

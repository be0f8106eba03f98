"""The float32 tables that the kernels share: a row for each visible splat, a buffer for the pixels of a tile."""

from typing import Final

import numpy as np

TILE: Final = 16  # px

# A row is one cache line. Centres are split into a whole number and a rest, so that float32 keeps
# 1e-7 px near the splat whatever the width of the picture. Completing the square along a row of pixels gives
# alpha = exp(LN_OPACITY - HALF_Y·dy² - HALF_X·(dx - SLOPE·dy)²), which stays exact for long needles.
X, X_REST, Y, Y_REST = 0, 1, 2, 3  # px
HALF_X = 4  # ½ / variance of x given y
SLOPE = 5  # covariance_xy / variance_y
HALF_Y = 6  # ½ / variance_y
LN_OPACITY = 7
RED, GREEN, BLUE, DEPTH = 8, 9, 10, 11
REACH_X, REACH_Y = 12, 13  # px, half width and height of the box round the contour alpha = 1/255
TURN = 14  # dy at which that contour reaches furthest right
SPREAD_X = 15  # 1 / HALF_X
FIELDS: Final = 16

# A tile is cut into segments of LANES pixels of one row: the width of a vector instruction.
PIXELS: Final = TILE * TILE
LANES: Final = 8
ACROSS: Final = TILE // LANES  # segments in a row
SEGMENTS: Final = TILE * ACROSS

# Where each field of the pixels starts in the buffer. Unsigned: numba would otherwise test each index for a
# negative value, and LLVM would not vectorise.
LEFT = np.uint64(0)  # transmittance
OPEN = np.uint64(1 * PIXELS)  # 1 until the early stop, then 0
SUM_RED, SUM_GREEN, SUM_BLUE = np.uint64(2 * PIXELS), np.uint64(3 * PIXELS), np.uint64(4 * PIXELS)
SUM_DEPTH = np.uint64(5 * PIXELS)
BEST = np.uint64(6 * PIXELS)  # the largest weight so far
WHO = np.uint64(7 * PIXELS)  # whose it is: place in the tile's list, exact to 2**24
LIMIT = np.uint64(8 * PIXELS)  # only what is nearer counts as a contribution
COUNTED = np.uint64(9 * PIXELS)  # the weight of the splat blended last, where it counts
BUFFER: Final = 10 * PIXELS

LN_255: Final = np.float32(np.log(255.0))

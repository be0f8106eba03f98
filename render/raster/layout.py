"""The float32 row that the kernels keep for each visible splat, and how pixels are tiled."""

from typing import Final

import numpy as np

TILE: Final = 16  # px

# One cache line a splat. Centres are split into a whole number and a rest, so that float32 keeps
# 1e-7 px near the splat whatever the width of the picture. Completing the square along a row gives
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

LN_255: Final = np.float32(np.log(255.0))

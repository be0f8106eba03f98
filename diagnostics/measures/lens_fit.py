"""Where projections lie against keypoints, as far as one lens can be the reason: a zoom about the principal point and a shift."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64

ROUNDS = 6  # of reweighting: converged to a thousandth of a pixel on a real capture
SMALLEST_PX = 0.01  # keeps the weight of a perfect match finite


@dataclass(frozen=True)
class LensFit:
    """keypoint − principal point = zoom · (projection − principal point) + shift."""

    zoom: float  # factor on the focal length
    x_px: float  # to the right
    y_px: float  # downwards

    @property
    def shift_px(self) -> float:
        return float(np.hypot(self.x_px, self.y_px))


AS_IT_IS = LensFit(1.0, 0.0, 0.0)


def fit_lens(drawn: F64, marked: F64) -> LensFit:
    """The least sum of distances (not of squares: wrong matches must not count) for offsets [n, 2] from the principal point.

    Iteratively reweighted least squares. `AS_IT_IS` for fewer than three pairs, or where they do not spread.
    """
    known = np.isfinite(drawn).all(axis=1) & np.isfinite(marked).all(axis=1)
    drawn, marked = drawn[known], marked[known]
    if len(drawn) < 3:
        return AS_IT_IS
    found, weights = AS_IT_IS, np.ones(len(drawn))
    for _ in range(ROUNDS):
        total = weights.sum()
        from_middle, to_middle = (weights @ points / total for points in (drawn, marked))
        spread = float(weights @ ((drawn - from_middle) ** 2).sum(axis=1))
        if not spread > 0:
            return AS_IT_IS
        zoom = float(weights @ ((drawn - from_middle) * (marked - to_middle)).sum(axis=1)) / spread
        x, y = to_middle - zoom * from_middle
        found = LensFit(zoom, float(x), float(y))
        weights = 1 / np.maximum(np.linalg.norm(marked - zoom * drawn - (x, y), axis=1), SMALLEST_PX)
    return found

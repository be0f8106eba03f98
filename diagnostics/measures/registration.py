"""How far a render must be moved to lie on its photo, and how much of the difference that explains."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter, shift

from runs.arrays import F32, F64

BLURS_PX = (2.0, 1.0, 0.0, 0.0)  # coarse first: the linear model holds for shifts of about one blur radius
MARGIN_PX = 8  # moved pixels near the rim have no source


@dataclass(frozen=True)
class Shift:
    """The translation that brings the render closest to the photo, least squares on grey values."""

    x_px: float
    y_px: float
    explained: float  # 0..1, part of the squared difference (its mean removed) that disappears; 0 where moving does not help

    @property
    def length_px(self) -> float:
        return float(np.hypot(self.x_px, self.y_px))


def residual_shift(render: F32, photo: F32) -> Shift | None:
    """From two pictures [H, W, 3], 0..1; None where they are too small or flat to tell.

    A blurred or empty render also yields large shifts; only `explained` tells them from a misplaced sharp one.
    Iterated least squares on image gradients (Lucas and Kanade 1981).
    """
    moving, fixed = render.mean(axis=2, dtype=np.float64), photo.mean(axis=2, dtype=np.float64)
    if min(moving.shape) <= 3 * MARGIN_PX:
        return None
    moved: F64 = np.zeros(2)  # rows, columns
    for blur in BLURS_PX:
        step = _step(shift(_blurred(moving, blur), moved, order=1, mode="nearest"), _blurred(fixed, blur))
        if step is None:
            return None
        moved = moved + step
    before = _disagreement(moving, fixed)
    after = _disagreement(shift(moving, moved, order=1, mode="nearest"), fixed)
    return Shift(float(moved[1]), float(moved[0]), max(0.0, 1 - after / before) if before > 0 else 0.0)


def _blurred(picture: F64, radius_px: float) -> F64:
    return np.asarray(gaussian_filter(picture, radius_px)) if radius_px else picture


def _step(moving: F64, fixed: F64) -> F64 | None:
    """Rows and columns to move by, from one linearisation; a difference in brightness is fitted along."""
    inner = (slice(MARGIN_PX, -MARGIN_PX),) * 2
    gradients = [np.asarray(along)[inner].ravel() for along in np.gradient(moving)]  # along rows, along columns
    slopes = np.stack([*gradients, np.ones(fixed[inner].size)], axis=1)
    solved, _, rank, _ = np.linalg.lstsq(slopes, fixed[inner].ravel() - moving[inner].ravel(), rcond=None)
    step = -solved[:2]
    return step if rank == 3 and np.abs(step).max() < min(moving.shape) / 4 else None


def _disagreement(first: F64, second: F64) -> float:
    difference = (first - second)[MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX]
    return float(((difference - difference.mean()) ** 2).sum())

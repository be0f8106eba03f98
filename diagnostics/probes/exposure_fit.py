"""One affine correction of colours per photo, fitted so that it holds for one half of the picture if it does for the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, F64, Mask

LEVEL = 1 / 255
CLIPPED_LEVELS = 1.5  # JPEG and rounding leave saturated pixels a level below the top
OPAQUE = 0.9  # alpha: below it the background, and not the model, makes part of the colour
FEWEST_PIXELS = 200  # in either half; a correction has 12 numbers
MOST_PIXELS = 20_000  # of one photo; a correction of the whole photo is not known better from more
PULL = 1e-3  # colours 0..1 squared: a matrix entry off by 0.2 costs as much as a mean residual of 0.006
ROUNDS = 8  # of reweighting; the weights no longer change after five
NORMAL = 1.4826  # of a normal distribution: standard deviation over median absolute deviation
IDENTITY: F64 = np.vstack([np.eye(3), np.zeros((1, 3))])


@dataclass(frozen=True, eq=False)
class Pixels:
    """Where one render may be held against its photo: n pixels, as colours 0..1."""

    name: str  # of the camera
    shown: F64  # float64 [n, 3], the render
    wanted: F64  # float64 [n, 3], the photo
    left: Mask  # bool [n], in the left half of what is compared
    upper: Mask  # bool [n], in the upper half
    share: float  # 0..1, of the picture's pixels


@dataclass(frozen=True, eq=False)
class Correction:
    """What one photo differs by from the model: `colours @ matrix[:3] + matrix[3]`."""

    name: str
    matrix: F64  # float64 [4, 3]
    gains: F64  # float64 [3], of the render's mean colour beyond what all photos share; 1 where nothing differs
    offsets: F64  # float64 [3], what it makes of black, beyond what it makes of it in all photos
    before: float  # mean squared error with what all photos share
    after: float  # the same with this photo's own, each half corrected as the other one asks

    @property
    def explained(self) -> float:
        """Part of the squared difference that the photo's own correction explains; below 0 where halves disagree."""
        return 1 - self.after / self.before if self.before > 0 else 0.0

    @property
    def gained_db(self) -> float:
        """PSNR that the photo's own correction gains in the compared pixels; 0 where there is nothing to gain."""
        return float(10 * np.log10(self.before / self.after)) if self.before > 0 and self.after > 0 else 0.0


def comparable(name: str, rgb: F32, alpha: F32, photo: F32) -> Pixels | None:
    """Pixels of a render and its photo [H, W, 3] where the model is opaque and the photo is neither saturated nor black.

    At most `MOST_PIXELS`, evenly chosen; None where either half of the picture has too few.
    """
    top, black = 1 - CLIPPED_LEVELS * LEVEL, CLIPPED_LEVELS * LEVEL
    highest = photo.max(axis=2)
    rows, columns = np.nonzero((alpha > OPAQUE) & (highest < top) & (highest > black))
    if len(rows) == 0:
        return None
    step = -(-len(rows) // MOST_PIXELS)
    rows, columns = rows[::step], columns[::step]
    left, upper = columns <= np.median(columns), rows <= np.median(rows)
    if min(np.minimum(half.sum(), (~half).sum()) for half in (left, upper)) < FEWEST_PIXELS:
        return None
    shown = np.maximum(rgb[rows, columns].astype(np.float64), 0)
    return Pixels(name, shown, photo[rows, columns].astype(np.float64), left, upper, len(rows) * step / alpha.size)


def affine(shown: F64, wanted: F64, towards: F64 = IDENTITY) -> F64:
    """float64 [4, 3]: the map of colours [n, 3] that brings `shown` nearest to `wanted`, pulled towards another map.

    Least squares, reweighted by Cauchy's function so that pixels which show something else do not count.
    """
    known = np.column_stack([shown, np.ones(len(shown))])
    rest = wanted - known @ towards
    weights, found = np.ones(len(known)), towards
    for _ in range(ROUNDS):
        weighted = known * weights[:, None]
        left_side = weighted.T @ known / weights.sum() + PULL * np.eye(4)
        found = towards + np.linalg.solve(left_side, weighted.T @ rest / weights.sum())
        off = np.linalg.norm(wanted - known @ found, axis=1)
        usual = NORMAL * float(np.median(off)) + LEVEL
        weights = 1 / (1 + (off / (2 * usual)) ** 2)
    return np.asarray(found, np.float64)


def mapped(matrix: F64, colours: F64) -> F64:
    """float64 [n, 3]."""
    return np.asarray(colours @ matrix[:3] + matrix[3], np.float64)


def shared(views: Sequence[Pixels]) -> F64:
    """float64 [4, 3]: the one correction that all photos ask for together; a model may be off in all of them alike."""
    step = max(1, sum(len(view.shown) for view in views) // (10 * MOST_PIXELS))
    return affine(np.concatenate([view.shown[::step] for view in views]), np.concatenate([view.wanted[::step] for view in views]))


def correction(view: Pixels, common: F64) -> Correction:
    """The photo's own correction, held against the one that all photos share."""
    matrix, mean = affine(view.shown, view.wanted, common), view.shown.mean(axis=0, keepdims=True)
    usual = np.maximum(mapped(common, mean), LEVEL)
    before = float(((np.clip(mapped(common, view.shown), 0, 1) - view.wanted) ** 2).mean())
    return Correction(view.name, matrix, np.maximum(mapped(matrix, mean), LEVEL)[0] / usual[0], matrix[3] - common[3],
                      before, _across(view, common))


def _across(view: Pixels, common: F64) -> float:
    """Mean squared error where each half is corrected as the other half asks, over both ways of halving.

    A photo's exposure is the same in both; a shifted edge, a passer-by or a wrong background is not.
    """
    errors = []
    for half in (view.left, ~view.left, view.upper, ~view.upper):
        matrix = affine(view.shown[half], view.wanted[half], common)
        off = np.clip(mapped(matrix, view.shown[~half]), 0, 1) - view.wanted[~half]
        errors.append((off**2).sum())
    return float(sum(errors) / (2 * view.wanted.size))


def robust_spread(values: F64) -> float:
    """Standard deviation from the median absolute deviation, of [n, ...] about each column's median."""
    return NORMAL * float(np.median(np.abs(values - np.median(values, axis=0))))

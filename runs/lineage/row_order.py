"""Following rows by their order: what stayed closes up, so the next row of the later state is soon found in the earlier one.

Linear in the number of rows, so it serves states of millions. Rows of one state lie in no spatial order, so two that are alike
in place, colour and shape are hardly ever neighbours by chance.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, I64
from runs.gaussians import Gaussians
from runs.kernels import kernel

# One unit of unlikeness: sizes of distance, SH units of base colour, logarithm of an axis, difference of unit quaternions. What
# a Gaussian learns within a thousand iterations is mostly less than one unit of each (measured, benchmarks/lineage.py).
PLACE, COLOUR, SIZE, ROTATION = 1.0, 0.5, 1.0, 0.7
ALIKE = 4.0  # sum of squares below which two rows may be one
LOOK_AHEAD, AGREE = 8, 5  # of the next rows so many must be alike, for a shift to be believed
SMALL_GAP = 24  # rows that may lie between two of these: some tenth of all are split in one densification
CHOICE = 8  # rows from the first that fits, among which the most alike is taken: halves of a split are alike
# Rows in a row that changed too much to be known again: so few at the end of a state, and after more only newborns follow.
FEW_MISSED, MOST_MISSED = 1, 64
NEAR_GAP, LARGEST_GAP = 64, 20_000  # rows that may go in one piece: usually, and at most


@dataclass(frozen=True, eq=False)
class Followed:
    """Rows that stayed."""

    before: I64  # int64 [k], rows of the earlier state …
    after: I64  # int64 [k], … and the rows that they are now; both strictly increasing
    alike: float  # 0..1, share of them that are alike; the others are believed because those after them are


def unasked() -> None:
    """A beat that stops nothing."""


def follow(
    earlier: Gaussians, later: Gaussians, end: int | None = None, beat: Callable[[], None] = unasked,
) -> Followed | None:
    """Rows of `later`, those before `end`, as rows of `earlier`; None where none can be. Raises what `beat` raises."""
    new = _features(later)[:end]
    beat()
    old, before = _features(earlier), np.full(len(new), -1, np.int64)
    beat()
    guessed = followed_rows(old, new, before)
    beat()
    after = np.flatnonzero(before >= 0)
    return Followed(before[after], after, 1 - guessed / len(after)) if len(after) else None


def unlikeness_by_row(earlier: Gaussians, later: Gaussians) -> F32:
    """float32 [n], n rows of the smaller state: squared unlikeness of each row and the row of that number in the other state."""
    unlike = np.empty(min(earlier.count, later.count), np.float32)
    compare_rows(_features(earlier), _features(later), unlike)
    return unlike


def _features(gaussians: Gaussians) -> F32:
    """float32 [N, 14]: place, base colour, log scales, unit quaternion, largest scale (world units)."""
    quats = gaussians.quats_wxyz / np.maximum(gaussians.quat_norms, 1e-12)[:, None]
    with np.errstate(over="ignore"):
        largest = np.exp(gaussians.log_scales.max(axis=1, keepdims=True))
    return np.ascontiguousarray(
        np.concatenate([gaussians.means, gaussians.sh0, gaussians.log_scales, quats, largest], axis=1), np.float32)


@kernel
def _unlikeness(old: F32, new: F32, i: int, j: int) -> float:
    """Sum of squares; NaN for rows that are not finite, which are like nothing."""
    apart, colour, shape, turned = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        apart += (old[i, k] - new[j, k]) ** 2
        colour += (old[i, k + 3] - new[j, k + 3]) ** 2
        shape += (old[i, k + 6] - new[j, k + 6]) ** 2
    for k in range(9, 13):
        turned += old[i, k] * new[j, k]  # q and -q are one rotation
    size = max(old[i, 13], new[j, 13])
    return float(apart / (PLACE * size) ** 2 + colour / COLOUR**2 + shape / SIZE**2 + 2 * (1 - abs(turned)) / ROTATION**2)


@kernel
def compare_rows(old: F32, new: F32, unlike: F32) -> None:
    for row in range(len(unlike)):
        unlike[row] = _unlikeness(old, new, row, row)


@kernel
def _agreeing(old: F32, new: F32, i: int, j: int) -> int:
    """How many of the rows after j are found after i, in order and each within a small gap."""
    found, start = 0, i + 1
    for row in range(j + 1, min(j + 1 + LOOK_AHEAD, len(new))):
        skipped = 0
        for k in range(start, min(start + SMALL_GAP, len(old))):
            if _unlikeness(old, new, k, row) < ALIKE:
                found += 1
                skipped = k - start
                break
        start += skipped + 1
    return found


@kernel
def _believed(old: F32, new: F32, i: int, j: int, missed: int) -> bool:
    """Whether enough of the rows after both agree. At the end of either state fewer are left to do so; but what is like
    one of the last rows after others that were not may be a child of it.
    """
    needed = min(AGREE, (len(old) - i) // 2, (len(new) - j) // 2) if missed <= FEW_MISSED else AGREE
    return _agreeing(old, new, i, j) >= needed


@kernel
def _shift(old: F32, new: F32, i: int, j: int, first: int, last: int, missed: int) -> int:
    """How many rows from i on are gone, if row j follows on them: at least `first`, fewer than `last`; else -1."""
    best, least, end = -1, ALIKE, min(last, len(old) - i)
    for shift in range(first, end):
        if best >= 0 and shift >= best + CHOICE:
            break
        unlike = _unlikeness(old, new, i + shift, j)
        if unlike < least and _believed(old, new, i + shift, j, missed):
            best, least = shift, unlike
    return best


@kernel
def followed_rows(old: F32, new: F32, before: I64) -> int:
    """Fill `before`, -1 for rows that were not there before or changed too much; how many are filled because others agree."""
    i = missed = guessed = series = 0
    for j in range(len(new)):
        if i >= len(old) or missed > MOST_MISSED:
            break
        shift = _shift(old, new, i, j, 0, NEAR_GAP, missed)
        if shift < 0 and _agreeing(old, new, i, j) >= AGREE:
            shift = 0  # this one changed, those after it did not
            guessed += 1
        if shift < 0:
            shift = _shift(old, new, i, j, NEAR_GAP, LARGEST_GAP, missed)
        if shift < 0 and series >= AGREE and _unlikeness(old, new, i, j) < ALIKE:
            shift = 0  # the last before a large gap: those before it agree
        if shift < 0:
            missed, series = missed + 1, 0
            continue
        missed, series = 0, series + 1 if shift == 0 else 0
        before[j] = i + shift
        i += shift + 1
    return guessed

"""Facts about rows that no renderer can use, for every checkpoint in the range."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import saved
from diagnostics.measures.nonfinite import Flaws, find_flaws
from diagnostics.registry import fact
from runs.arrays import I64
from runs.checkpoints import Checkpoint
from runs.gaussians import COLUMNS, Gaussians

# A stored quaternion is not normalised, but training keeps it between about 0.5 and 2 (failures N-12).
ZERO_QUAT = 1e-6


@dataclass(frozen=True, eq=False)
class ZeroRows:
    """Rows of one saved iteration whose quaternion names no rotation."""

    iteration: int
    of: int
    rows: I64  # int64, every row with a zero quaternion
    blank: I64  # int64, those of them in which every stored parameter is exactly zero


@fact(missing=saved.CHECKPOINT)
def flaws(checkpoints: tuple[Checkpoint, ...], beat: Callable[[], None]) -> tuple[Flaws, ...]:
    """Non-finite values of every checkpoint in the range, by iteration.

    Every stored value is looked at, so each file is read through once and let go before the next.
    """
    found = []
    for checkpoint in checkpoints:
        beat()
        found.append(find_flaws(checkpoint.gaussians, checkpoint.iteration))
    return tuple(found)


@fact(missing=saved.CHECKPOINT)
def zero_rows(checkpoint: Checkpoint, gaussians: Gaussians) -> ZeroRows:
    """Zero quaternions of the last checkpoint in the range."""
    rows = np.flatnonzero(gaussians.quat_norms < ZERO_QUAT)
    blank = np.ones(len(rows), bool)
    for name in (*COLUMNS, "sh_rest"):
        zero = gaussians.load(name)[rows] == 0
        blank &= zero.all(axis=tuple(range(1, zero.ndim)))
    return ZeroRows(checkpoint.iteration, gaussians.count, rows, rows[blank])

"""Counts of NaN, +inf and -inf per column and sign, and the rows that hold them."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import I64, Array
from runs.gaussians import COLUMNS, Gaussians

# exp(88.8) overflows a float32: such a log scale is infinite as soon as it is activated.
OVERFLOWING_LOG_SCALE = 88.7


@dataclass(frozen=True)
class ColumnFlaws:
    """Non-finite values of one stored column, e.g. "log_scales"."""

    column: str
    nan: int
    plus_inf: int
    minus_inf: int
    overflowing: int  # finite as stored, infinite once activated

    @property
    def total(self) -> int:
        return self.nan + self.plus_inf + self.minus_inf + self.overflowing


@dataclass(frozen=True, eq=False)
class Flaws:
    """What one saved iteration holds of them; `columns` names only columns with at least one."""

    iteration: int
    of: int
    rows: I64  # int64, rows with at least one flaw
    columns: tuple[ColumnFlaws, ...]


def find_flaws(gaussians: Gaussians, iteration: int) -> Flaws:
    """Look at every stored column; reads the whole file once."""
    flawed = np.zeros(gaussians.count, bool)
    columns = []
    for name in (*COLUMNS, "sh_rest"):
        values = gaussians.load(name)
        bad = ~np.isfinite(values)
        over = values > OVERFLOWING_LOG_SCALE if name == "log_scales" else np.zeros_like(bad)
        over &= ~bad
        if bad.any() or over.any():
            flawed |= (bad | over).reshape(gaussians.count, -1).any(axis=1)
            columns.append(_count(name, values, over))
    return Flaws(iteration, gaussians.count, np.flatnonzero(flawed), tuple(columns))


def _count(name: str, values: Array, over: Array) -> ColumnFlaws:
    """Counts rows, not values: three NaN scales of one Gaussian are one flawed row."""

    def rows(mask: Array) -> int:
        return int(mask.reshape(len(mask), -1).any(axis=1).sum())

    return ColumnFlaws(name, rows(np.isnan(values)), rows(np.isposinf(values)), rows(np.isneginf(values)), rows(over))

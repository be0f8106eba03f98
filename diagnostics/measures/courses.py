"""Courses of quality: falls that are never made good, trends with their uncertainty, and jumps from visit to visit."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.curves import running_median
from runs.arrays import F64
from runs.series import Series

# A batch is one view, so single values jump from view to view; the median of so many stands for the run.
VIEWS = 25
FIXED_SETS = ("train/psnr", "test/psnr")  # evaluations: every value is of the same views


@dataclass(frozen=True)
class Fall:
    """The last value of a high level, the first one of the low level, and the best that ever came afterwards."""

    before: tuple[int, float]  # (iteration, value)
    after: tuple[int, float]
    best_after: float
    later: int  # values from `after` on

    @property
    def depth(self) -> float:
        """Unit of the series: what was never made good."""
        return self.before[1] - self.best_after


def one_way_fall(series: Series, gap: int = 1) -> Fall | None:
    """The deepest fall between a value and all those that come `gap` places later or more; None where nothing ever falls.

    A dip that is made good is none, and a slow decline is a shallow one. `gap`: places that a sudden fall is spread over,
    1 for single evaluations, the width of the window for a running median.
    """
    known = np.isfinite(series.values)
    iterations, values = series.iterations[known], series.values[known]
    if len(values) <= gap:
        return None
    best_later = np.maximum.accumulate(values[::-1])[::-1]
    depths = values[:-gap] - best_later[gap:]
    i = int(np.argmax(depths))
    if not depths[i] > 0:
        return None
    low = i + gap
    return Fall((int(iterations[i]), float(values[i])), (int(iterations[low]), float(values[low])), float(best_later[low]),
                len(values) - low)


@dataclass(frozen=True)
class Trend:
    """A straight line through a part of a course."""

    first: int  # iteration
    last: int
    gain: float  # what the line gains from first to last, unit of the series
    error: float  # standard error of `gain`

    @property
    def per_thousand(self) -> float:
        """Gain in a thousand iterations; 0 where there is no length."""
        return 1000 * self.gain / (self.last - self.first) if self.last > self.first else 0.0


def trend(series: Series, every: int = 1) -> Trend | None:
    """Least squares through the finite values, of which each `every`-th is taken: those of a running median are not independent.

    None for fewer than three values.
    """
    known = np.flatnonzero(np.isfinite(series.values))[::every]
    if len(known) < 3:
        return None
    x, y = series.iterations[known].astype(np.float64), series.values[known]
    spread = x - x.mean()
    slope = float(spread @ y / (spread @ spread))
    rest = y - y.mean() - slope * spread
    error = float(np.sqrt(rest @ rest / (len(x) - 2) / (spread @ spread)))
    length = x[-1] - x[0]
    return Trend(int(x[0]), int(x[-1]), float(slope * length), float(error * length))


def smoothed(series: Series) -> Series:
    """The running median over single views, dB. An L1 loss in decibels, -20·log10, moves as PSNR does where errors keep their
    distribution."""
    values = series.values
    if series.name == "loss/l1":
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(values > 0, -20 * np.log10(values), np.nan)
    return Series(series.name, series.iterations, running_median(values, VIEWS), "dB", series.source)


def is_smoothed(series: Series) -> bool:
    """Whether a course is a running median over single views, so that a sudden change is spread over `VIEWS` values."""
    return series.name not in FIXED_SETS


def jumps(values: F64) -> F64:
    """float64 [T-2]: how far each value lies from the middle of its two neighbours; a straight course has none."""
    return np.abs(values[1:-1] - (values[:-2] + values[2:]) / 2) if len(values) > 2 else np.zeros(0)


def repeats(values: F64, digits: int = 6) -> float:
    """0..1, the share of the values that are the one before to so many significant digits; NaN for fewer than two."""
    if len(values) < 2:
        return float("nan")
    with np.errstate(invalid="ignore"):
        same = np.abs(np.diff(values)) <= 0.5 * 10.0**-digits * np.abs(values[1:])
    return float(np.mean(same))

"""Axes of a plot: round ticks on a linear or logarithmic scale, and positions between 0 and 1."""

import math
from dataclasses import dataclass

import numpy as np

from diagnostics.report.wording import number
from runs.arrays import F64

TINY = 1e-290  # below it floats lose digits


@dataclass(frozen=True)
class Axis:
    """One axis from `low` to `high`, with low < high; a logarithmic axis has low > 0."""

    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies: 0 at `low`, 1 at `high`; outside values lie outside 0..1."""
        return float(self.places(np.array([value]))[0])

    def places(self, values: F64) -> F64:
        """The same for many values; NaN stays NaN."""
        if self.log:
            return (np.log(values) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (values - self.low) / (self.high - self.low)

    def labels(self) -> tuple[str, ...]:
        return tuple(number(tick) for tick in self.ticks)


def linear_axis(low: float, high: float, most: int = 6) -> Axis:
    """Ticks at 1, 2 or 5 × 10ⁿ, about `most` of them; the ends go out to the next tick."""
    size = max(abs(low), abs(high))
    if high - low < max(1e-9 * size, TINY):  # no digits are left to tell ticks apart
        middle, half = (low + high) / 2, (size if size > TINY else 1.0) / 2
        low, high = middle - half, middle + half
    step = _round_step((high - low) / most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(float(f"{index * step:.12g}") for index in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks)


def iteration_axis(first: int, last: int, most: int = 8) -> Axis:
    """From the first to the last iteration, with ticks at round whole numbers between them."""
    if first >= last:
        first, last = max(0, first - 1), first + 1
    step = max(1, round(_round_step((last - first) / most)))
    return Axis(first, last, tuple(float(tick) for tick in range(-(-first // step) * step, last + 1, step)))


def log_axis(low: float, high: float) -> Axis:
    """Ticks at powers of ten, thinned to at most six; both ends must be positive."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    last = max(last, first + 1)
    stride = math.ceil((last - first) / 5)
    return Axis(10.0**first, 10.0**last, tuple(10.0**power for power in range(first, last + 1, stride)), log=True)


def _round_step(rough: float) -> float:
    """The smallest of 1, 2, 5 × 10ⁿ that is not below `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))

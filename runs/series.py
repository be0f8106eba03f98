"""One value per iteration: canonical name, unit and where it came from."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64, I64


@dataclass(frozen=True, eq=False)
class Series:
    """Values logged at increasing iterations. Non-finite values are kept: they are evidence."""

    name: str  # canonical: "loss/l1", "loss/total", "test/psnr", "train/psnr", "num_gaussians", …
    iterations: I64  # int64 [T], strictly increasing
    values: F64  # float64 [T]
    unit: str  # "", "dB", "count", "MB", "ms", "world units"
    source: str  # file name relative to the run
    labels: tuple[str, ...] = ()  # for a categorical series: values are indices into labels

    def __len__(self) -> int:
        return len(self.iterations)

    def between(self, first: int, last: int) -> "Series":
        """The part with first <= iteration <= last."""
        inside = slice(*np.searchsorted(self.iterations, [first, last + 1]))
        return Series(self.name, self.iterations[inside], self.values[inside], self.unit, self.source, self.labels)

    def at(self, iteration: int) -> float | None:
        """The value logged exactly at `iteration`, or None."""
        index = int(np.searchsorted(self.iterations, iteration))
        found = index < len(self) and self.iterations[index] == iteration
        return float(self.values[index]) if found else None

"""The mapping between iterations and pixels that the timeline is drawn and dragged with."""

import math
from dataclasses import dataclass

from runs.run import Run


@dataclass(frozen=True)
class IterationAxis:
    """Iterations `first`..`last` over the pixels `left`..`right`."""

    first: int
    last: int
    left: float  # px
    right: float  # px

    def x(self, iteration: float) -> float:
        """Pixel of an iteration."""
        return self.left + (iteration - self.first) / max(self.last - self.first, 1) * (self.right - self.left)

    def iteration(self, x: float) -> int:
        """Iteration under a pixel, held inside the axis."""
        share = (x - self.left) / max(self.right - self.left, 1.0)
        return round(self.first + min(max(share, 0.0), 1.0) * (self.last - self.first))

    def ticks(self, spacing_px: float) -> tuple[int, ...]:
        """Round iterations at least `spacing_px` apart."""
        most = max((self.right - self.left) / spacing_px, 1.0)
        raw = max((self.last - self.first) / most, 1.0)
        power = 10 ** math.floor(math.log10(raw))
        step = max(round(next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)), 1)
        return tuple(range(math.ceil(self.first / step) * step, self.last + 1, step))


def extent(run: Run) -> tuple[int, int]:
    """From 0 to the last iteration that the run saved or logged anything at."""
    logged = [int(series.iterations[-1]) for series in run.series.values() if len(series)]
    return 0, max([*run.iterations, *(state.iteration for state in run.state_files), *logged, 1])

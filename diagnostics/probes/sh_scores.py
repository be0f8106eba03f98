"""PSNR of views drawn with fewer degrees of harmonics than were trained, and what a cut degree costs or gains with its noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from runs.arrays import F64

FEWEST_VIEWS = 3  # two differences have a spread, and no confidence


@dataclass(frozen=True, eq=False)
class Scores:
    """PSNR by view and degree."""

    names: tuple[str, ...]  # of the cameras
    psnr_db: F64  # float64 [n, degree + 1], the last column with every degree

    @property
    def degree(self) -> int:
        return int(self.psnr_db.shape[1]) - 1

    def change(self, degree: int) -> F64:
        """float64 [n], dB that each view gains when everything above `degree` is cut."""
        return np.asarray(self.psnr_db[:, degree] - self.psnr_db[:, -1])

    def effect(self, degree: int) -> "Effect":
        return effect_of(self.change(degree))

    @property
    def best_cut(self) -> int:
        """The lower degree at which the views are best on average."""
        return int(np.argmax(self.psnr_db[:, :-1].mean(axis=0)))


@dataclass(frozen=True)
class Effect:
    """A mean difference over views with its standard error, paired view by view."""

    mean_db: float
    error_db: float  # standard error of the mean; NaN of one view
    views: int

    def margin_db(self, surely: float) -> float:
        """How far from the measured mean the true one lies at most, on either side with a confidence of `surely`, if views are
        a sample (Student's t); infinite of one view."""
        return float(stdtrit(self.views - 1, surely)) * self.error_db if self.views > 1 else float("inf")

    def __str__(self) -> str:
        """"+0.42 ± 0.10 dB"."""
        return f"{self.mean_db:+.2f} dB" if np.isnan(self.error_db) else f"{self.mean_db:+.2f} ± {self.error_db:.2f} dB"


def effect_of(changes: Sequence[float] | F64) -> Effect:
    """The mean of dB differences [n], n > 0, and its standard error."""
    values = np.asarray(changes, np.float64)
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return Effect(float(values.mean()), error, len(values))

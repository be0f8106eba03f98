"""How far training cameras spread: the trainers' "cameras extent", and the same without outliers."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64

# Trainers of the INRIA family pad the largest distance by this factor (scene/dataset_readers.py, a fact, not code).
EXTENT_PADDING = 1.1


@dataclass(frozen=True, eq=False)
class CameraSpread:
    """Distances of camera centres, world units."""

    extent: float  # 1.1 × largest distance from the mean centre: what scales the learning rate of the means
    robust_extent: float  # 1.1 × 95th percentile of the distance from the component-wise median centre
    distances: F64  # float64 [C], from the median centre
    median_distance: float

    @property
    def inflation(self) -> float:
        """extent / robust_extent: about 1 in a healthy capture; NaN where all cameras stand on one spot."""
        return self.extent / self.robust_extent if self.robust_extent > 0 else float("nan")

    @property
    def reach(self) -> float:
        """Largest distance over the median distance: below about 2 in a healthy capture."""
        return float(self.distances.max() / self.median_distance) if self.median_distance > 0 else float("nan")


def camera_spread(centres: F64) -> CameraSpread:
    """From camera centres [C, 3], C >= 1, world units.

    The mean is itself dragged by outliers, so the robust twin uses the component-wise median.
    """
    from_mean = np.linalg.norm(centres - centres.mean(axis=0), axis=1)
    distances = np.linalg.norm(centres - np.median(centres, axis=0), axis=1)
    return CameraSpread(
        extent=EXTENT_PADDING * float(from_mean.max()),
        robust_extent=EXTENT_PADDING * float(np.percentile(distances, 95)),
        distances=distances, median_distance=float(np.median(distances)),
    )

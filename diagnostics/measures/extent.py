"""How far training cameras spread: the trainers' "cameras extent", and the same without outliers."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64, Mask

# Trainers of the INRIA family pad the largest distance by this factor (a fact of their data readers).
EXTENT_PADDING = 1.1
# Times the median distance: largest over median is below about 2 on healthy orbits and walks (failures N-01).
FAR = 5.0


@dataclass(frozen=True, eq=False)
class CameraSpread:
    """Distances of camera centres, world units."""

    extent: float  # 1.1 × largest distance from the mean centre: what scales the learning rate of the means
    robust_extent: float  # the same without the far cameras
    distances: F64  # float64 [C], from the component-wise median centre: the mean is dragged by outliers
    median_distance: float

    @property
    def far(self) -> Mask:
        """bool [C], cameras farther than five times the median distance."""
        return np.asarray(self.distances > FAR * self.median_distance)

    @property
    def inflation(self) -> float:
        """extent / robust_extent: 1 in a healthy capture; NaN where all cameras stand on one spot."""
        return self.extent / self.robust_extent if self.robust_extent > 0 else float("nan")

    @property
    def reach(self) -> float:
        """Largest distance over the median distance; NaN where all cameras stand on one spot."""
        return float(self.distances.max() / self.median_distance) if self.median_distance > 0 else float("nan")


def camera_spread(centres: F64) -> CameraSpread:
    """From camera centres [C, 3], C >= 1, world units."""
    distances = np.linalg.norm(centres - np.median(centres, axis=0), axis=1)
    median = float(np.median(distances))
    return CameraSpread(_extent(centres), _extent(centres[distances <= FAR * median]), distances, median)


def _extent(centres: F64) -> float:
    return EXTENT_PADDING * float(np.linalg.norm(centres - centres.mean(axis=0), axis=1).max())

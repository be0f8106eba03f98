"""Facts about numbers: how far from the origin the world lies, and what a step of single precision is worth there."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from diagnostics.facts import saved, taken  # noqa: F401  (first_checkpoint, start_points, sfm_points)
from diagnostics.facts.saved import file_of
from diagnostics.measures.shares import quantile
from diagnostics.registry import fact
from runs.arrays import F64
from runs.checkpoints import Checkpoint
from runs.points import PointCloud

ENOUGH_POINTS = 20_000
FEWEST_POINTS = 10


@dataclass(frozen=True)
class Precision:
    """How finely single precision can tell places apart where the cloud lies."""

    offset: tuple[float, float, float]  # of the cloud's middle, world units
    step: float  # between neighbouring numbers of single precision at the largest of them
    spacing: float  # median distance of a point to its nearest neighbour, world units
    source: str

    @property
    def of_spacing(self) -> float:
        """The step over the spacing: 1e-6 in worlds about the origin."""
        return self.step / self.spacing if self.spacing > 0 else float("inf")


@fact(missing="the points that training started from (input.ply, or the COLMAP model with --data), or a saved point cloud")
def precision(
    start_points: PointCloud | None = None, sfm_points: PointCloud | None = None, first_checkpoint: Checkpoint | None = None,
) -> Precision | None:
    """Of the start, else of the first save. Spacings are taken from the COLMAP model where it lies in the same place: input.ply
    and saves have been rounded already."""
    if start_points is None and first_checkpoint is not None:
        start_points = PointCloud(first_checkpoint.gaussians.means.astype(np.float64), None, file_of(first_checkpoint))
    if start_points is None or len(start_points) < FEWEST_POINTS:
        return None
    middle = np.median(start_points.xyz, axis=0)
    if not np.isfinite(middle).all():
        return None
    step = float(np.spacing(np.float32(np.abs(middle).max())))
    there = sfm_points is not None and len(sfm_points) >= FEWEST_POINTS and (
        np.abs(np.median(sfm_points.xyz, axis=0) - middle).max() < 0.1 * np.abs(middle).max())
    finest = sfm_points if there and sfm_points is not None else start_points
    spacing = spacing_of(finest.xyz - middle)
    return Precision((float(middle[0]), float(middle[1]), float(middle[2])), step, spacing, start_points.source)


def spacing_of(xyz: F64) -> float:
    """Of at most 20,000 points; they are held against all."""
    finite = xyz[np.isfinite(xyz).all(axis=1)]
    asked = finite[:: max(1, len(finite) // ENOUGH_POINTS)]
    return quantile(np.asarray(cKDTree(finite).query(asked, k=2)[0])[:, 1], 0.5)

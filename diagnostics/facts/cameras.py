"""Facts about cameras: which ones trained, how they spread, and what of the initial cloud they see."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import taken  # noqa: F401  (start_points)
from diagnostics.measures.extent import CameraSpread, camera_spread
from diagnostics.measures.frusta import seen_by
from diagnostics.registry import fact
from runs.arrays import F64, I64
from runs.cameras import Camera
from runs.points import PointCloud
from runs.run import Run

CAMERAS = "the cameras (cameras.json, or the COLMAP model with --data)"
# Shares of a cloud are known to a per mille from so many points; more would only cost time.
ENOUGH_POINTS = 20_000


@fact(missing=CAMERAS)
def cameras(run: Run) -> tuple[Camera, ...] | None:
    """Every camera of the run; at least one."""
    return run.cameras or None


@fact(missing=CAMERAS)
def train_cameras(cameras: tuple[Camera, ...]) -> tuple[Camera, ...] | None:
    """Those that trained; all of them where the run does not tell which were held out."""
    return tuple(camera for camera in cameras if camera.split != "test") or None


@fact(missing=CAMERAS)
def cameras_spread(train_cameras: tuple[Camera, ...]) -> CameraSpread:
    """Of the training cameras: trainers take the extent from these alone."""
    return camera_spread(np.stack([camera.centre for camera in train_cameras]))


@dataclass(frozen=True, eq=False)
class Visibility:
    """How the training cameras see the cloud that the Gaussians started from."""

    points: F64  # float64 [n, 3], a sample of the cloud
    views: I64  # int64 [n], training pictures in which the point lies
    cameras: int
    source: str


@fact(missing="the points that training started from (input.ply, or the COLMAP model with --data)")
def initial_visibility(start_points: PointCloud, train_cameras: tuple[Camera, ...]) -> Visibility:
    """In how many training pictures each initial point lies, occlusion not asked."""
    step = max(1, len(start_points) // ENOUGH_POINTS)
    points = start_points.xyz[::step]
    return Visibility(points, seen_by(points, train_cameras), len(train_cameras), start_points.source)

"""Facts about a cloud that keypoints refute: points placed anew by the cameras alone, against where the cloud has them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import cameras as camera_facts  # noqa: F401  (cameras)
from diagnostics.facts.frames import CloudFrame, cloud_frame_between
from diagnostics.facts.registration import PINHOLE, Reprojection, shared_cameras
from diagnostics.measures.frusta import project
from diagnostics.measures.shares import quantile
from diagnostics.measures.triangulation import rays_through, triangulated
from diagnostics.registry import fact
from runs.arrays import F64, I64
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel, Observations

ENOUGH_POINTS = 1_500
AGREE = 1.4  # times the error that the model records, or would have: 0.9-1.0 under sound cameras, 1.9-60 under wrong ones
LEAST_MISSED = 5.0  # times it: below it there is nothing to explain


@dataclass(frozen=True)
class Resected:
    """Cameras that agree with each other, and a cloud that stands elsewhere than where they see its points."""

    frame: CloudFrame
    missed_px: float  # median distance between keypoints and the cloud's points, as it is
    agreed_px: float  # the same for the points placed anew


@fact(missing="the COLMAP model's keypoints, of pinhole cameras, at least three for each of a few points (--data)")
def resected(
    cameras: tuple[Camera, ...], colmap_model: ColmapModel, reprojection: Reprojection, beat: Callable[[], None],
) -> Resected | None:
    """None where the cloud fits the keypoints, where the cameras do not agree with each other, or no one move explains it."""
    points, seen = colmap_model.points, colmap_model.observations
    missed = quantile(np.array([*reprojection.median_px.values()]), 0.5)
    if points is None or seen is None or not missed > LEAST_MISSED * (reprojection.stored_px or 1.0):
        return None
    step = max(1, len(points) // ENOUGH_POINTS)
    marked = [_Marked(camera, *found) for camera, theirs in shared_cameras(cameras, colmap_model.cameras)
              if colmap_model.camera_models.get(theirs.name, "PINHOLE") in PINHOLE
              and (found := _keypoints(seen, theirs, camera, step)) is not None]
    beat()
    if not marked:
        return None
    chosen = points.xyz[::step]
    placed = triangulated(
        np.concatenate([np.broadcast_to(one.camera.centre, (len(one.point), 3)) for one in marked]),
        np.concatenate([rays_through(one.camera, one.xy_px) for one in marked]),
        np.concatenate([one.point for one in marked]), len(chosen))
    agreed = quantile(np.concatenate([one.misses(placed) for one in marked]), 0.5)
    known = np.isfinite(placed).all(axis=1)
    frame = cloud_frame_between(placed[known], chosen[known], points.source)
    if frame is None or not agreed < AGREE * (reprojection.stored_px or 1.0):
        return None
    if reprojection.is_lens and quantile(np.array([*reprojection.refitted_px.values()]), 0.5) < agreed:
        return None  # seen through another lens the cloud fits as it is, and better
    return Resected(frame, missed, agreed)


@dataclass(frozen=True, eq=False)
class _Marked:
    """Keypoints of one photo, in pixels of the run's camera, and the chosen points they belong to."""

    camera: Camera
    xy_px: F64  # float64 [n, 2]
    point: I64  # int64 [n], rows of the chosen points

    def misses(self, placed: F64) -> F64:
        """float64 [n], pixels."""
        drawn = project(placed[self.point], self.camera)
        return np.asarray(np.hypot(drawn.x_px - self.xy_px[:, 0], drawn.y_px - self.xy_px[:, 1]))


def _keypoints(seen: Observations, theirs: Camera, mine: Camera, step: int) -> tuple[F64, I64] | None:
    """Of every `step`th point; None where the photo shows none of them."""
    if theirs.name not in seen.image_names:
        return None
    rows = np.flatnonzero((seen.image_index == seen.image_names.index(theirs.name)) & (seen.point_index % step == 0))
    scale = np.array(mine.size_px) / theirs.size_px
    return (seen.xy_px[rows] * scale, seen.point_index[rows] // step) if len(rows) else None

"""Facts about frames: how the run's world, its camera axes and its start cloud lie against the COLMAP model's."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import taken  # noqa: F401  (input_points, sfm_points)
from diagnostics.facts.registration import MODEL, shared_cameras, to_run
from diagnostics.measures.alignment import Similarity, fit_similarity, rotation_angle_deg
from diagnostics.registry import fact
from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.colmap import ColmapModel
from runs.points import PointCloud

# What conventions do to a camera's own axes (x right, y down, z forward in COLMAP), as the diagonal of a matrix.
CAMERA_AXES: Mapping[str, tuple[float, float, float]] = {
    "y and z of every camera flipped (OpenGL against OpenCV axes)": (1.0, -1.0, -1.0),
    "x and y of every camera flipped (pictures upside down)": (-1.0, -1.0, 1.0),
    "x and z of every camera flipped": (-1.0, 1.0, -1.0),
    "y of every camera flipped (mirrored)": (1.0, -1.0, 1.0),
    "x of every camera flipped (mirrored)": (-1.0, 1.0, 1.0),
    "z of every camera flipped (mirrored)": (1.0, 1.0, -1.0),
}
SAME_CLOUD = 0.01  # of the cloud's own spread: rounding and single precision stay far below it


@fact(missing=MODEL)
def model_world(cameras: tuple[Camera, ...], colmap_model: ColmapModel) -> Similarity | None:
    """From the model's world to the run's, which may be a moved, turned and scaled copy; None where no camera is in both."""
    pairs = shared_cameras(cameras, colmap_model.cameras)
    return to_run(pairs) if pairs else None


@fact(missing=MODEL)
def camera_flips(
    cameras: tuple[Camera, ...], colmap_model: ColmapModel, model_world: Similarity,
) -> Mapping[str, float]:
    """Degrees between the run's cameras and the model's under each flip of camera axes, "" for none; median over cameras."""
    pairs = shared_cameras(cameras, colmap_model.cameras)
    return {name: float(np.median([_apart(mine, theirs, model_world, np.diag(axes)) for mine, theirs in pairs]))
            for name, axes in {"": (1.0, 1.0, 1.0), **CAMERA_AXES}.items()}


@dataclass(frozen=True, eq=False)
class CloudFrame:
    """How the start cloud lies against the same points of the COLMAP model, as the cameras see them both."""

    scale: float  # 1 where both are in one frame
    angle_deg: float
    shift: float  # of the cloud's middle, in parts of the spread of the model's points
    source: str


@fact(missing="the points that training started from (input.ply), made from those of a COLMAP model that is at hand (--data)")
def cloud_frame(input_points: PointCloud, sfm_points: PointCloud, model_world: Similarity) -> CloudFrame | None:
    """None where the two hold different points: a start cloud need not come from this model."""
    theirs = model_world.apply(sfm_points.xyz)
    if input_points.xyz.shape != theirs.shape or len(theirs) < 3:
        return None
    spread = float(np.median(np.linalg.norm(theirs - np.median(theirs, axis=0), axis=1)))
    try:
        found = fit_similarity(theirs, input_points.xyz)
    except (ValueError, np.linalg.LinAlgError):
        return None
    left = np.linalg.norm(found.apply(theirs) - input_points.xyz, axis=1)
    if not (spread > 0 and found.scale > 0 and np.median(left) < SAME_CLOUD * spread * found.scale):
        return None
    moved = np.linalg.norm(np.median(input_points.xyz, axis=0) - found.scale * np.median(theirs, axis=0))
    return CloudFrame(found.scale, rotation_angle_deg(found.rotation, np.eye(3)), float(moved) / spread, input_points.source)


def flipped(camera_axes: tuple[float, float, float], world_from_camera: F64) -> F64:
    """float64 [4, 4]: the pose with the camera's own axes flipped."""
    pose = world_from_camera.copy()
    pose[:3, :3] = pose[:3, :3] @ np.diag(camera_axes)
    return pose


def _apart(mine: Camera, theirs: Camera, world: Similarity, axes: F64) -> float:
    found = mine.world_from_camera[:3, :3] @ axes
    return rotation_angle_deg(np.asarray(found), world.rotation @ theirs.world_from_camera[:3, :3])

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
from runs.formats.cameras.colmap import ColmapModel
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
INVERTED = "world-to-camera and camera-to-world matrices exchanged"
STRETCHED, MOVED, TURNED_DEG = 0.05, 0.1, 5.0
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
    """Degrees between the run's cameras and the model's under each usual mistake, "" for none; median over cameras."""
    pairs = shared_cameras(cameras, colmap_model.cameras)
    found = {name: float(np.median([_apart(mine, theirs, model_world, np.diag(axes)) for mine, theirs in pairs]))
             for name, axes in {"": (1.0, 1.0, 1.0), **CAMERA_AXES}.items()}
    upside = [rotation_angle_deg(mine.camera_from_world[:3, :3], theirs.world_from_camera[:3, :3]) for mine, theirs in pairs]
    return found | {INVERTED: float(np.median(upside))}


@dataclass(frozen=True, eq=False)
class CloudFrame:
    """How a cloud lies against where its points should be."""

    scale: float  # 1 where both are in one frame
    angle_deg: float
    shift: float  # of the cloud's middle, in parts of the spread of where it should be
    source: str

    def differs(self, stretched: float = STRETCHED, moved: float = MOVED, turned_deg: float = TURNED_DEG) -> bool:
        """By its size (natural logarithm), by its place, or by its axes."""
        return abs(float(np.log(self.scale))) > stretched or self.shift > moved or self.angle_deg > turned_deg


@fact(missing="the points that training started from (input.ply), made from those of a COLMAP model that is at hand (--data)")
def cloud_frame(input_points: PointCloud, sfm_points: PointCloud, model_world: Similarity) -> CloudFrame | None:
    """None where the two hold different points: a start cloud need not come from this model."""
    return cloud_frame_between(model_world.apply(sfm_points.xyz), input_points.xyz, input_points.source)


def cloud_frame_between(wanted: F64, found: F64, source: str) -> CloudFrame | None:
    """From places [N, 3] where points should be to those [N, 3] where they are; None where no similarity explains it."""
    if wanted.shape != found.shape or len(wanted) < 3:
        return None
    middle, here = np.median(wanted, axis=0), np.median(found, axis=0)
    spread = float(np.median(np.linalg.norm(wanted - middle, axis=1)))
    try:  # about the middles: far from the origin a least-squares scale would move the cloud by metres
        fitted = fit_similarity(wanted - middle, found - here)
    except (ValueError, np.linalg.LinAlgError):
        return None
    left = np.linalg.norm(fitted.apply(wanted - middle) - (found - here), axis=1)
    if not (spread > 0 and fitted.scale > 0 and np.median(left) < SAME_CLOUD * spread * fitted.scale):
        return None
    away = float(np.linalg.norm(here - middle)) / spread
    return CloudFrame(fitted.scale, rotation_angle_deg(fitted.rotation, np.eye(3)), away, source)


def flipped(camera_axes: tuple[float, float, float], world_from_camera: F64) -> F64:
    """float64 [4, 4]: the pose with the camera's own axes flipped."""
    pose = world_from_camera.copy()
    pose[:3, :3] = pose[:3, :3] @ np.diag(camera_axes)
    return pose


def _apart(mine: Camera, theirs: Camera, world: Similarity, axes: F64) -> float:
    found = mine.world_from_camera[:3, :3] @ axes
    return rotation_angle_deg(np.asarray(found), world.rotation @ theirs.world_from_camera[:3, :3])

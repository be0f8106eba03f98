"""Where the cameras of a gsplat run stand: none are stored, so they are those of the COLMAP model, moved as training moved them.

gsplat's trainer brings every scene to one position, turn and size before it trains (`normalize_world_space`) and stores
nothing about it. The movement follows from the model alone but for the signs of three axes, which depend on the version
and on the linear algebra library; the saved Gaussians, which grew from the model's points, tell them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.ply.columns import SH_C0
from runs.gaussians import Gaussians
from runs.points import PointCloud

MOST_POINTS, MOST_GAUSSIANS = 4_000, 40_000  # that are compared
CLEARLY = 0.8  # a turn is told where it fits at least this much better than every other
FAR = 0.25  # of the scene's size: Gaussians that lie so far from every point did not grow from them
RAW = "as in the COLMAP model"


@dataclass(frozen=True, eq=False)
class World:
    """A similarity from the COLMAP model's world to that of the run."""

    matrix: F64  # float64 [4, 4]: scale x rotation, and translation

    @classmethod
    def of_model(cls) -> "World":
        """Where nothing was moved."""
        return cls(np.eye(4))

    def points(self, cloud: PointCloud) -> PointCloud:
        return replace(cloud, xyz=_moved(self.matrix, cloud.xyz))

    def camera(self, camera: Camera) -> Camera:
        pose = self.matrix @ camera.world_from_camera
        pose[:3, :3] /= np.cbrt(np.linalg.det(self.matrix[:3, :3]))
        return replace(camera, world_from_camera=pose)


def find_world(
    cameras: Sequence[Camera], points: PointCloud, gaussians: Gaussians, *, normalised: bool,
) -> World | None:
    """The world in which the Gaussians lie best on the points of the model; None where none fits clearly.

    `normalised`: the run says that it moved the scene; else it may have left it where it was.
    """
    candidates = normalisations(cameras, points.xyz)
    if not normalised:
        candidates = {RAW: np.eye(4), **candidates}
    fits = sorted((misfit(matrix, points, gaussians), name) for name, matrix in candidates.items())
    (best, name), (second, _) = fits[:2]
    return World(candidates[name]) if best < CLEARLY * second and best < FAR else None


def normalisations(cameras: Sequence[Camera], xyz: F64) -> dict[str, F64]:
    """The four movements that gsplat's normalisation may have been, by the axes that are turned.

    Cameras are turned until their mean up direction is -y, their focus is moved to the origin and their median distance
    made 1; then the points' median becomes the origin and their principal axes x, y, z in order of falling variance
    (gsplat `examples/datasets/normalize.py`). Newer versions turn a scene upside down about x.
    """
    upright = _upright(np.stack([camera.world_from_camera for camera in cameras]))
    along_axes = _principal_axes(_moved(upright, xyz))
    turns = {"x": (1, -1, -1), "y": (-1, 1, -1), "z": (-1, -1, 1)}
    matrices = {name: np.diag([*signs, 1.0]) @ along_axes @ upright for name, signs in turns.items()}
    return {"none": along_axes @ upright, **matrices}


def _upright(poses: F64) -> F64:
    """From the cameras [C, 4, 4] alone."""
    up = -poses[:, :3, 1].mean(axis=0)
    matrix = np.eye(4)
    matrix[:3, :3] = _rotation_between(up / np.linalg.norm(up), np.array([0.0, -1.0, 0.0]))
    centres = _moved(matrix, poses[:, :3, 3])
    forward = poses[:, :3, 2] @ matrix[:3, :3].T
    nearest_origin = centres - (centres * forward).sum(axis=1, keepdims=True) * forward
    matrix[:3, 3] = -np.median(nearest_origin, axis=0)
    distance = np.median(np.linalg.norm(centres + matrix[:3, 3], axis=1))
    matrix[:3] /= distance
    return matrix


def _rotation_between(start: F64, end: F64) -> F64:
    """The smallest turn of one unit vector onto another; half a turn about z from +y to -y."""
    cosine, axis = float(start @ end), np.cross(start, end)
    if cosine <= -1:
        return np.diag([-1.0, -1.0, 1.0])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + cosine), np.float64)


def _principal_axes(xyz: F64) -> F64:
    middle = np.median(xyz, axis=0)
    axes = np.linalg.eigh(np.cov(xyz - middle, rowvar=False))[1][:, ::-1].T
    axes[0] *= np.sign(np.linalg.det(axes))
    matrix = np.eye(4)
    matrix[:3, :3] = axes
    matrix[:3, 3] = -axes @ middle
    return matrix


def misfit(matrix: F64, points: PointCloud, gaussians: Gaussians) -> float:
    """How far the points lie from the nearest Gaussian, in parts of the scene's size, plus how far its colour is off (0..1)."""
    every = max(1, gaussians.count // MOST_GAUSSIANS)
    means = gaussians.means[::every].astype(np.float64)
    known = np.isfinite(means).all(axis=1)
    if not known.any():
        return np.inf
    means, chosen = means[known], slice(None, None, max(1, len(points) // MOST_POINTS))
    size = float(np.median(np.linalg.norm(means - np.median(means, axis=0), axis=1)))
    distances, nearest = cKDTree(means).query(_moved(matrix, points.xyz[chosen]))
    off = float(np.median(distances)) / max(size, 1e-12)
    if points.rgb is None:
        return off
    colours = np.clip(0.5 + SH_C0 * gaussians.sh0[::every][known][nearest], 0, 1)
    return off + float(np.nanmedian(np.abs(colours - points.rgb[chosen] / 255)))


def _moved(matrix: F64, xyz: F64) -> F64:
    return np.asarray(xyz @ matrix[:3, :3].T + matrix[:3, 3], np.float64)

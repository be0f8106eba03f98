"""Where the cameras of a nerfstudio run stand: those of its data set, moved as `dataparser_transforms.json` says.

The file maps the world before any conversion (COLMAP's): p_model = scale (T p + t). A `transforms.json`
holds poses that a converter turned already (`applied_transform`), which is undone first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F64
from runs.cameras import Camera
from runs.errors import UnreadableFile
from runs.formats.cameras.dataset import UNSTORED_TURN
from runs.formats.cameras.rotations import is_rotation
from runs.formats.small_files import MIB, as_number, read_json
from runs.points import PointCloud
from runs.settings import Settings
from runs.trainers.nerfstudio.settings import PARSER

TRANSFORMS = "dataparser_transforms.json"
TOLERANCE = 2e-3  # of the scene's size: the trainer computes in float32, and data sets store few decimals


@dataclass(frozen=True, eq=False)
class Movement:
    """From a data set's world to the run's: p' = scale (rotation p + shift)."""

    rotation: F64  # float64 [3, 3]
    shift: F64  # float64 [3]
    scale: float

    def points(self, xyz: F64) -> F64:
        return np.asarray(self.scale * (xyz @ self.rotation.T + self.shift), np.float64)

    def camera(self, camera: Camera) -> Camera:
        pose = np.eye(4)
        pose[:3, :3] = self.rotation @ camera.world_from_camera[:3, :3]
        pose[:3, 3] = self.points(camera.world_from_camera[:3, 3])
        return replace(camera, world_from_camera=pose)

    def cloud(self, cloud: PointCloud) -> PointCloud:
        return replace(cloud, xyz=self.points(cloud.xyz))

    def after(self, converted: F64) -> "Movement":
        """The movement of a world that `converted` [4, 4] made of the original one; its scale counts for positions alone,
        as in nerfstudio_dataparser.py."""
        size = float(np.cbrt(np.linalg.det(converted[:3, :3])))
        undone = np.linalg.inv(np.vstack([converted[:3] / size, [0, 0, 0, 1]]))
        return Movement(
            self.rotation @ undone[:3, :3], self.rotation @ undone[:3, 3] + self.shift, self.scale / size,
        )


def read_movement(path: Path) -> Movement:
    """From the world before any conversion. Raises UnreadableFile."""
    stored = read_json(path, MIB)
    scale = as_number(stored.get("scale")) if isinstance(stored, dict) else None
    try:
        matrix = np.array(stored["transform"], np.float64)[:3] if scale else np.empty(0)
    except (KeyError, ValueError, TypeError, OverflowError, IndexError):
        matrix = np.empty(0)
    sound = scale is not None and matrix.shape == (3, 4) and np.isfinite([scale, *matrix.ravel()]).all() and scale > 0
    if not sound or scale is None or not is_rotation(matrix[:, :3]):
        raise UnreadableFile(f"this file holds no rotation, shift and scale; {FOREIGN}", path)
    return Movement(matrix[:, :3], matrix[:, 3], scale)


def movements(original: Movement, converted: F64) -> Iterator[Movement]:
    """What may have moved a `transforms.json`: as stored there, else as versions took it where it was not stored."""
    usable = (matrix for matrix in (converted, np.eye(4), UNSTORED_TURN) if np.linalg.det(matrix[:3, :3]) > 1e-12)
    yield from (original.after(matrix) for matrix in usable)


def fits(cameras: Sequence[Camera], settings: Settings) -> bool:
    """Whether cameras in the run's world lie as the trainer leaves those it trained on: middle at 0, farthest coordinate 1.

    Where the run says that it did neither, or does not say, nothing can be told, and they fit.
    """
    centres = np.stack([camera.centre for camera in cameras])
    largest = float(np.abs(centres).max())
    size = as_number(settings.value(f"{PARSER}scale_factor")) or 1.0
    if settings.value(f"{PARSER}auto_scale_poses") is True and abs(largest - size) > TOLERANCE * size:
        return False
    if settings.value(f"{PARSER}center_method") == "poses":
        return bool(np.abs(centres.mean(axis=0)).max() <= TOLERANCE * max(largest, 1e-12))
    return True

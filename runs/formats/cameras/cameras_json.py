"""`cameras.json` of the INRIA family: pinhole cameras, mostly without principal point, without distortion and split."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F64
from runs.cameras import Camera
from runs.errors import UnreadableFile
from runs.formats.cameras.rotations import is_rotation
from runs.formats.small_files import LARGEST_SIDE_PX, as_number, read_json
from runs.notes import counted


@dataclass(frozen=True, eq=False)
class CameraFile:
    """What one cameras.json holds; the mappings are by camera name and empty but for trainers that write more than INRIA's."""

    cameras: tuple[Camera, ...]  # in file order; INRIA's trainer lists those of the test split first
    notes: tuple[str, ...]  # one sentence per reason for which entries were left out
    exposures: Mapping[str, F64]  # float64 [3, 4]: rgb' = rgb @ E[:, :3] + E[:, 3]
    photo_paths: Mapping[str, str]  # as recorded, mostly of another machine


def read_cameras_json(path: Path) -> tuple[tuple[Camera, ...], tuple[str, ...]]:
    """The cameras in file order, and one sentence per reason for which entries were left out. Raises as `read_camera_file`."""
    file = read_camera_file(path)
    return file.cameras, file.notes


def read_camera_file(path: Path) -> CameraFile:
    """Cameras, and what some trainers store beside them.

    Position and rotation are camera-to-world with OpenCV axes, width and height those of the original photo
    (INRIA `utils/camera_utils.py`). Where an entry has no cx, cy the principal point is the centre, marked as not stored
    (gaussian-splatting-lightning stores it). Unknown keys are ignored. Raises UnreadableFile if the file is no list.
    """
    stored = read_json(path)
    if not isinstance(stored, list):
        raise UnreadableFile(f"this camera file holds no JSON list; {FOREIGN}", path)
    cameras: list[Camera] = []
    kept: list[Mapping[str, Any]] = []
    left_out: dict[str, list[int]] = {}
    for index, entry in enumerate(stored):
        try:
            cameras.append(_camera(entry))
            kept.append(entry)
        except _BadEntry as error:
            left_out.setdefault(str(error), []).append(index)
    named = [(camera.name, entry) for camera, entry in zip(cameras, kept, strict=True)]
    exposures = {name: _matrix(entry.get("exposure")) for name, entry in named}
    return CameraFile(
        tuple(cameras), tuple(_sentence(why, entries) for why, entries in left_out.items()),
        {name: matrix for name, matrix in exposures.items() if matrix is not None},
        {name: photo for name, entry in named if isinstance(photo := entry.get("ground_truth_image_path"), str)},
    )


def _matrix(stored: Any) -> F64 | None:
    try:
        matrix = np.array(stored, np.float64)
    except (ValueError, TypeError, OverflowError):
        return None
    return matrix if matrix.shape == (3, 4) else None


class _BadEntry(Exception):
    """Why one entry is no camera."""


def _sentence(why: str, entries: list[int]) -> str:
    shown = ", ".join(map(str, entries[:5])) + (", …" if len(entries) > 5 else "")
    return f"{counted(len(entries), 'camera')} left out (entry {shown}, counted from 0): {why}; {FOREIGN}"


def _camera(entry: object) -> Camera:
    if not isinstance(entry, dict):
        raise _BadEntry("the entry is no object")
    name = entry.get("img_name")
    if not isinstance(name, str):
        raise _BadEntry("img_name is missing")
    width, height = round(_number(entry, "width", LARGEST_SIDE_PX)), round(_number(entry, "height", LARGEST_SIDE_PX))
    fx, fy = _number(entry, "fx", np.inf), _number(entry, "fy", np.inf)
    cx, cy = _within(entry, "cx", width), _within(entry, "cy", height)
    if cx is None or cy is None:
        return Camera(name, _pose(entry), fx, fy, width / 2, height / 2, (width, height), has_principal_point=False)
    return Camera(name, _pose(entry), fx, fy, cx, cy, (width, height))


def _within(entry: Mapping[str, object], key: str, side_px: int) -> float | None:
    """A coordinate that lies in or near the picture."""
    value = as_number(entry.get(key))
    return value if value is not None and -side_px < value < 2 * side_px else None


def _number(entry: Mapping[str, object], key: str, below: float) -> float:
    value = as_number(entry.get(key))
    if value is None or not 0.5 < value < below:
        raise _BadEntry(f"{key} is missing or no possible number of pixels")
    return value


def _pose(entry: Mapping[str, object]) -> F64:
    """float64 [4, 4] world_from_camera."""
    pose = np.eye(4)
    try:
        pose[:3, :3] = np.array(entry.get("rotation"), np.float64).reshape(3, 3)
        pose[:3, 3] = np.array(entry.get("position"), np.float64).reshape(3)
    except (ValueError, TypeError, OverflowError) as error:
        raise _BadEntry("position or rotation is missing or has the wrong shape") from error
    if not np.isfinite(pose).all():
        raise _BadEntry("position or rotation holds NaN or infinity")
    if not is_rotation(pose[:3, :3]):
        raise _BadEntry("the rotation is not orthonormal and right-handed")
    return pose

"""`transforms*.json` of nerfstudio, instant-ngp and Blender sets: cameras with OpenGL axes and the photos they belong to."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F64
from runs.cameras import Camera, Split
from runs.errors import RunError, UnreadableFile
from runs.formats.cameras.rotations import is_rotation
from runs.formats.small_files import LARGEST_SIDE_PX, as_number, read_json
from runs.names import PHOTO_ENDINGS, NameIndex
from runs.notes import counted
from runs.photos import Photo

# nerfstudio's names of lens models and instant-ngp's, with the distortion in COLMAP's order of that model.
LENSES: Mapping[str, tuple[str, ...]] = {
    "OPENCV": ("k1", "k2", "p1", "p2"), "OPENCV_FISHEYE": ("k1", "k2", "k3", "k4"), "FULL_OPENCV": (
        "k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"), "PINHOLE": (), "SIMPLE_PINHOLE": (), "PERSPECTIVE": (),
}
MOST_FRAMES = 100_000
SHOWN = 5
IMAGE_FOLDER = re.compile(r"(images|input)(_\d+)?")
NO_SIZE = "the file stores no picture size and its photo is not there to tell; name the folder that holds the photos"


@dataclass(frozen=True, eq=False)
class Frame:
    """One view. Paths are where the file says, on this machine; whether anything lies there was not looked at."""

    camera: Camera
    lens: str  # "OPENCV", …
    distortion: tuple[float, ...]  # in COLMAP's order of that lens model; empty where there is none
    photo: Path
    mask: Path | None
    depth: Path | None
    time: float | None  # of a moving scene, 0..1 over its recording


@dataclass(frozen=True, eq=False)
class Transforms:
    """What one file holds."""

    path: Path
    frames: tuple[Frame, ...]  # by photo name
    notes: tuple[str, ...]
    points: Path | None  # a PLY in the same world as the cameras
    applied: F64 | None  # float64 [4, 4], from the world before conversion (COLMAP's) to this file's; None: not stored


def read_transforms(path: Path, split: Split | None = None) -> Transforms:
    """The cameras of one file in OpenCV axes, in the file's own world; those that make no sense are left out and noted.

    `split` is that of all its frames, as with `transforms_test.json`; else its lists of file names tell, if it has any.
    Intrinsics may stand with each frame or once for all; a missing size is read from the photo's header.
    Raises UnreadableFile, or RefusedFile for an impossible size.
    """
    stored = read_json(path)
    frames = stored.get("frames") if isinstance(stored, dict) else None
    if not isinstance(frames, list) or len(frames) > MOST_FRAMES:
        raise UnreadableFile(f"this file holds no list of frames; {FOREIGN}", path)
    reader = _Reader(path.parent, stored)
    found: list[Frame] = []
    left_out: dict[str, list[int]] = {}
    for index, entry in enumerate(frames):
        try:
            found.append(reader.frame(entry))
        except _BadFrame as error:
            left_out.setdefault(str(error), []).append(index)
    placed = _with_splits(found, stored, split)
    return Transforms(
        path, tuple(sorted(placed, key=lambda frame: frame.camera.name)),
        tuple(_sentence(why, indices) for why, indices in left_out.items()),
        _file(path.parent, stored.get("ply_file_path")), _applied(stored),
    )


class _BadFrame(Exception):
    """Why one frame is no camera."""


def _sentence(why: str, indices: list[int]) -> str:
    shown = ", ".join(map(str, indices[:SHOWN])) + (", …" if len(indices) > SHOWN else "")
    return f"{counted(len(indices), 'frame')} left out (frame {shown}, counted from 0): {why}"


@dataclass(frozen=True)
class _Reader:
    """Reads frames of one file; values that a frame lacks stand at the file's top level."""

    folder: Path
    top: Mapping[str, Any]
    _sizes: dict[Path, tuple[int, int]] = field(default_factory=dict)  # of photo folders: all their photos are taken to be alike
    _endings: dict[Path, str] = field(default_factory=dict)  # by folder, where names are stored without

    def frame(self, entry: Any) -> Frame:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("file_path"), str):
            raise _BadFrame(f"it names no photo; {FOREIGN}")
        values = _Values({**self.top, **entry})
        photo = self._photo(entry["file_path"])
        width, height = size_px = values.size or self._size_of(photo)
        fx = values.focal("fl_x", "camera_angle_x", width)
        fy = values.focal("fl_y", "camera_angle_y", height) or fx
        fx = fx or fy
        if fx is None or fy is None:
            raise _BadFrame(f"it has no focal length; {FOREIGN}")
        cx, cy = values.number("cx"), values.number("cy")
        camera = Camera(
            photo_name(entry["file_path"], photo.suffix), _pose(entry.get("transform_matrix")), fx, fy,
            width / 2 if cx is None else cx, height / 2 if cy is None else cy, size_px,
            has_principal_point=cx is not None and cy is not None,
        )
        return Frame(
            camera, values.lens, values.distortion, photo, _file(self.folder, entry.get("mask_path")),
            _file(self.folder, entry.get("depth_file_path")), values.number("time"),
        )

    def _photo(self, stored: str) -> Path:
        """Blender sets leave the ending out."""
        path = here(self.folder, stored)
        if not path.name:
            raise _BadFrame(f"it names no photo; {FOREIGN}")
        if path.suffix.lower() in PHOTO_ENDINGS:
            return path
        if path.parent not in self._endings:
            there = (ending for ending in sorted(PHOTO_ENDINGS) if _is_file(path.with_name(path.name + ending)))
            self._endings[path.parent] = next(there, ".png")
        return path.with_name(path.name + self._endings[path.parent])

    def _size_of(self, photo: Path) -> tuple[int, int]:
        if photo.parent not in self._sizes:
            try:
                if not _is_file(photo):
                    raise _BadFrame(NO_SIZE)
                self._sizes[photo.parent] = Photo(photo.name, photo).size_px
            except RunError as error:
                raise _BadFrame(NO_SIZE) from error
        return self._sizes[photo.parent]


@dataclass(frozen=True)
class _Values:
    """The numbers of one frame."""

    stored: Mapping[str, Any]

    def number(self, key: str) -> float | None:
        value = as_number(self.stored.get(key))
        return value if value is not None and np.isfinite(value) else None

    @property
    def size(self) -> tuple[int, int] | None:
        width, height = self.number("w"), self.number("h")
        if width is None or height is None:
            return None
        if not 1 <= min(width, height) <= max(width, height) < LARGEST_SIDE_PX:
            raise _BadFrame(f"its picture has an impossible size; {FOREIGN}")
        return round(width), round(height)

    def focal(self, length: str, angle: str, side_px: int) -> float | None:
        """Pixels, as stored or from the field of view in radians."""
        stored, opening = self.number(length), self.number(angle)
        if stored is None and opening is not None and 0 < opening < np.pi:
            stored = side_px / 2 / float(np.tan(opening / 2))
        return stored if stored is not None and stored > 0 else None

    @property
    def lens(self) -> str:
        """instant-ngp names no model: distortion tells, and a flag for fisheyes."""
        if self.stored.get("is_fisheye") is True:
            return "OPENCV_FISHEYE"
        named = self.stored.get("camera_model")
        if isinstance(named, str):
            if named not in LENSES:
                raise _BadFrame(f"its lens model {named[:40]} is no perspective one; undistort the photos")
            return named
        return "OPENCV" if any(self.number(key) for key in ("k1", "k2", "p1", "p2")) else "PINHOLE"

    @property
    def distortion(self) -> tuple[float, ...]:
        values = tuple(self.number(key) or 0.0 for key in LENSES[self.lens])
        return values if any(values) else ()


def _pose(stored: Any) -> F64:
    """float64 [4, 4], OpenCV camera-to-world, of a stored OpenGL camera-to-world (x right, y up, z backward)."""
    try:
        matrix = np.array(stored, np.float64)[:3]
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        raise _BadFrame(f"its transform_matrix is missing or no matrix; {FOREIGN}") from error
    if matrix.shape != (3, 4) or not np.isfinite(matrix).all() or not is_rotation(matrix[:, :3]):
        raise _BadFrame(f"its transform_matrix is no rotation and position; {FOREIGN}")
    return np.vstack([matrix * [1, -1, -1, 1], [0, 0, 0, 1]])


def _applied(stored: Mapping[str, Any]) -> F64 | None:
    """`applied_transform` (3x4) and `applied_scale` of nerfstudio's converters."""
    try:
        matrix = np.array(stored["applied_transform"], np.float64)[:3]
    except (KeyError, ValueError, TypeError, OverflowError, IndexError):
        return None
    if matrix.shape != (3, 4) or not np.isfinite(matrix).all():
        return None
    scale = as_number(stored.get("applied_scale"))
    return np.vstack([matrix * (scale if scale and np.isfinite(scale) else 1.0), [0, 0, 0, 1]])


def _with_splits(frames: Sequence[Frame], stored: Mapping[str, Any], split: Split | None) -> list[Frame]:
    """What is listed to be trained on is; tests and validation are held out."""
    index = NameIndex(frame.camera.name for frame in frames)
    lists = {key: _names(stored.get(f"{key}_filenames")) for key in ("train", "val", "test")}
    held_out = index.find_all(map(photo_name, (*lists["val"], *lists["test"])))
    trained = index.find_all(map(photo_name, lists["train"]))
    return [_with_split(frame, split or _split(frame.camera.name, trained, held_out)) for frame in frames]


def _names(stored: Any) -> list[str]:
    return [name for name in stored if isinstance(name, str)] if isinstance(stored, list) else []


def _split(name: str, trained: set[str], held_out: set[str]) -> Split | None:
    """nerfstudio's converters list a photo in both where a set is not divided: then it is trained on."""
    return "train" if name in trained else "test" if name in held_out else None


def _with_split(frame: Frame, split: Split | None) -> Frame:
    return replace(frame, camera=replace(frame.camera, split=split))


def photo_name(stored: str, ending: str = "") -> str:
    """A photo's name as COLMAP would have it: below the image folder, whatever machine wrote the path.

    "./images/left/1.jpg" -> "left/1.jpg"; "./train/r_0" -> "train/r_0.png" with `ending` ".png".
    """
    parts = [part for part in pure(stored).parts if part not in ("/", "\\", ".", "..") and ":" not in part]
    inside = next((i + 1 for i, part in enumerate(parts[:-1]) if IMAGE_FOLDER.fullmatch(part)), None)
    if inside is None:
        inside = len(parts) - 1 if pure(stored).is_absolute() else 0
    name = "/".join(parts[inside:])
    return name if PurePosixPath(name).suffix.lower() in PHOTO_ENDINGS else name + ending


def pure(stored: str) -> PurePosixPath | PureWindowsPath:
    """A stored path as its own system reads it (trap T32): with a drive letter or backslashes it is Windows'."""
    windows = re.match(r"[A-Za-z]:[\\/]|\\\\", stored) or ("\\" in stored and "/" not in stored)
    return PureWindowsPath(stored) if windows else PurePosixPath(stored)


def here(folder: Path, stored: str) -> Path:
    """Where a stored path leads on this machine: below `folder`, or as it is where it is absolute."""
    return folder.joinpath(*(part for part in pure(stored).parts if part != "."))


def _file(folder: Path, stored: Any) -> Path | None:
    return here(folder, stored) if isinstance(stored, str) and stored else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False

"""DataSet: what a training started from, whatever tool made it: cameras, points, and where photos and masks lie."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

import numpy as np

from runs.arrays import F64
from runs.cameras import Camera, Split
from runs.errors import UnreadableFile
from runs.formats.cameras.colmap import ColmapModel, find_model, read_model
from runs.formats.cameras.colmap_types import is_distorted
from runs.formats.cameras.split_files import declared_split
from runs.formats.cameras.transforms import Frame, Transforms, read_transforms
from runs.formats.ply import read_points
from runs.points import PointCloud

Kind = Literal["COLMAP", "Blender", "transforms"]

# What trainers of INRIA's family look for, in their order. nerfstudio's order begins with "transforms".
USUAL_ORDER: tuple[Kind, ...] = ("COLMAP", "Blender", "transforms")
# Blender sets have a file per part. "val" is held out too, and stands in for a missing "test".
BLENDER_TRAIN = "transforms_train.json"
BLENDER_TESTS = ("transforms_test.json", "transforms_val.json")
# What nerfstudio's converters did to a COLMAP world before they stored it in the file (nerfstudio_dataparser.py).
UNSTORED_TURN = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])


@dataclass(frozen=True, eq=False)
class DataSet:
    """One data set. Cameras are read; points are read on first use, photos never.

    Mappings are by camera name, the photo's path below its image folder ("left/0001.jpg", "train/r_0.png").
    """

    folder: Path  # the data folder
    kind: Kind
    source: Path  # the file or folder that the cameras came from
    cameras: tuple[Camera, ...]  # by name; OpenCV camera-to-world, in the data set's own world, at the recorded size
    lenses: Mapping[str, str]  # "PINHOLE", "OPENCV", …; the cameras are only the pinhole part of a distorted lens
    distortion: Mapping[str, tuple[float, ...]]  # in COLMAP's order of the lens; () where there is none
    notes: tuple[str, ...] = ()  # reservations, one sentence each
    photo_paths: Mapping[str, Path] = field(default_factory=dict)  # where it says they are; not looked at. {}: it names no place
    mask_paths: Mapping[str, Path] = field(default_factory=dict)  # likewise
    depth_paths: Mapping[str, Path] = field(default_factory=dict)  # likewise
    times: Mapping[str, float] = field(default_factory=dict)  # of a moving scene, 0..1 over its recording
    # float64 [4, 4], from the COLMAP world that it was converted from to its own (a turn, nerfstudio's applied_transform)
    world_from_original: F64 = field(default_factory=lambda: np.eye(4))
    model: ColmapModel | None = None  # where the cameras are those of a COLMAP model
    load_points: Callable[[], PointCloud | None] = field(default=lambda: None, repr=False)

    @cached_property
    def points(self) -> PointCloud | None:
        """In the world of the cameras; None where it has none. Raises UnreadableFile if their file is damaged."""
        return self.load_points()

    @property
    def is_distorted(self) -> bool:
        """Whether any of its lenses shows other pixels than the pinhole camera that stands for it."""
        return any(is_distorted(lens, self.distortion.get(name, ())) for name, lens in self.lenses.items())

    @property
    def declares_split(self) -> bool:
        """Whether it says itself which photos are held out."""
        return any(camera.split for camera in self.cameras)


def read_dataset(folder: Path, order: tuple[Kind, ...] = USUAL_ORDER) -> DataSet | None:
    """The data set in `folder`, as the first kind in `order` that is there; None where there is none.

    Raises UnreadableFile or RefusedFile where its cameras cannot be read.
    """
    readers = {"COLMAP": _colmap, "Blender": _blender, "transforms": _transforms}
    return next((found for kind in order if (found := readers[kind](folder)) is not None), None)


def _colmap(folder: Path) -> DataSet | None:
    place = find_model(folder)
    return None if place is None else dataset_of(read_model(place, folder), folder)


def dataset_of(model: ColmapModel, folder: Path) -> DataSet:
    """A COLMAP model as the data set in `folder`."""
    return DataSet(
        folder, "COLMAP", model.folder, model.cameras, model.camera_models, model.distortion, model.notes,
        model=model, load_points=lambda: model.points,
    )


def _blender(folder: Path) -> DataSet | None:
    train = folder / BLENDER_TRAIN
    if not train.is_file():
        return None
    tests = next((folder / name for name in BLENDER_TESTS if (folder / name).is_file()), None)
    parts = [read_transforms(train, "train"), *([] if tests is None else [read_transforms(tests, "test")])]
    return _of_transforms(folder, "Blender", parts)


def _transforms(folder: Path) -> DataSet | None:
    path = folder / "transforms.json"
    return _of_transforms(folder, "transforms", [read_transforms(path)]) if path.is_file() else None


def _of_transforms(folder: Path, kind: Kind, parts: list[Transforms]) -> DataSet:
    frames = _named_once([frame for part in parts for frame in part.frames])
    split = declared_split((folder,), frames)
    cameras = tuple(_with_split(frames[name].camera, split(name)) for name in sorted(frames))
    first = parts[0]
    return DataSet(
        folder, kind, first.path, cameras, {name: frame.lens for name, frame in frames.items()},
        {name: frame.distortion for name, frame in frames.items()}, tuple(says for part in parts for says in part.notes),
        {name: frame.photo for name, frame in frames.items()},
        {name: frame.mask for name, frame in frames.items() if frame.mask is not None},
        {name: frame.depth for name, frame in frames.items() if frame.depth is not None},
        {name: frame.time for name, frame in frames.items() if frame.time is not None},
        _applied(first, folder), load_points=partial(_points, first.points),
    )


def _named_once(frames: list[Frame]) -> dict[str, Frame]:
    """By name; of frames with one name the first stays, for its photo is the same."""
    found: dict[str, Frame] = {}
    for frame in frames:
        found.setdefault(frame.camera.name, frame)
    return found


def _with_split(camera: Camera, declared: Split | None) -> Camera:
    return camera if camera.split or declared is None else replace(camera, split=declared)


def _applied(stored: Transforms, folder: Path) -> F64:
    """As stored; older files of nerfstudio, which lie beside their COLMAP model, do not store it."""
    if stored.applied is not None:
        return stored.applied
    return UNSTORED_TURN if (folder / "colmap" / "sparse" / "0").is_dir() else np.eye(4)


def _points(path: Path | None) -> PointCloud | None:
    return read_points(path) if path is not None and path.is_file() else None


def is_dataset(folder: Path, order: tuple[Kind, ...] = USUAL_ORDER) -> bool:
    """Whether there are cameras of a data set of these kinds in `folder`, by names alone; never raises."""
    try:
        files = {"Blender": BLENDER_TRAIN, "transforms": "transforms.json"}
        named = any((folder / name).is_file() for kind, name in files.items() if kind in order)
        return named or ("COLMAP" in order and find_model(folder) is not None)
    except (OSError, UnreadableFile):
        return False

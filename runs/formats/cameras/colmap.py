"""A COLMAP model (sparse reconstruction): where it lies, its cameras, points and observations."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from runs.advice import EXPORT_MODEL
from runs.arrays import F64, I64
from runs.cameras import Camera
from runs.errors import UnreadableFile
from runs.formats.cameras import colmap_binary, colmap_text
from runs.formats.cameras.colmap_types import ImagePose, Intrinsics, Keypoints, PointTable, is_distorted
from runs.formats.cameras.split_files import SplitOf, declared_split
from runs.formats.small_files import LARGEST_SIDE_PX
from runs.points import PointCloud

# Where trainers look below the data folder, in this order; the data folder may also be the model itself.
PLACES = ("sparse/0", "sparse", ".", "0", "colmap/sparse/0", "colmap/sparse", "colmap")


@dataclass(frozen=True, eq=False)
class Observations:
    """Which image saw which point where: M keypoints that belong to a 3D point."""

    image_names: tuple[str, ...]
    image_index: I64  # int64 [M], into image_names
    point_index: I64  # int64 [M], rows of the model's points
    xy_px: F64  # float64 [M, 2], in pixels of the camera's size_px


@dataclass(frozen=True, eq=False)
class ColmapModel:
    """Cameras are read; points and observations are read on first use. Mappings are by image name."""

    folder: Path
    cameras: tuple[Camera, ...]  # by name; only the pinhole part where the lens is distorted
    camera_models: Mapping[str, str]  # "PINHOLE", "OPENCV", …
    distortion: Mapping[str, tuple[float, ...]]  # in the lens model's own order; () for pinhole models
    observation_counts: Mapping[str, int]  # keypoints that belong to a 3D point; empty where the model stores none
    notes: tuple[str, ...]
    image_ids: Mapping[str, int]
    load_points: Callable[[], PointTable | None] = field(repr=False)
    load_keypoints: Callable[[], list[tuple[str, Keypoints]]] = field(repr=False)

    @property
    def is_distorted(self) -> bool:
        """Whether a pinhole camera shows other pixels than one of its lenses."""
        return any(is_distorted(self.camera_models[name], self.distortion[name]) for name in self.camera_models)

    @cached_property
    def _table(self) -> PointTable | None:
        return self.load_points()

    @cached_property
    def points(self) -> PointCloud | None:
        """None where the model has no points file. Raises UnreadableFile if it is damaged."""
        table = self._table
        if table is None:
            return None
        source = f"{self.folder.parent.name}/{self.folder.name}/points3D"
        return PointCloud(table.xyz, table.rgb, source, table.error_px, table.track_lengths)

    @cached_property
    def observations(self) -> Observations | None:
        """None where the model stores no points or no keypoints. Raises UnreadableFile if a file is damaged."""
        return None if self._table is None else _observations(self.load_keypoints(), self._table.ids)


class _Format(Protocol):
    """What the binary and the text reader both offer."""

    def read_cameras(self, path: Path) -> dict[int, Intrinsics]: ...
    def count_images(self, path: Path) -> int: ...
    def read_images(self, path: Path) -> list[ImagePose]: ...
    def read_points(self, path: Path) -> PointTable: ...
    def read_keypoints(self, path: Path) -> list[tuple[str, Keypoints]]: ...


def _format(folder: Path) -> tuple[_Format, str] | None:
    """The reader for the files in `folder`, binary first as COLMAP and INRIA do, with their ending."""
    formats: tuple[tuple[_Format, str], ...] = ((colmap_binary, "bin"), (colmap_text, "txt"))
    for reader, ending in formats:
        if all((folder / f"{name}.{ending}").is_file() for name in ("cameras", "images")):
            return reader, ending
    return None


def find_model(data: Path) -> Path | None:
    """The folder of the COLMAP model that belongs to the photos in `data`, or None.

    sparse/0 comes first even where another sub-model holds more images: INRIA's trainer and its relatives read only
    that one, and sub-models lie in different coordinate frames. `read_model` notes a larger one.
    """
    for place in PLACES:
        if _format(data / place) is not None:
            return data / place
    models = sub_models(data / "sparse")
    return models[0][0] if models else None


def sub_models(sparse: Path) -> tuple[tuple[Path, int], ...]:
    """The numbered models below a `sparse` folder and their image counts, most images first; unreadable ones are left out."""
    found = []
    for folder in sorted(path for path in sparse.glob("*") if path.name.isdigit()):
        try:
            reader, images = _images_of(folder)
            found.append((folder, reader.count_images(images)))
        except UnreadableFile:
            continue
    return tuple(sorted(found, key=lambda model: -model[1]))


def _images_of(folder: Path) -> tuple[_Format, Path]:
    """The reader and the images file of a model."""
    found = _format(folder)
    if found is None:
        raise UnreadableFile(f"this folder has no cameras and images of a COLMAP model; {EXPORT_MODEL}", folder)
    reader, ending = found
    return reader, folder / f"images.{ending}"


def read_model(folder: Path, data: Path | None = None) -> ColmapModel:
    """The model in `folder`; images that name no usable camera are left out and noted.

    Lists of test photos are looked for beside the model, then in the folder `data`.
    Raises UnreadableFile if cameras or images are missing or damaged.
    """
    reader, images_file = _images_of(folder)
    images = sorted(reader.read_images(images_file), key=lambda image: image.name)
    intrinsics = reader.read_cameras(images_file.with_stem("cameras"))
    split = declared_split((folder,) if data is None else (folder, data), (image.name for image in images))
    good = [image for image in images if _is_usable(image, intrinsics.get(image.camera_id))]
    has_keypoints = any(image.observations for image in images)  # a converted model often has none: that is not zero
    points = images_file.with_stem("points3D")
    return ColmapModel(
        folder=folder,
        cameras=tuple(_camera(image, intrinsics[image.camera_id], split) for image in good),
        camera_models={image.name: intrinsics[image.camera_id].model for image in good},
        distortion={image.name: intrinsics[image.camera_id].distortion for image in good},
        observation_counts={image.name: image.observations for image in good} if has_keypoints else {},
        notes=(*_left_out(images, good), *_larger_sibling(folder, len(images))),
        image_ids={image.name: image.image_id for image in good},
        load_points=lambda: reader.read_points(points) if points.is_file() else None,
        load_keypoints=lambda: reader.read_keypoints(images_file),
    )


def _is_usable(image: ImagePose, lens: Intrinsics | None) -> bool:
    if lens is None or not 1 <= min(lens.size_px) <= max(lens.size_px) < LARGEST_SIDE_PX:
        return False
    pose = np.array([*image.quat_wxyz, *image.translation, lens.fx, lens.fy, lens.cx, lens.cy])
    with np.errstate(over="ignore"):
        turn = np.linalg.norm(pose[:4])
    return bool(np.isfinite([*pose, turn]).all() and turn > 1e-6 and min(lens.fx, lens.fy) > 0)


def _left_out(images: list[ImagePose], good: list[ImagePose]) -> Iterator[str]:
    kept = {image.name for image in good}
    names = [image.name for image in images if image.name not in kept]
    if names:
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        yield f"{len(names)} of {len(images)} images left out for an impossible pose or lens ({shown}); {EXPORT_MODEL}"


def _larger_sibling(folder: Path, images: int) -> Iterator[str]:
    if folder.name.isdigit():
        largest, count = next(iter(sub_models(folder.parent)), (folder, images))
        if count > images:
            yield (f"the reconstruction fell into several models, {folder.name} was read and holds {images} images, "
                   f"{largest.name} holds {count}; train on the larger one, or let COLMAP join them")


def _camera(image: ImagePose, lens: Intrinsics, split: SplitOf) -> Camera:
    rotation = rotation_from_quat(np.array(image.quat_wxyz)).T
    pose = np.eye(4)
    pose[:3, :3] = rotation
    pose[:3, 3] = -rotation @ np.array(image.translation)
    return Camera(image.name, pose, lens.fx, lens.fy, lens.cx, lens.cy, lens.size_px, split(image.name))


def rotation_from_quat(quat_wxyz: F64) -> F64:
    """float64 [3, 3] of a quaternion of any positive length."""
    w, x, y, z = quat_wxyz / np.linalg.norm(quat_wxyz)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def _observations(keypoints: list[tuple[str, Keypoints]], point_ids: I64) -> Observations | None:
    if not len(point_ids) or not any(len(found.point_ids) for _, found in keypoints):
        return None
    image_index = np.repeat(np.arange(len(keypoints)), [len(found.point_ids) for _, found in keypoints])
    ids = np.concatenate([found.point_ids for _, found in keypoints])
    xy_px = np.concatenate([found.xy_px for _, found in keypoints])
    order = np.argsort(point_ids, kind="stable")
    rows = order[np.searchsorted(point_ids, ids, sorter=order).clip(max=len(order) - 1)]
    known = point_ids[rows] == ids
    return Observations(tuple(name for name, _ in keypoints), image_index[known], rows[known], xy_px[known])

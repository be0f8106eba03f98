"""COLMAP's binary model files (little endian): cameras.bin, images.bin, points3D.bin."""

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import EXPORT_MODEL
from runs.arrays import I64, Array
from runs.errors import UnreadableFile
from runs.formats.cameras.colmap_types import CAMERA_MODELS, ImagePose, Intrinsics, Keypoints, PointTable, error_or_nan
from runs.formats.small_files import unreadable
from runs.storage import ensure

LONGEST_NAME = 4096
KEYPOINT = np.dtype([("x", "<f8"), ("y", "<f8"), ("point_id", "<i8")])
POINT = np.dtype([("id", "<i8"), ("xyz", "<f8", 3), ("rgb", "u1", 3), ("error", "<f8"), ("track_length", "<u8")])
LEAST_IMAGE_BYTES = 73  # id, pose, camera id, an empty name's end, number of keypoints
TRACK_ELEMENT_BYTES = 8
COUNT_BYTES = 8  # of entries, at the start of each file
POINTS_AT_ONCE = 65_536  # bounds the index arrays while points are gathered


class _Truncated(Exception):
    """The file ends before its own counts say so."""


class _Reader:
    """Reads forward in a mapped file; never past its end."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        shape = struct.Struct("<" + layout)
        start = self.skip(shape.size)
        return shape.unpack_from(self.data, start)

    def skip(self, size: int) -> int:
        """Move on by `size` bytes; returns where they began."""
        start = self.at
        if size > len(self.data) - start:
            raise _Truncated
        self.at = start + size
        return start

    def count(self, least_bytes: int) -> int:
        """A count of entries, each of which needs `least_bytes`; refused when the file cannot hold so many."""
        count: int = self.take("Q")[0]
        if count > (len(self.data) - self.at) // least_bytes:
            raise _Truncated
        return count

    def name(self) -> str:
        end = self.data.find(b"\0", self.at, self.at + LONGEST_NAME)
        if end < 0:
            raise _Truncated
        start = self.skip(end + 1 - self.at)
        return self.data[start:end].decode("utf-8", "replace")

    def array(self, dtype: "np.dtype[Any]", count: int) -> Array:
        """A copy, so that the map can be closed."""
        start = self.skip(dtype.itemsize * count)
        return np.frombuffer(self.data[start : self.at], dtype)


@contextmanager
def _open(path: Path, needed_bytes: int | None = None) -> Iterator[_Reader]:
    ensure(path, 0, needed_bytes)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield _Reader(data)
    except _Truncated as error:
        raise UnreadableFile(f"this COLMAP file is truncated or holds other data; {EXPORT_MODEL}", path) from error
    except ValueError as error:  # mmap refuses an empty file
        raise UnreadableFile(f"this COLMAP file is empty; {EXPORT_MODEL}", path) from error
    except OSError as error:
        raise unreadable(error, path) from error


def read_cameras(path: Path) -> dict[int, Intrinsics]:
    """By camera id. Raises UnreadableFile, also for a lens model that is not known: its length is not either."""
    with _open(path) as reader:
        found = {}
        for _ in range(reader.count(24)):
            camera_id, model_id, width, height = reader.take("iiQQ")
            model = CAMERA_MODELS.get(model_id)
            if model is None:
                raise UnreadableFile(f"camera {camera_id} has the unknown lens model {model_id}; undistort the images", path)
            found[camera_id] = Intrinsics.from_params(model, (width, height), reader.take(f"{model.params}d"))
        return found


def count_images(path: Path) -> int:
    """How many images the file says it holds. Raises UnreadableFile."""
    with _open(path, COUNT_BYTES) as reader:
        return reader.count(LEAST_IMAGE_BYTES)


def read_images(path: Path) -> list[ImagePose]:
    """Poses and names, and how many keypoints of each image belong to a point. Raises UnreadableFile."""
    return [image for image, _ in _images(path)]


def read_keypoints(path: Path) -> list[tuple[str, Keypoints]]:
    """The triangulated keypoints of each image, by image name in file order. Raises UnreadableFile."""
    return [(image.name, keypoints) for image, keypoints in _images(path)]


def _images(path: Path) -> Iterator[tuple[ImagePose, Keypoints]]:
    with _open(path) as reader:
        for _ in range(reader.count(LEAST_IMAGE_BYTES)):
            image_id, *pose, camera_id = reader.take("i7di")
            name = reader.name()
            stored = reader.array(KEYPOINT, reader.count(KEYPOINT.itemsize))
            used = stored[stored["point_id"] >= 0]
            keypoints = Keypoints(np.stack([used["x"], used["y"]], axis=1), used["point_id"].astype(np.int64))
            yield ImagePose(name, camera_id, tuple(pose[:4]), tuple(pose[4:]), len(used), image_id), keypoints


def read_points(path: Path) -> PointTable:
    """All points; tracks are counted, not kept. Raises UnreadableFile."""
    with _open(path) as reader:
        starts = _point_starts(reader)
        raw = np.frombuffer(reader.data[:], np.uint8)
    points = np.empty(len(starts), POINT)
    span = np.arange(POINT.itemsize)
    for first in range(0, len(starts), POINTS_AT_ONCE):
        some = slice(first, first + POINTS_AT_ONCE)
        points[some] = raw[starts[some, None] + span].view(POINT)[:, 0]
    return PointTable(
        ids=points["id"].astype(np.int64), xyz=points["xyz"].astype(np.float64), rgb=points["rgb"].copy(),
        error_px=error_or_nan(points["error"]), track_lengths=points["track_length"].astype(np.float32),
    )


def _point_starts(reader: _Reader) -> I64:
    """int64 [N], the byte at which each point begins: entries differ in length by their tracks."""
    starts = np.empty(reader.count(POINT.itemsize), np.int64)
    track_length = struct.Struct("<Q")
    length_at = POINT.itemsize - track_length.size
    data, at, end = reader.data, reader.at, len(reader.data)
    for row in range(len(starts)):
        if at + POINT.itemsize > end:
            raise _Truncated
        starts[row] = at
        at += POINT.itemsize + TRACK_ELEMENT_BYTES * track_length.unpack_from(data, at + length_at)[0]
    if at > end:
        raise _Truncated
    return starts

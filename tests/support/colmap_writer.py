"""Small COLMAP models written in both encodings from the same values."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Lens:
    id: int
    model_id: int
    model: str
    size_px: tuple[int, int]
    params: tuple[float, ...]


@dataclass(frozen=True)
class Image:
    id: int
    quat_wxyz: tuple[float, float, float, float]
    translation: tuple[float, float, float]
    lens: int
    name: str
    keypoints: tuple[tuple[float, float, int], ...]  # x, y, point id or -1


@dataclass(frozen=True)
class Point:
    id: int
    xyz: tuple[float, float, float]
    rgb: tuple[int, int, int]
    error: float
    track: tuple[tuple[int, int], ...]  # image id, keypoint index


@dataclass(frozen=True)
class Model:
    lenses: tuple[Lens, ...]
    images: tuple[Image, ...]
    points: tuple[Point, ...]


def write_binary(model: Model, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lenses = [struct.pack("<iiQQ", lens.id, lens.model_id, *lens.size_px) + doubles(*lens.params) for lens in model.lenses]
    images = [
        struct.pack("<i", image.id)
        + doubles(*image.quat_wxyz, *image.translation)
        + struct.pack("<i", image.lens)
        + image.name.encode()
        + b"\0"
        + counted(struct.pack("<ddq", *keypoint) for keypoint in image.keypoints)
        for image in model.images
    ]
    points = [
        struct.pack("<Q", point.id)
        + doubles(*point.xyz)
        + bytes(point.rgb)
        + doubles(point.error)
        + counted(struct.pack("<ii", *element) for element in point.track)
        for point in model.points
    ]
    for name, entries in (("cameras", lenses), ("images", images), ("points3D", points)):
        (folder / f"{name}.bin").write_bytes(counted(entries))
    return folder


def doubles(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


def counted(entries: Iterable[bytes]) -> bytes:
    listed = list(entries)
    return struct.pack("<Q", len(listed)) + b"".join(listed)


def write_text(model: Model, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lenses = [f"{lens.id} {lens.model} {words(lens.size_px)} {words(lens.params)}" for lens in model.lenses]
    images = [
        f"{image.id} {words(image.quat_wxyz)} {words(image.translation)} {image.lens} {image.name}\n"
        + " ".join(words(keypoint) for keypoint in image.keypoints)
        for image in model.images
    ]
    points = [
        f"{point.id} {words(point.xyz)} {words(point.rgb)} {point.error!r} " + " ".join(words(element) for element in point.track)
        for point in model.points
    ]
    for name, entries in (("cameras", lenses), ("images", images), ("points3D", points)):
        (folder / f"{name}.txt").write_text("\n".join([f"# {name}", *entries]) + "\n", encoding="utf-8")
    return folder


def words(values: Iterable[float]) -> str:
    return " ".join(repr(value) for value in values)

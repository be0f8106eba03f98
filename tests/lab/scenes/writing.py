"""The folder that a user would have: photos, masks, and a COLMAP text model."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from diagnostics.optimiser.views import TrainingData, View
from runs.arrays import F32, U8
from runs.cameras import Camera
from runs.formats.cameras.colmap import Observations
from runs.points import PointCloud
from tests.lab.scenes.tracks import restricted

Track = list[tuple[int, int]]  # image id, keypoint index


def write_photos(views: Iterable[View], alphas: Mapping[str, F32], folder: Path) -> None:
    """images/NAME, RGBA with straight colours where there is alpha, and masks/NAME where a view has a mask."""
    for view in views:
        _save(_with_alpha(view.photo, alphas.get(view.name)), folder / "images" / view.name)
        if view.mask is not None:
            _save(view.mask, folder / "masks" / view.name)


def _with_alpha(photo: F32, alpha: F32 | None) -> F32:
    """Photos lie on black in memory; files hold straight colours, so that loaders multiply by alpha once."""
    if alpha is None:
        return photo
    straight = np.where(alpha[..., None] > 0, photo / np.maximum(alpha, 1e-6)[..., None], 0)
    return np.concatenate([straight, alpha[..., None]], axis=2)


def _save(pixels: F32, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(levels(pixels)).save(path, compress_level=1)


def levels(pixels: F32) -> U8:
    """uint8 of 0..1, rounded."""
    return np.round(255 * np.clip(pixels, 0, 1)).astype(np.uint8)


def write_model(data: TrainingData, tracks: Observations | None, folder: Path) -> None:
    """cameras.txt, images.txt, points3D.txt and test.txt; image ids count from 1, training views first."""
    folder.mkdir(parents=True, exist_ok=True)
    cameras = [view.camera for view in (*data.train, *data.test)]
    lenses = list(dict.fromkeys(map(_lens, cameras)))
    _write(folder / "cameras.txt", (f"{i} {lens}" for i, lens in enumerate(lenses, 1)))
    keypoints, of_point = _indexed(None if tracks is None else restricted(tracks, [camera.name for camera in cameras]))
    _write(folder / "images.txt", (
        f"{i} {_pose(camera)} {lenses.index(_lens(camera)) + 1} {camera.name}\n{keypoints.get(i, '')}"
        for i, camera in enumerate(cameras, 1)
    ))
    _write(folder / "points3D.txt", _points(data.points, of_point))
    _write(folder / "test.txt", (view.name for view in data.test))


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _lens(camera: Camera) -> str:
    return f"PINHOLE {camera.size_px[0]} {camera.size_px[1]} {_words((camera.fx, camera.fy, camera.cx, camera.cy))}"


def _pose(camera: Camera) -> str:
    pose = camera.camera_from_world
    x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat()
    return _words((w, x, y, z, *pose[:3, 3]))


def _words(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _indexed(seen: Observations | None) -> tuple[Mapping[int, str], Mapping[int, Track]]:
    """The keypoint line of each image id, and the track of each point's row."""
    words: dict[int, list[str]] = defaultdict(list)
    of_point: dict[int, Track] = defaultdict(list)
    if seen is not None:
        for image, point, (x, y) in zip(seen.image_index.tolist(), seen.point_index.tolist(), seen.xy_px.tolist(), strict=True):
            of_point[point].append((image + 1, len(words[image + 1])))
            words[image + 1].append(f"{x:.4f} {y:.4f} {point + 1}")
    return {image: " ".join(each) for image, each in words.items()}, of_point


def _points(points: PointCloud, of_point: Mapping[int, Track]) -> Iterable[str]:
    rgb = np.full(points.xyz.shape, 128) if points.rgb is None else points.rgb
    errors_px = np.full(len(points), -1.0) if points.error_px is None else np.nan_to_num(points.error_px, nan=-1.0)
    for row, (xyz, colour, error_px) in enumerate(zip(points.xyz.tolist(), rgb.tolist(), errors_px.tolist(), strict=True)):
        track = " ".join(f"{image} {keypoint}" for image, keypoint in of_point.get(row, []))
        yield f"{row + 1} {_words(xyz)} {colour[0]} {colour[1]} {colour[2]} {error_px:.6g} {track}".rstrip()

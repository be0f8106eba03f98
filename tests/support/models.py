"""A COLMAP model made from cameras and points of the product."""

from collections.abc import Sequence

import numpy as np

from runs.arrays import F64
from runs.cameras import Camera
from runs.points import PointCloud
from tests.support.colmap_writer import Image, Lens, Model, Point


def model_of(cameras: Sequence[Camera], points: PointCloud) -> Model:
    """One PINHOLE lens per camera; no keypoints."""
    lenses = [Lens(i, 1, "PINHOLE", c.size_px, tuple(map(float, (c.fx, c.fy, c.cx, c.cy)))) for i, c in enumerate(cameras, 1)]
    images = [_image(i, camera) for i, camera in enumerate(cameras, 1)]
    rgb = np.full((len(points), 3), 128) if points.rgb is None else points.rgb
    cloud = [Point(i, tuple(xyz.tolist()), tuple(colour.tolist()), 0.5, ()) for i, (xyz, colour) in
             enumerate(zip(points.xyz, rgb, strict=True), 1)]
    return Model(tuple(lenses), tuple(images), tuple(cloud))


def _image(index: int, camera: Camera) -> Image:
    matrix = camera.camera_from_world
    return Image(index, quat_of(matrix[:3, :3]), tuple(matrix[:3, 3].tolist()), index, camera.name, ())


def quat_of(rotation: F64) -> tuple[float, float, float, float]:
    """wxyz of a rotation matrix: the eigenvector of the largest eigenvalue of Bar-Itzhack's matrix (2000)."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation
    matrix = np.array([
        [xx - yy - zz, yx + xy, zx + xz, zy - yz], [yx + xy, yy - xx - zz, zy + yz, xz - zx],
        [zx + xz, zy + yz, zz - xx - yy, yx - xy], [zy - yz, xz - zx, yx - xy, xx + yy + zz],
    ])
    x, y, z, w = np.linalg.eigh(matrix)[1][:, -1].tolist()
    return w, x, y, z

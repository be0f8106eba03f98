"""Which points lie in which camera's view: projection of bare points, without any splat around them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, F64, I64, Array, Mask
from runs.cameras import Camera


@dataclass(frozen=True, eq=False)
class Projected:
    """Points [N, 3] as one camera sees them."""

    x_px: F64  # float64 [N], from the left edge
    y_px: F64  # float64 [N], from the top edge
    depth: F64  # float64 [N], world units along the view axis
    inside: Mask  # bool [N], farther than the near plane and within the picture


def project(points: Array, camera: Camera, near: float = 0.0) -> Projected:
    """Pinhole projection of points [N, 3]; points behind the camera get NaN pixels.

    `near`: world units. A photo has no near plane, so none is the default; only what a rasteriser drew has one.
    """
    local = np.asarray(points, np.float64) @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    depth = local[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        in_front = depth > 0
        x = np.where(in_front, camera.fx * local[:, 0] / depth + camera.cx, np.nan)
        y = np.where(in_front, camera.fy * local[:, 1] / depth + camera.cy, np.nan)
        width, height = camera.size_px
        inside = (depth > near) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return Projected(x, y, depth, inside)


def seen_by(points: Array, cameras: Iterable[Camera], near: float = 0.0) -> I64:
    """int64 [N], in how many cameras' pictures each point lies (occlusion is not asked)."""
    counts = np.zeros(len(points), np.int64)
    for camera in cameras:
        counts += project(points, camera, near).inside
    return counts


def sample(image: F32, x_px: Array, y_px: Array) -> F32:
    """float32 [n, C], the pixels of `image` [H, W, C] that hold the positions; positions must lie inside."""
    height, width = image.shape[:2]
    columns = np.clip(np.floor(x_px).astype(np.int64), 0, width - 1)
    rows = np.clip(np.floor(y_px).astype(np.int64), 0, height - 1)
    return image[rows, columns]

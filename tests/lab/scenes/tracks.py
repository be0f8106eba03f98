"""Points and the pixels that saw them: projection, triangulation, reprojection errors and colours."""

from collections.abc import Sequence

import numpy as np

from diagnostics.optimiser.views import View
from runs.arrays import F32, F64, I64, U8
from runs.cameras import Camera
from runs.formats.cameras.colmap import Observations

GAUSS_NEWTON_STEPS = 4


def project(camera: Camera, xyz: F64) -> tuple[F64, F64]:
    """float64 [N, 2] pixels and float64 [N] depth along the viewing axis; pixels are not finite at depth 0."""
    local = xyz @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        xy_px = local[:, :2] / local[:, 2:] * (camera.fx, camera.fy) + (camera.cx, camera.cy)
    return xy_px, local[:, 2]


def rays_through(camera: Camera, xy_px: F64) -> F64:
    """float64 [N, 3]: unit directions in the world."""
    local = np.stack([(xy_px[:, 0] - camera.cx) / camera.fx, (xy_px[:, 1] - camera.cy) / camera.fy, np.ones(len(xy_px))], axis=1)
    rays = local @ camera.world_from_camera[:3, :3].T
    return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))


def triangulated(cameras: Sequence[Camera], start: F64, seen: Observations) -> F64:
    """float64 [N, 3]: the points of least squared reprojection error near `start`; `cameras` in the order of the images."""
    xyz = start.copy()
    for _ in range(GAUSS_NEWTON_STEPS):
        xyz -= _gauss_newton(cameras, xyz, seen)
    return xyz


def _gauss_newton(cameras: Sequence[Camera], xyz: F64, seen: Observations) -> F64:
    view, point = seen.image_index, seen.point_index
    poses = np.stack([camera.camera_from_world for camera in cameras])[view]
    focal = np.array([(camera.fx, camera.fy) for camera in cameras])[view]
    centre = np.array([(camera.cx, camera.cy) for camera in cameras])[view]
    local = np.einsum("mij,mj->mi", poses[:, :3, :3], xyz[point]) + poses[:, :3, 3]
    flat = local[:, :2] / local[:, 2:]
    residual = flat * focal + centre - seen.xy_px
    slopes = (poses[:, :2, :3] - flat[:, :, None] * poses[:, 2:3, :3]) * (focal / local[:, 2:])[:, :, None]
    square, pull = np.zeros((len(xyz), 3, 3)), np.zeros((len(xyz), 3))
    np.add.at(square, point, np.einsum("mki,mkj->mij", slopes, slopes))
    np.add.at(pull, point, np.einsum("mki,mk->mi", slopes, residual))
    return np.asarray(np.linalg.solve(square + 1e-9 * np.eye(3), pull[:, :, None])[:, :, 0], np.float64)


def residuals_px(cameras: Sequence[Camera], xyz: F64, seen: Observations) -> F64:
    """float64 [M]: how far each keypoint lies from its point's projection; `cameras` in the order of the images."""
    out = np.full(len(seen.point_index), np.nan)
    for index, camera in enumerate(cameras):
        mine = seen.image_index == index
        xy_px, _ = project(camera, xyz[seen.point_index[mine]])
        out[mine] = np.linalg.norm(xy_px - seen.xy_px[mine], axis=1)
    return out


def mean_errors_px(cameras: Sequence[Camera], xyz: F64, seen: Observations) -> F32:
    """float32 [N]: mean reprojection error over each point's track, NaN without one."""
    total = np.bincount(seen.point_index, residuals_px(cameras, xyz, seen), minlength=len(xyz))
    with np.errstate(invalid="ignore"):
        return np.asarray(total / track_lengths(seen, len(xyz)), np.float32)


def track_lengths(seen: Observations, count: int) -> F32:
    """float32 [N]: how many images see each point."""
    return np.bincount(seen.point_index, minlength=count).astype(np.float32)


def colours_seen(views: Sequence[View], seen: Observations) -> F64:
    """float64 [M, 3]: the photo's colour under each keypoint, 0..1; `views` in the order of the images."""
    out = np.zeros((len(seen.point_index), 3))
    for index, view in enumerate(views):
        mine = seen.image_index == index
        out[mine] = bilinear(view.photo, seen.xy_px[mine])
    return out


def mean_colours(views: Sequence[View], seen: Observations, count: int) -> U8:
    """uint8 [N, 3]: each point's mean colour in the photos that see it, as COLMAP extracts it."""
    colours, lengths = colours_seen(views, seen), track_lengths(seen, count)
    total = np.stack([np.bincount(seen.point_index, colours[:, c], minlength=count) for c in range(3)], axis=1)
    return np.round(255 * total / np.maximum(lengths, 1)[:, None]).astype(np.uint8)


def bilinear(photo: F32, xy_px: F64) -> F64:
    """float64 [N, 3]: the colour between pixel centres, which lie at half numbers."""
    height, width = photo.shape[:2]
    x, y = np.clip(xy_px[:, 0] - 0.5, 0, width - 1), np.clip(xy_px[:, 1] - 0.5, 0, height - 1)
    left, top = np.minimum(x.astype(np.int64), width - 2), np.minimum(y.astype(np.int64), height - 2)
    u, v = (x - left)[:, None], (y - top)[:, None]
    upper = photo[top, left] * (1 - u) + photo[top, left + 1] * u
    lower = photo[top + 1, left] * (1 - u) + photo[top + 1, left + 1] * u
    return np.asarray(upper * (1 - v) + lower * v, np.float64)


def restricted(seen: Observations, names: Sequence[str]) -> Observations:
    """Only the observations of these images, in this order of images; an image without any keeps its place."""
    place = np.full(len(seen.image_names), -1)
    for new, name in enumerate(names):
        if name in seen.image_names:
            place[seen.image_names.index(name)] = new
    images: I64 = place[seen.image_index].astype(np.int64)
    kept = images >= 0
    return Observations(tuple(names), images[kept], seen.point_index[kept], seen.xy_px[kept])


def of_points(seen: Observations, kept: I64) -> Observations:
    """The observations of the points in these rows, which get new row numbers in this order."""
    place = np.full(max(seen.point_index.max(initial=-1), kept.max(initial=-1)) + 1, -1)
    place[kept] = np.arange(len(kept))
    rows: I64 = place[seen.point_index].astype(np.int64)
    return Observations(seen.image_names, seen.image_index[rows >= 0], rows[rows >= 0], seen.xy_px[rows >= 0])

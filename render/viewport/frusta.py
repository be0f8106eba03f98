"""Camera frusta as lines in the world and in the picture, and which of them lies under a pixel."""

from collections.abc import Sequence

import numpy as np

from runs.arrays import F64
from runs.cameras import Camera

NEAR = 1e-3  # share of a frustum's depth; lines are clipped there, behind it nothing can be drawn
# Corners 0-3 of the image, then the eye (4), then the tip that shows which side of the photo is up (5).
EDGES = np.array([(4, 0), (4, 1), (4, 2), (4, 3), (0, 1), (1, 2), (2, 3), (3, 0), (0, 5), (5, 1)])


def frustum_size(cameras: Sequence[Camera]) -> float:
    """World units from eye to image plane: half the way between neighbours, 3 to 8 % of the usual way between any two."""
    if len(cameras) < 2:
        return 0.2
    centres = np.array([camera.centre for camera in cameras])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    reach = float(np.median(apart))
    apart[apart < 1e-9] = np.inf
    nearest = apart.min(axis=1)
    known = nearest[np.isfinite(nearest)]
    return float(np.clip(np.median(known) / 2, 0.03 * reach, 0.08 * reach)) if len(known) else 0.2


def frustum_lines(camera: Camera, size: float) -> F64:
    """float64 [10, 2, 3]: the frustum's edges in the world, `size` deep along the viewing axis."""
    width, height = camera.size_px
    pixels = np.array([(0, 0), (width, 0), (width, height), (0, height), (camera.cx, camera.cy), (width / 2, -0.25 * height)])
    rays = np.column_stack([(pixels[:, 0] - camera.cx) / camera.fx, (pixels[:, 1] - camera.cy) / camera.fy, np.ones(6)])
    rays[4] = 0
    corners = size * rays @ camera.world_from_camera[:3, :3].T + camera.centre
    return np.asarray(corners[EDGES])


def project_lines(lines: F64, view: Camera, near: float = NEAR) -> F64:
    """float64 [L, 2, 2]: `lines` [L, 2, 3] in pixels of `view`; NaN where a line is wholly behind the camera."""
    rotation, shift = view.camera_from_world[:3, :3], view.camera_from_world[:3, 3]
    seen = lines @ rotation.T + shift
    start, end = seen[:, 0], seen[:, 1]
    clipped = np.stack([_clip(start, end, near), _clip(end, start, near)], axis=1)
    z = np.where(clipped[..., 2] >= near * 0.999, clipped[..., 2], np.nan)
    return np.stack([view.fx * clipped[..., 0] / z + view.cx, view.fy * clipped[..., 1] / z + view.cy], axis=-1)


def under_pixel(pictured: Sequence[F64], x_px: float, y_px: float, within_px: float = 8.0) -> int | None:
    """Index of the frustum (each [L, 2, 2] from `project_lines`) whose lines pass nearest to the pixel, or None."""
    distances = [_distance(lines, np.array([x_px, y_px])) for lines in pictured]
    best = int(np.argmin(distances)) if distances else 0
    return best if distances and distances[best] <= within_px else None


def _clip(point: F64, other: F64, near: float) -> F64:
    """`point` [L, 3], moved along its line to the near plane where it lies behind it and `other` does not."""
    ahead = other[:, 2] - point[:, 2]
    behind = (point[:, 2] < near) & (other[:, 2] > near)
    step = np.where(behind, (near - point[:, 2]) / np.where(ahead == 0, 1, ahead), 0)
    return np.asarray(point + step[:, None] * (other - point))


def _distance(lines: F64, pixel: F64) -> float:
    """Pixels from `pixel` to the nearest of the segments; infinite where none is in front of the camera."""
    start, along = lines[:, 0], lines[:, 1] - lines[:, 0]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    step = np.clip(((pixel - start) * along).sum(axis=1) / length, 0, 1)
    distances = np.linalg.norm(start + step[:, None] * along - pixel, axis=1)
    return float(np.nanmin(distances)) if np.isfinite(distances).any() else np.inf

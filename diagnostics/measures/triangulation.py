"""Where rays from several cameras meet: points placed anew from keypoints alone."""

import numpy as np

from runs.arrays import F64, I64
from runs.cameras import Camera

FEWEST_RAYS = 3  # two always meet somewhere near
LEAST_SPREAD = 1e-4  # of the number of rays: below it they are parallel, and meet nowhere in particular


def rays_through(camera: Camera, xy_px: F64) -> F64:
    """float64 [n, 3], unit directions in the world through pixel positions [n, 2]."""
    local = np.stack([(xy_px[:, 0] - camera.cx) / camera.fx, (xy_px[:, 1] - camera.cy) / camera.fy, np.ones(len(xy_px))], axis=1)
    turned = local @ camera.world_from_camera[:3, :3].T
    return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True))


def triangulated(origins: F64, directions: F64, point: I64, count: int) -> F64:
    """float64 [count, 3]: the place nearest to all rays of each point, least squares; NaN where they fix none.

    Ray k starts at origins[k], goes along directions[k] (unit) and belongs to point[k].
    """
    across = np.eye(3) - directions[:, :, None] * directions[:, None, :]
    normal, right = np.zeros((count, 3, 3)), np.zeros((count, 3))
    np.add.at(normal, point, across)
    np.add.at(right, point, np.einsum("nij,nj->ni", across, origins))
    rays = np.bincount(point, minlength=count)
    sound = (rays >= FEWEST_RAYS) & (np.linalg.eigvalsh(normal)[:, 0] > LEAST_SPREAD * np.maximum(rays, 1))
    found = np.full((count, 3), np.nan)
    found[sound] = np.linalg.solve(normal[sound], right[sound][..., None])[..., 0]
    return found

"""The EWA projection of 3D Gaussians into one camera, in float64.

Pixel (i, j) has its centre at (i + 0.5, j + 0.5), as in COLMAP. INRIA's rasteriser puts pixels at whole
numbers and shifts the projected centre by half a pixel instead: the image is the same.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from render.covariance import covariances
from render.splats import Splats
from runs.arrays import F64, Mask
from runs.cameras import Camera

NEAR: Final = 0.2  # world units: INRIA's rasteriser drops what is nearer (gsplat's default is 0.01)
DILATION_PX2: Final = 0.3  # added to both variances, so no splat is thinner than 0.55 px (INRIA, gsplat eps2d)
FOV_MARGIN: Final = 0.3  # of tan(fov/2): slopes are clamped this far outside the image before the Jacobian
ALPHA_MIN: Final = 1 / 255  # weaker than one 8-bit step: not blended
ALPHA_MAX: Final = 0.99
T_STOP: Final = 1e-4  # (1 - ALPHA_MAX)²


@dataclass(frozen=True, eq=False)
class Projected:
    """M splats as the camera sees them."""

    visible: Mask  # bool [M], beyond the near plane and opaque enough to reach 1/255
    depths: F64  # [M] world units along the view axis
    means_px: F64  # [M, 2]
    covariances_px2: F64  # [M, 2, 2], dilation included


def slope_limits(camera: Camera) -> tuple[float, float, float, float]:
    """Least and greatest x/z and y/z for which the Jacobian is evaluated: (x_low, x_high, y_low, y_high).

    1.3·tan(fov/2) either way for a centred principal point, as INRIA; gsplat's generalisation otherwise.
    """
    width, height = camera.size_px
    margin_x, margin_y = FOV_MARGIN * width / (2 * camera.fx), FOV_MARGIN * height / (2 * camera.fy)
    return (
        -camera.cx / camera.fx - margin_x, (width - camera.cx) / camera.fx + margin_x,
        -camera.cy / camera.fy - margin_y, (height - camera.cy) / camera.fy + margin_y,
    )


def project(splats: Splats, camera: Camera, *, near: float = NEAR) -> Projected:
    """Σ' = J W Σ Wᵀ Jᵀ + 0.3·I (Zwicker et al. 2001; Kerbl et al. 2023, eq. 5). Rows that are not visible hold 0."""
    rotation, translation = camera.camera_from_world[:3, :3], camera.camera_from_world[:3, 3]
    points = splats.means.astype(np.float64) @ rotation.T + translation
    depths = points[:, 2]
    visible = (depths > near) & (splats.opacities >= ALPHA_MIN)
    safe = np.where(visible, depths, 1.0)
    means_px = points[:, :2] / safe[:, None] * (camera.fx, camera.fy) + (camera.cx, camera.cy)
    jacobian = _jacobian(points, safe, camera) @ rotation
    covariance = jacobian @ covariances(splats.scales, splats.quats) @ jacobian.transpose(0, 2, 1)
    covariance += DILATION_PX2 * np.eye(2)
    hidden = ~visible
    means_px[hidden], covariance[hidden] = 0.0, 0.0
    return Projected(visible, depths, means_px, covariance)


def directions(splats: Splats, camera: Camera) -> F64:
    """float64 [M, 3], unit vectors from the camera to each splat."""
    rays = splats.means.astype(np.float64) - camera.centre
    return np.asarray(rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-30), np.float64)


def _jacobian(points: F64, depths: F64, camera: Camera) -> F64:
    x_low, x_high, y_low, y_high = slope_limits(camera)
    jacobian = np.zeros((len(points), 2, 3))
    jacobian[:, 0, 0] = camera.fx / depths
    jacobian[:, 1, 1] = camera.fy / depths
    jacobian[:, 0, 2] = -camera.fx / depths * np.clip(points[:, 0] / depths, x_low, x_high)
    jacobian[:, 1, 2] = -camera.fy / depths * np.clip(points[:, 1] / depths, y_low, y_high)
    return jacobian

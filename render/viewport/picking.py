"""The splats under one pixel, front to back, with what each adds to its colour."""

from dataclasses import dataclass

import numpy as np

from render.projection import ALPHA_MAX, ALPHA_MIN, DILATION_PX2, NEAR, T_STOP, project, slope_limits
from render.splats import Splats
from runs.arrays import F32, F64, I64
from runs.cameras import Camera
from runs.kernels import kernel

# At opacity 1, alpha falls below 1/255 at this many standard deviations; at less it does so earlier.
_FARTHEST_SIGMAS = float(np.sqrt(2 * np.log(255)))


@dataclass(frozen=True)
class Contributor:
    """One Gaussian under a picked pixel."""

    row: int  # row of the stored Gaussians
    alpha: float  # 1/255 to 0.99
    transmittance: float  # 0..1, what the Gaussians in front let through
    weight: float  # alpha × transmittance, 0..1
    depth: float  # world units along the view axis


def contributors(splats: Splats, camera: Camera, x_px: int, y_px: int) -> list[Contributor]:
    """Gaussians that the pixel (column `x_px`, row `y_px`) shows, front to back, as the rasterisers blend them.

    Empty outside the picture or where nothing is hit. Σ weight · colour + (1 - Σ weight) · background is the pixel.
    """
    if not (0 <= x_px < camera.size_px[0] and 0 <= y_px < camera.size_px[1]):
        return []
    near_pixel = _take(splats, candidates(splats, camera, x_px, y_px))
    alphas, depths = _alphas(near_pixel, camera, x_px + 0.5, y_px + 0.5)
    order = np.flatnonzero(alphas >= ALPHA_MIN)
    order = order[np.argsort(depths[order], kind="stable")]
    after = np.cumprod(1 - alphas[order])
    before = np.concatenate([[1.0], after[:-1]])
    reached = int(np.searchsorted(-after, -T_STOP, side="right"))  # the first that would leave less light is not blended
    return [
        Contributor(int(near_pixel.rows[i]), float(alphas[i]), float(light), float(alphas[i] * light), float(depths[i]))
        for i, light in zip(order[:reached], before[:reached], strict=True)
    ]


def strongest(found: list[Contributor]) -> Contributor | None:
    """The one that gives the pixel most of its colour; the nearest would often be a faint veil."""
    return max(found, key=lambda contributor: contributor.weight, default=None)


def candidates(splats: Splats, camera: Camera, x_px: int, y_px: int) -> I64:
    """int64 [K]: indices of the splats whose bounding sphere can reach the pixel; everything else surely cannot."""
    x_low, x_high, y_low, y_high = slope_limits(camera)
    steepest = np.sqrt(1 + np.square([max(-x_low, x_high), max(-y_low, y_high)]))
    view = np.array([camera.fx, camera.fy, camera.cx, camera.cy, x_px + 0.5, y_px + 0.5, *steepest, NEAR], np.float32)
    world = camera.camera_from_world.astype(np.float32)
    return _near(splats.means, splats.scales, world, view)


@kernel
def _near(means: F32, scales: F32, world: F32, view: F32) -> I64:
    fx, fy, cx, cy, x_px, y_px, steep_x, steep_y, near = view
    found = np.empty(len(means), np.int64)
    count = 0
    sigmas = np.float32(_FARTHEST_SIGMAS * 1.001)
    dilation = np.float32(_FARTHEST_SIGMAS * DILATION_PX2**0.5 + 0.01)
    for i in range(len(means)):
        x, y, z = means[i, 0], means[i, 1], means[i, 2]
        depth = world[2, 0] * x + world[2, 1] * y + world[2, 2] * z + world[2, 3]
        if not depth > near:
            continue
        # |pixel - centre| <= radius·f/z·sqrt(1 + slope²) + dilation, multiplied by z to save the division.
        radius = sigmas * max(scales[i, 0], scales[i, 1], scales[i, 2])
        across = world[0, 0] * x + world[0, 1] * y + world[0, 2] * z + world[0, 3]
        if abs(fx * across + (cx - x_px) * depth) > fx * steep_x * radius + dilation * depth:
            continue
        down = world[1, 0] * x + world[1, 1] * y + world[1, 2] * z + world[1, 3]
        if abs(fy * down + (cy - y_px) * depth) > fy * steep_y * radius + dilation * depth:
            continue
        found[count] = i
        count += 1
    return found[:count].copy()


def _alphas(splats: Splats, camera: Camera, x_px: float, y_px: float) -> tuple[F64, F64]:
    """float64 [K] alpha at a point of the picture, and depth."""
    seen = project(splats, camera)
    a, b, c = seen.covariances_px2[:, 0, 0], seen.covariances_px2[:, 0, 1], seen.covariances_px2[:, 1, 1]
    x, y = (np.array([x_px, y_px]) - seen.means_px).T
    determinant = np.where(seen.visible, a * c - b * b, 1.0)
    distance2 = (c * x * x - 2 * b * x * y + a * y * y) / determinant
    alphas = np.minimum(ALPHA_MAX, splats.opacities * np.exp(-0.5 * distance2))
    return np.where(seen.visible, alphas, 0.0), seen.depths


def _take(splats: Splats, chosen: I64) -> Splats:
    """The part of `splats` that picking needs; `hidden` stays that of the whole."""
    return Splats(
        rows=splats.rows[chosen], stored_count=splats.stored_count, means=splats.means[chosen], scales=splats.scales[chosen],
        quats=splats.quats[chosen], opacities=splats.opacities[chosen], sh=splats.sh[chosen], sh_degree=splats.sh_degree,
        hidden=splats.hidden,
    )

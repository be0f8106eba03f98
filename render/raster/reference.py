"""The reference rasteriser: float64, one pixel at a time, slow, meant to be read and to be trusted.

The rules are INRIA's (Kerbl et al. 2023), written anew: splats sorted by the depth of their centre,
alpha = min(0.99, o·exp(-½ΔᵀΣ'⁻¹Δ)), skipped below 1/255, stopped before transmittance falls below `t_stop`.
Unlike INRIA's there is no cut at three sigma: a splat ends where its alpha falls below 1/255, as in gsplat.
"""

from dataclasses import dataclass

import numpy as np

from render.harmonics import colours as sh_colours
from render.projection import ALPHA_MAX, ALPHA_MIN, NEAR, T_STOP, Projected, directions, project
from render.raster.picture import Contributions, Picture
from render.splats import Splats
from runs.arrays import F32, F64, I64, Array
from runs.cameras import Camera


@dataclass(frozen=True, eq=False)
class PixelWeights:
    """The splats blended into one pixel, front to back."""

    splats: I64  # int64 [K]
    weights: F64  # float64 [K], alpha × transmittance in front
    transmittance: float  # what is left for the background


def rasterise(
    splats: Splats, camera: Camera, *, background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    sh_degree: int | None = None, near: float = NEAR, t_stop: float = T_STOP, contributions: bool = False,
    colours: F32 | None = None,
) -> Picture:
    """The picture `render.raster.cpu.rasterise` must equal; the parameters are explained there."""
    seen = project(splats, camera, near=near)
    rgb_of = _colours_of(splats, camera, sh_degree, colours)
    order = np.flatnonzero(seen.visible)[np.argsort(seen.depths[seen.visible], kind="stable")]
    width, height = camera.size_px
    rgb, alpha = np.zeros((height, width, 3)), np.zeros((height, width))
    depth, mode_depth = np.full((2, height, width), np.nan)
    mode_splat = np.full((height, width), -1, np.int32)
    weight_sum, weight_max = np.zeros((2, len(splats)))
    pixel_count = np.zeros(len(splats), np.int32)
    for y in range(height):
        for x in range(width):
            found = pixel_weights(seen, splats.opacities, order, x + 0.5, y + 0.5, t_stop)
            rgb[y, x] = found.weights @ rgb_of[found.splats] + found.transmittance * np.asarray(background)
            alpha[y, x] = 1 - found.transmittance
            weight_sum[found.splats] += found.weights
            weight_max[found.splats] = np.maximum(weight_max[found.splats], found.weights)
            pixel_count[found.splats] += 1
            if found.splats.size:
                mode_splat[y, x] = found.splats[np.argmax(found.weights)]
                mode_depth[y, x] = seen.depths[mode_splat[y, x]]
                depth[y, x] = found.weights @ seen.depths[found.splats] / found.weights.sum()
    added = Contributions(_f32(weight_sum), _f32(weight_max), pixel_count) if contributions else None
    return Picture(_f32(rgb), _f32(alpha), _f32(depth), _f32(mode_depth), mode_splat, added)


def pixel_weights(seen: Projected, opacities: F32, order: Array, x_px: float, y_px: float, t_stop: float) -> PixelWeights:
    """What each splat of `order` (nearest first) adds at one point of the picture."""
    delta = np.array([x_px, y_px]) - seen.means_px[order]
    inverse = np.linalg.inv(seen.covariances_px2[order])
    exponent = -0.5 * np.einsum("ni,nij,nj->n", delta, inverse, delta)
    alphas = np.minimum(ALPHA_MAX, opacities[order].astype(np.float64) * np.exp(exponent))
    blended = np.flatnonzero(alphas >= ALPHA_MIN)
    splats, alphas = order[blended], alphas[blended]
    after = np.cumprod(1 - alphas)
    stopped = np.flatnonzero(after < t_stop)
    end = int(stopped[0]) if stopped.size else len(alphas)
    before = np.concatenate([[1.0], after])[:end]
    return PixelWeights(splats[:end], alphas[:end] * before, float(after[end - 1]) if end else 1.0)


def _colours_of(splats: Splats, camera: Camera, sh_degree: int | None, colours: F32 | None) -> F64:
    if colours is not None:
        return np.asarray(colours, np.float64)
    degree = splats.sh_degree if sh_degree is None else min(sh_degree, splats.sh_degree)
    return sh_colours(splats.sh, directions(splats, camera), degree)


def _f32(values: F64) -> F32:
    return np.asarray(values, np.float32)

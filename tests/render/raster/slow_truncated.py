"""Truncated gradients pixel by pixel and pair by pair in numpy: the twin that the kernels must equal."""

from dataclasses import dataclass, replace

import numpy as np

from render.harmonics import basis
from render.projection import ALPHA_MAX, ALPHA_MIN, T_STOP, Projected, project
from render.raster.parameters import Parameters
from render.raster.truncated import Truncation
from render.splats import prepare
from runs.arrays import F64, I64, Array, Mask
from runs.cameras import Camera


@dataclass(frozen=True, eq=False)
class Slow:
    """What the surrogate adds, float64."""

    centres: F64  # [N, 2], dL/d(centre in px)
    opacities: F64  # [N], dL/d(opacity)
    colours: F64  # [N, 3], dL/d(colour)
    pulling: I64  # [N]


def slow_surrogate(
    parameters: Parameters, camera: Camera, background: Array, rgb_gradient: Array, how: Truncation, colours: F64,
) -> Slow:
    """`colours` [N, 3] are those of the view."""
    splats = prepare(parameters.gaussians())
    opaque = replace(splats, opacities=np.ones_like(splats.opacities))  # `project` leaves out what is too faint to be drawn
    seen, opacities = project(opaque, camera), 1 / (1 + np.exp(-parameters.logit_opacities.astype(np.float64)))
    order = np.flatnonzero(seen.visible)[np.argsort(seen.depths[seen.visible], kind="stable")]
    found = Slow(np.zeros((len(splats), 2)), np.zeros(len(splats)), np.zeros((len(splats), 3)), np.zeros(len(splats), np.int64))
    boxes = half_boxes(seen, how)
    dead = opacities <= how.dead_opacity + 1e-12
    width, height = camera.size_px
    for y in range(height):
        for x in range(width):
            _at_pixel(found, np.array([x + 0.5, y + 0.5]), rgb_gradient[y, x], np.asarray(background), order, dead, seen, boxes,
                      opacities, colours, how)
    return found


def half_boxes(seen: Projected, how: Truncation) -> F64:
    """[N] px: INRIA's radius, padded where it is small."""
    xx, xy, yy = seen.covariances_px2[:, 0, 0], seen.covariances_px2[:, 0, 1], seen.covariances_px2[:, 1, 1]
    middle = (xx + yy) / 2
    largest = middle + np.sqrt(np.maximum(0.1, middle**2 - (xx * yy - xy**2)))
    radius = np.ceil(3 * np.sqrt(largest))
    return np.asarray(np.where(radius < how.padded_below_px, radius + how.padding_px, radius))


def _at_pixel(
    found: Slow, at: F64, gradient: F64, background: F64, order: I64, dead: Mask, seen: Projected, boxes: F64, opacities: F64,
    colours: F64, how: Truncation,
) -> None:
    """Front to back: what is left in front of each Gaussian, and what shines from behind it."""
    inverse = np.zeros_like(seen.covariances_px2)
    inverse[order] = np.linalg.inv(seen.covariances_px2[order])
    away = seen.means_px - at  # Δ
    along = np.einsum("nij,nj->ni", inverse, away)
    square = np.einsum("ni,ni->n", away, along)
    density = np.where(square < 64, np.exp(-square / 2), 0)
    alpha = np.minimum(ALPHA_MAX, opacities * density)
    light, left, stopped = [], 1.0, len(order)
    for place, k in enumerate(order):
        light.append(left)
        if alpha[k] >= ALPHA_MIN:
            if left * (1 - alpha[k]) < T_STOP:
                stopped = place
                break
            left *= 1 - alpha[k]
    behind = left * background @ gradient
    reached = range(min(stopped, len(order) - 1), -1, -1)
    for place in reached:
        k = order[place]
        if alpha[k] >= ALPHA_MIN:
            if place < stopped:
                behind += light[place] * alpha[k] * colours[k] @ gradient
        elif dead[k] and (np.abs(away[k]) <= boxes[k]).all():
            gain = light[place] * colours[k] @ gradient - behind
            _add(found, k, gain, light[place] * gradient, square[k], along[k], density[k], opacities[k], how)


def _add(
    found: Slow, k: int, gain: float, gradient: F64, square: float, along: F64, density: float, opacity: float, how: Truncation,
) -> None:
    """One skipped pair; `gain` is dL/d(alpha)."""
    if how.by_colour:
        found.colours[k] += opacity * density * gradient
    if square < how.contour:
        found.opacities[k] += how.by_opacity * density * gain
        return
    if not how.by_centre or (how.by_sign and not gain < 0):
        return
    pull = opacity * gain * tail(along, square, density, how)
    found.centres[k] += pull
    found.pulling[k] += bool(pull.any())


def tail(along: F64, square: float, density: float, how: Truncation) -> F64:
    """The continued dG/d(centre) [2] from Σ'⁻¹Δ, d² and G: the paper's min/max by component, with the code's d² as variable."""
    true = -density * along
    border = -np.exp(-how.contour / 2) * along * np.sqrt(how.contour / square)
    drop = how.fall * (square - how.contour)
    return np.where(border < 0, np.minimum(border + drop, true), np.maximum(border - drop, true))


def colours_of(parameters: Parameters, camera: Camera, degree: int) -> F64:
    """[N, 3], clamped at 0."""
    directions = parameters.means - camera.centre
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    terms = basis(np.asarray(directions, np.float64), degree)
    every = np.concatenate([parameters.sh0[:, None], parameters.sh_rest[:, : (degree + 1) ** 2 - 1]], axis=1)
    return np.maximum(np.einsum("nk,nkc->nc", terms, every) + 0.5, 0)


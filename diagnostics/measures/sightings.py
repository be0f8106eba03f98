"""How cameras see Gaussians as points with a size: pixels that can move them, angles between rays, place in the picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.measures.frusta import project
from render.projection import ALPHA_MIN, DILATION_PX2, NEAR
from runs.arrays import F32, F64, I64
from runs.cameras import Camera


@dataclass(frozen=True, eq=False)
class Seen:
    """One value for each of n Gaussians, over the cameras in whose pictures its centre lies; occlusion is not asked."""

    cameras: I64  # int64 [n], how many
    support_px: F64  # float64 [n], the most pixels in any of them that send it a gradient, at most; 0 where none sees it
    size_px: F64  # float64 [n], its largest standard deviation in pixels, before the dilation, where it is largest
    spread_deg: F64  # float64 [n], twice the largest angle between a ray and the mean ray: at least the widest angle of two rays
    height: F64  # float64 [n], mean place in the picture, 0 top, 1 bottom; NaN where none sees it
    nearest: F64  # float64 [n], smallest depth, world units; inf where none sees it


def support_px(first_px: F64, second_px: F64, opacities: F64) -> F64:
    """N = 2π·s1·s2·ln(255·o): pixels with alpha over 1/255, standard deviations after the dilation; 0 for o <= 1/255."""
    return np.asarray(2 * np.pi * first_px * second_px * np.log(np.maximum(opacities / ALPHA_MIN, 1)))


def sightings(means: F32, scales: F32, opacities: F32, cameras: Sequence[Camera], beat: Callable[[], None]) -> Seen:
    """`means` [n, 3], `scales` [n, 3] standard deviations in world units, `opacities` [n] 0..1. Linear in n × cameras.

    Of the three axes the two longest count, as if seen face on: the support is then never too small.
    """
    count, sizes = len(means), np.sort(scales.astype(np.float64), axis=1)
    seen, support, size = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
    rays, height, nearest = np.zeros((count, 3)), np.zeros(count), np.full(count, np.inf)
    for camera in cameras:
        beat()
        at = project(means, camera, NEAR)
        rows = np.flatnonzero(at.inside)
        px = sizes[rows] * (max(camera.fx, camera.fy) / at.depth[rows])[:, None]
        first, second = (np.sqrt(px[:, axis] ** 2 + DILATION_PX2) for axis in (2, 1))
        support[rows] = np.maximum(support[rows], support_px(first, second, opacities[rows].astype(np.float64)))
        size[rows] = np.maximum(size[rows], px[:, 2])
        seen[rows] += 1
        height[rows] += at.y_px[rows] / camera.size_px[1]
        nearest[rows] = np.minimum(nearest[rows], at.depth[rows])
        rays[rows] += _rays(means[rows], camera)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = height / seen
    return Seen(seen, support, size, _spread_deg(means, cameras, rays, beat), height, nearest)


def _rays(means: F32, camera: Camera) -> F64:
    """float64 [n, 3], unit directions from the camera."""
    towards = means.astype(np.float64) - camera.centre
    return np.asarray(towards / np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), np.finfo(np.float64).tiny))


def _spread_deg(means: F32, cameras: Sequence[Camera], rays: F64, beat: Callable[[], None]) -> F64:
    """Small angles by their sine: a cosine tells no hundredths of a degree."""
    mean = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    widest = np.zeros(len(means))
    for camera in cameras:
        beat()
        rows = np.flatnonzero(project(means, camera, NEAR).inside)
        chord = np.linalg.norm(_rays(means[rows], camera) - mean[rows], axis=1)
        widest[rows] = np.maximum(widest[rows], 2 * np.arcsin(np.clip(chord / 2, 0, 1)))
    return np.asarray(2 * np.degrees(widest))

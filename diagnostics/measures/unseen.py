"""Colours that harmonics make up: what Gaussians show towards directions from which no camera looked at them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.measures.frusta import project
from render.harmonics import basis
from render.projection import NEAR
from runs.arrays import F32, F64, Mask
from runs.cameras import Camera

DIRECTIONS = 32  # spread evenly over the sphere: 36 degrees from one to the next
SEEN_DEG = 40.0  # a direction nearer than that to a camera's is not made up


@dataclass(frozen=True, eq=False)
class Unseen:
    """For each of n Gaussians. A deviation is the largest over the channels, of colours 0..1, in the mean over directions."""

    unseen: F64  # float64 [n], deviation at unseen directions from the mean over its cameras; NaN where all are seen
    seen: F64  # float64 [n], the same at seen directions
    beyond: F64  # float64 [n], 0.., how far outside 0..1 the worst unseen colour lies; NaN where all are seen


def sphere(count: int = DIRECTIONS) -> F64:
    """float64 [count, 3], unit directions on a Fibonacci spiral."""
    steps = np.arange(count) + 0.5
    height, angle = 1 - 2 * steps / count, np.pi * (1 + np.sqrt(5)) * steps
    around = np.sqrt(1 - height**2)
    return np.stack([around * np.cos(angle), around * np.sin(angle), height], axis=1)


def unseen_colours(means: F32, sh: F32, degree: int, cameras: Sequence[Camera], beat: Callable[[], None]) -> Unseen:
    """`means` [n, 3] and harmonics `sh` [n, K, 3], K >= (degree + 1)², at least two cameras. Linear in n × cameras."""
    directions, count = sphere(), len(means)
    coefficients = sh[:, : (degree + 1) ** 2].astype(np.float64)
    seen, total, looks = np.zeros((count, DIRECTIONS), bool), np.zeros((count, 3)), np.zeros(count)
    for camera in cameras:
        beat()
        inside = project(means, camera, NEAR).inside
        towards = means.astype(np.float64) - camera.centre
        towards /= np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), np.finfo(np.float64).tiny)
        colour = np.clip(np.einsum("nk,nkc->nc", basis(towards, degree), coefficients) + 0.5, 0, 1)
        total += np.where(inside[:, None], colour, 0)
        looks += inside
        seen |= inside[:, None] & (towards @ directions.T > np.cos(np.radians(SEEN_DEG)))
    shown = np.einsum("dk,nkc->ndc", basis(directions, degree), coefficients) + 0.5
    with np.errstate(invalid="ignore"):
        mean = total / np.where(looks > 0, looks, np.nan)[:, None]
    off = np.abs(np.maximum(shown, 0) - mean[:, None]).max(axis=2)  # renderers show nothing below black
    beyond = np.maximum(shown - 1, -shown).max(axis=2).clip(min=0)
    known = (looks > 0)[:, None]
    return Unseen(_mean(off, ~seen & known), _mean(off, seen & known), _largest(beyond, ~seen & known))


def _mean(values: F64, where: Mask) -> F64:
    counts = where.sum(axis=1)
    return np.asarray(np.where(counts > 0, np.where(where, values, 0).sum(axis=1) / np.maximum(counts, 1), np.nan))


def _largest(values: F64, where: Mask) -> F64:
    return np.asarray(np.where(where.any(axis=1), np.where(where, values, 0).max(axis=1), np.nan))

"""Densification, pruning and resets done wrong in code."""

from dataclasses import replace

import numpy as np

from diagnostics.optimiser import growth
from diagnostics.optimiser.context import Context
from render.raster.parameters import Parameters
from runs.arrays import F32, I64, Array, Mask


def statistic_in_pixels(means2d_px: F32, _size_px: tuple[int, int]) -> F32:
    """The gradient per pixel held against a threshold that is meant for NDC."""
    return np.asarray(np.hypot(means2d_px[:, 0], means2d_px[:, 1]), np.float32)


def statistic_scaled_twice(means2d_px: F32, size_px: tuple[int, int], *, times: float) -> F32:
    """The conversion to NDC applied to a gradient that already was in it, as far as `times` goes."""
    return np.asarray(times * growth.statistic(means2d_px, size_px), np.float32)


def clone_uphill(context: Context, parameters: Parameters, rows: I64, *, sizes: float) -> Parameters:
    """The clone stands off its original, against the gradient's descent, by so many of its own sizes."""
    clones = parameters.take(rows)
    push = context.gradients.means[rows]
    lengths = np.linalg.norm(push, axis=1, keepdims=True)
    away = push / np.where(lengths > 0, lengths, 1) * sizes * np.exp(clones.log_scales).max(axis=1, keepdims=True)
    return replace(clones, means=np.ascontiguousarray(clones.means + away, np.float32))


def split_along_the_short_axes(context: Context, parameters: Parameters, rows: I64) -> Parameters:
    """The longest axis of a parent is never made shorter."""
    children = growth.split(context, parameters, rows)
    scales = children.log_scales.copy()
    longest = scales.argmax(axis=1)
    scales[np.arange(len(scales)), longest] += np.float32(np.log(context.settings.split_shrink))
    return replace(children, log_scales=scales)


def never_prune(_context: Context, parameters: Parameters) -> Mask:
    return np.zeros(parameters.count, bool)


def reset_nothing(_context: Context, logit_opacities: F32) -> F32:
    """The reset writes into a copy."""
    return logit_opacities.copy()


def relocate_nothing(opacities: Array, scales: Array, _copies: I64) -> tuple[Array, Array]:
    """Relocated Gaussians keep full opacity and size: the picture gets denser at each relocation."""
    return opacities, scales

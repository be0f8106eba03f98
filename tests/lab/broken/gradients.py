"""Gradients that are lost, poisoned, scaled or pushed aside before the optimiser sees them."""

from dataclasses import replace

import numpy as np

from diagnostics.optimiser.context import Context
from render.raster.differentiable import Gradients


def cut(_context: Context, gradients: Gradients, *, group: str) -> Gradients:
    """The tensor of one group is not connected to the loss."""
    return replace(gradients, **{group: np.zeros_like(getattr(gradients, group))})


def poisoned(context: Context, gradients: Gradients, *, at: int, group: str, rows: int | None = None) -> Gradients:
    """NaN at one iteration, in the first `rows` Gaussians or in all."""
    if context.iteration != at:
        return gradients
    values = getattr(gradients, group).copy()
    values[:rows] = np.nan
    return replace(gradients, **{group: values})


def stretching(_context: Context, gradients: Gradients, *, pull: float) -> Gradients:
    """A regulariser with the wrong sign on the first axis: Adam lengthens it at every step, whatever the photos say."""
    values = gradients.log_scales.copy()
    values[:, 0] = -pull * np.abs(values).max(axis=1) - np.float32(1e-9)
    return replace(gradients, log_scales=values)

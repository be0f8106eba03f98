"""What throws a course off: no gradient at all, a cloud thrown far away, photos misread in evaluation."""

from dataclasses import fields, replace

import numpy as np

from diagnostics.optimiser import mcmc
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.views import TrainingData
from render.raster.differentiable import Gradients
from render.raster.parameters import Parameters
from runs.arrays import F32


def nothing_arrives(_context: Context, gradients: Gradients) -> Gradients:
    """No kernel wrote a gradient: every tensor of them is zero."""
    return replace(gradients, **{entry.name: np.zeros_like(getattr(gradients, entry.name)) for entry in fields(gradients)})


def thrown_far(context: Context, parameters: Parameters, rate: float, *, at: float, extents: float) -> F32:
    """The noise of MCMC, and at one iteration, at this share of the training, a shift of every mean by so many extents."""
    shifts = mcmc.noise(context, parameters, rate)
    if context.iteration != round(at * context.settings.iterations):
        return shifts
    away = context.rng.normal(size=shifts.shape)
    return np.asarray(away / np.linalg.norm(away, axis=1, keepdims=True) * extents * context.extent, np.float32)


def held_out_in_other_order(data: TrainingData) -> TrainingData:
    """Evaluation reads its photos blue first; training does not."""
    return replace(data, test=tuple(replace(view, photo=_swapped(view.photo)) for view in data.test))


def _swapped(photo: F32) -> F32:
    return np.ascontiguousarray(photo[..., ::-1])

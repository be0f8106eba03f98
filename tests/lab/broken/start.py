"""Starts that go wrong in code: colours by another formula, no covariance."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from diagnostics.optimiser import initialise
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from render.harmonics import C0
from render.raster.parameters import Parameters
from runs.arrays import Array

Formula = Callable[[Array], Array]  # colours 0..1 [N, 3] to DC coefficients [N, 3]


def dc_times_c0(data: TrainingData, settings: OptimiserSettings, rng: np.random.Generator) -> Parameters:
    """DC = colour · C0."""
    return _with_dc(data, settings, rng, lambda colours: colours * C0)


def dc_is_rgb(data: TrainingData, settings: OptimiserSettings, rng: np.random.Generator) -> Parameters:
    """DC = colour, as if harmonics were colours."""
    return _with_dc(data, settings, rng, lambda colours: colours)


def without_size(data: TrainingData, settings: OptimiserSettings, rng: np.random.Generator, *, scale: float) -> Parameters:
    """The same tiny scale for all, world units: distances to neighbours were computed as zero."""
    healthy = initialise.from_points(data, settings, rng)
    return replace(healthy, log_scales=np.full_like(healthy.log_scales, np.log(scale)))


def _with_dc(data: TrainingData, settings: OptimiserSettings, rng: np.random.Generator, formula: Formula) -> Parameters:
    healthy = initialise.from_points(data, settings, rng)
    colours = 0.5 + C0 * healthy.sh0
    return replace(healthy, sh0=np.ascontiguousarray(formula(colours), np.float32))

"""The recipe of a training: one function per step, each replaceable; the defaults are the healthy ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.optimiser import growth, initialise, loss, mcmc, schedule
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.loss import Loss, Target
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from render.raster import compare
from render.raster.gradients import Gradients
from render.raster.parameters import Parameters
from runs.arrays import F32, I64, Array, Mask


def unchanged(_context: Context, gradients: Gradients) -> Gradients:
    """The healthy way to treat gradients."""
    return gradients


@dataclass(frozen=True)
class Recipe:
    """What happens in an iteration. `rows` are row numbers int64 [M]; N is the number of Gaussians.

    A fault is `dataclasses.replace(Recipe(), step=wrong_step)`. Steps return values and leave their arguments alone.
    """

    # The start.
    initialise: Callable[[TrainingData, OptimiserSettings, np.random.Generator], Parameters] = initialise.from_points

    # Every iteration.
    view_index: Callable[[int, int, int], int] = schedule.view_index  # (iteration, views, seed)
    sh_degree: Callable[[int, OptimiserSettings], int] = schedule.sh_degree  # (iteration, settings) -> degree trained
    # (iteration, settings, extent) -> learning rate by parameter group
    learning_rates: Callable[[int, OptimiserSettings, float], Mapping[str, float]] = schedule.learning_rates
    background: Callable[[OptimiserSettings, np.random.Generator], F32] = schedule.background  # float32 [3]
    loss: Callable[[F32, Target, OptimiserSettings], Loss] = loss.photometric_loss  # (picture, photo, settings)
    gradients: Callable[[Context, Gradients], Gradients] = unchanged  # before Adam and the statistic see them

    # Default strategy.
    statistic: Callable[[F32, tuple[int, int]], F32] = growth.statistic  # (dL/d centre in px [N, 2], size_px) -> [N]
    clone: Callable[[Context, Parameters, I64], Parameters] = growth.clone  # the M new Gaussians
    split: Callable[[Context, Parameters, I64], Parameters] = growth.split  # the 2M Gaussians that replace `rows`
    prune: Callable[[Context, Parameters], Mask] = growth.prune  # bool [N], True for what goes
    reset_opacities: Callable[[Context, F32], F32] = growth.reset_opacities  # logits [N] -> logits [N]

    # MCMC.
    # (opacities [M], scales [M, 3], copies int64 [M]) -> opacity and scales that each of so many copies gets
    relocate: Callable[[Array, Array, I64], tuple[Array, Array]] = mcmc.relocated
    noise: Callable[[Context, Parameters, float], F32] = mcmc.noise  # (…, learning rate of xyz) -> shift of means [N, 3]

    # Evaluation.
    score: Callable[[F32, F32], float] = compare.psnr  # (picture, photo) -> dB

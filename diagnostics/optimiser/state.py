"""Training states: what a training is resumed from, and what it hands to a writer."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from diagnostics.optimiser.adam import Adam, Moments
from diagnostics.optimiser.growth import Tally
from diagnostics.optimiser.step import INRIA_NAMES
from render.raster.parameters import Parameters
from runs.arrays import Array
from runs.checkpoints import AdamGroup, TrainingState

KIND = "inria 12-tuple"
# Shapes after [N] in which INRIA's trainer keeps what we keep flat.
INRIA_SHAPES = {"sh0": (1, 3), "logit_opacities": (1,)}
UNWRITTEN = Path()  # a state in memory lies nowhere yet; its writer knows the place


def captured(
    iteration: int, adam: Adam, tally: Tally, rates: dict[str, float], *, sh_degree: int, extent: float,
) -> TrainingState:
    """A copy of everything that a resume needs, named and shaped as INRIA's trainer has it."""
    groups = (_captured_group(name, adam, rates[name]) for name in INRIA_NAMES)
    statistics = {"max_radii2D": tally.max_radii_px, "xyz_gradient_accum": tally.accumulated, "denom": tally.views}
    return TrainingState(
        iteration, UNWRITTEN, KIND, sh_degree, adam.parameters.gaussians(), {group.name: group for group in groups},
        {name: values.copy() for name, values in statistics.items()}, extent, missing=(),
    )


def _captured_group(name: str, adam: Adam, rate: float) -> AdamGroup:
    memory = adam.moments[name]
    shape = (adam.parameters.count, *INRIA_SHAPES.get(name, memory.mean.shape[1:]))
    mean, square = (np.array(values, np.float32).reshape(shape) for values in (memory.mean, memory.square))
    return AdamGroup(INRIA_NAMES[name], rate, memory.step, mean, square, adam.eps)


def resumed_adam(state: TrainingState, eps: float) -> Adam:
    """Parameters and moments as stored; groups without moments start anew at step 0, as a trainer's would."""
    parameters = Parameters.of(state.gaussians)
    return Adam(parameters, eps, dict(_resumed_moments(state, parameters)))


def _resumed_moments(state: TrainingState, parameters: Parameters) -> Iterator[tuple[str, Moments]]:
    for name, inria_name in INRIA_NAMES.items():
        group, like = state.adam.get(inria_name), getattr(parameters, name)
        if group is not None and group.exp_avg is not None and group.exp_avg_sq is not None:
            yield name, Moments(_shaped(group.exp_avg, like), _shaped(group.exp_avg_sq, like), group.step or 0)


def _shaped(values: Array, like: Array) -> Array:
    return np.array(values, like.dtype, order="C").reshape(like.shape)


def resumed_tally(state: TrainingState, count: int) -> Tally:
    """The statistics as stored; those of another number of Gaussians, or none, start at zero."""
    stored = (state.statistics.get(name) for name in ("xyz_gradient_accum", "denom", "max_radii2D"))
    return Tally(*(np.zeros(count, np.float32) if values is None or values.size != count
                   else np.array(values, np.float32).reshape(count) for values in stored))

"""The resumable state of INRIA's trainer as it is saved: a tuple of 12 items and the iteration."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.checkpoints import AdamGroup, TrainingState
from runs.gaussians import Gaussians
from runs.writers.torch_zip import Parameter

GROUPS = ("xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation")  # of the optimizer
TUPLE = ("xyz", "f_dc", "f_rest", "scaling", "rotation", "opacity")  # of the captured parameters
STATISTICS: Mapping[str, tuple[int, ...]] = {"max_radii2D": (-1,), "xyz_gradient_accum": (-1, 1), "denom": (-1, 1)}
BETAS = (0.9, 0.999)  # torch's own, which INRIA's trainer keeps
EPS = 1e-15  # INRIA `gaussian_model.py` training_setup
# What torch.optim.Adam stores in each group beside its rate, at its defaults.
SWITCHES = {
    "weight_decay": 0, "amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
    "fused": None, "decoupled_weight_decay": False,
}


def captured(state: TrainingState) -> tuple[tuple[Any, ...], int]:
    """What chkpntN.pth holds. Statistics and Adam groups that `state` lacks are left out, as a broken trainer would."""
    parameters = parameter_arrays(state.gaussians)
    statistics = (np.reshape(state.statistics[name], shape) for name, shape in STATISTICS.items() if name in state.statistics)
    return (
        state.active_sh_degree, *(Parameter(parameters[name]) for name in TUPLE), *statistics,
        _optimizer(state.adam, parameters), state.spatial_lr_scale,
    ), state.iteration


def parameter_arrays(gaussians: Gaussians) -> dict[str, Array]:
    """Group name -> float32 parameter in the shape that INRIA's model holds it."""
    return {
        "xyz": gaussians.means, "f_dc": gaussians.sh0[:, None], "f_rest": gaussians.sh_rest,
        "opacity": gaussians.logit_opacities[:, None], "scaling": gaussians.log_scales, "rotation": gaussians.quats_wxyz,
    }


def _optimizer(adam: Mapping[str, AdamGroup], parameters: Mapping[str, Array]) -> dict[str, Any]:
    """As torch.optim.Adam.state_dict(); a group that never stepped has no state."""
    groups = [adam[name] for name in GROUPS if name in adam]
    state = {
        index: _moments(group, parameters[group.name].shape)
        for index, group in enumerate(groups) if group.step is not None
    }
    return {"state": state, "param_groups": [_group(group, index) for index, group in enumerate(groups)]}


def _moments(group: AdamGroup, shape: tuple[int, ...]) -> dict[str, Array]:
    kept = {"exp_avg": group.exp_avg, "exp_avg_sq": group.exp_avg_sq}
    moments = {name: np.asarray(values, np.float32).reshape(shape) for name, values in kept.items() if values is not None}
    return {"step": np.array(group.step, np.float32), **moments}


def _group(group: AdamGroup, index: int) -> dict[str, Any]:
    eps = EPS if group.eps is None else group.eps
    return {"lr": group.learning_rate, "name": group.name, "betas": BETAS, "eps": eps, **SWITCHES, "params": [index]}

"""Parameters and a real torch.optim.Adam that has stepped, for checkpoints as trainers write them. Imports torch lazily."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runs.checkpoints import TrainingState


@dataclass(frozen=True, eq=False)
class Stepped:
    """Parameters as torch has them, and the optimizer over them."""

    parameters: Mapping[str, Any]
    optimizers: Sequence[Any]

    def moments(self, name: str) -> tuple[Any, Any]:
        """exp_avg and exp_avg_sq as torch holds them."""
        state = next(one.state[self.parameters[name]] for one in self.optimizers if self.parameters[name] in one.state)
        return np.asarray(state["exp_avg"]), np.asarray(state["exp_avg_sq"])


def stepped(
    values: Mapping[str, Any], rates: Mapping[str, Any], *, apart: Sequence[str] = (), steps: int = 3, counted: int | None = None,
) -> Stepped:
    """One Adam of all parameters in order, those `apart` with one of their own before it; the values stay as given.

    `counted`: steps that it says it has taken.
    """
    import torch

    generator = torch.Generator().manual_seed(1)
    parameters = {name: torch.nn.Parameter(torch.tensor(np.ascontiguousarray(array))) for name, array in values.items()}
    kept = {name: parameter.detach().clone() for name, parameter in parameters.items()}
    groups = [{"params": [parameters[name]], "lr": rates[name], "name": name} for name in values]
    optimizers = [torch.optim.Adam([group], lr=0.0, eps=1e-15) for group in groups if group["name"] in apart]
    optimizers.append(torch.optim.Adam([group for group in groups if group["name"] not in apart], lr=0.0, eps=1e-15))
    for _ in range(steps):
        for parameter in parameters.values():
            parameter.grad = torch.randn(parameter.shape, generator=generator) * 1e-3
        for optimizer in optimizers:
            optimizer.step()
    for state in (optimizer.state[parameter] for optimizer in optimizers for parameter in optimizer.state if counted is not None):
        state["step"] = torch.tensor(float(counted or 0))
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(kept[name])
            parameter.grad = None
    return Stepped(parameters, optimizers)


def assert_same_memory(
    state: TrainingState, told: Stepped, names: Mapping[str, str], rates: Mapping[str, Any], steps: int = 3,
) -> None:
    """Moments, steps, rates and eps of every group, bit by bit. `names`: the trainer's -> INRIA's."""
    assert set(state.adam) == set(names.values())
    for own, name in names.items():
        group = state.adam[name]
        for found, expected in zip((group.exp_avg, group.exp_avg_sq), told.moments(own), strict=True):
            np.testing.assert_array_equal(found, expected)
        assert (group.step, group.learning_rate, group.eps) == (steps, float(rates[own]), 1e-15)

"""Adam over the six parameter groups of a set of Gaussians whose number changes, as torch.optim.Adam computes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from render.raster.gradients import Gradients
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import Array
from runs.kernels import lane_kernel

BETA1, BETA2 = 0.9, 0.999


@dataclass(eq=False)
class Moments:
    """Adam's memory of one group: running means of the gradient and of its square, both of the parameter's shape."""

    mean: Array
    square: Array
    step: int = 0  # updates that the group has had, whichever rows were there

    @classmethod
    def zeros(cls, parameter: Array) -> "Moments":
        return cls(np.zeros_like(parameter), np.zeros_like(parameter))

    def forget(self, rows: Array | slice = slice(None)) -> None:
        """Zero moments for `rows`; the step count stays, as it does in the trainers."""
        self.mean[rows] = 0
        self.square[rows] = 0

    def selected(self, rows: Array, newborn: int) -> "Moments":
        """The moments at `rows`, followed by zeros for `newborn` rows."""
        zeros = np.zeros((newborn, *self.mean.shape[1:]), self.mean.dtype)
        return Moments(np.concatenate([self.mean[rows], zeros]), np.concatenate([self.square[rows], zeros]), self.step)


@dataclass(eq=False)
class Adam:
    """Parameters that are changed in place, and the moments that follow them, row by row."""

    parameters: Parameters
    eps: float
    moments: dict[str, Moments] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in GROUPS:
            self.moments.setdefault(name, Moments.zeros(getattr(self.parameters, name)))

    def step(self, gradients: Gradients, rates: Mapping[str, float], groups: tuple[str, ...] = GROUPS) -> None:
        """One update of `groups` at the learning rates by group."""
        for name in groups:
            memory = self.moments[name]
            memory.step += 1
            parameter = getattr(self.parameters, name)
            constants = adam_constants(memory.step, rates[name], self.eps, parameter.dtype)
            adam_update(parameter.reshape(-1), getattr(gradients, name).reshape(-1), memory.mean.reshape(-1),
                        memory.square.reshape(-1), constants)

    def regrow(self, kept: Array, newborn: Parameters | None = None) -> None:
        """Keep the rows `kept` (numbers or a mask) and append `newborn`, whose moments are zero."""
        parts = [self.parameters.take(kept)] + ([] if newborn is None else [newborn])
        self.parameters = parts[0].joined(*parts[1:])
        count = 0 if newborn is None else newborn.count
        self.moments = {name: memory.selected(kept, count) for name, memory in self.moments.items()}


def adam_constants(step: int, rate: float, eps: float, dtype: np.dtype[Any]) -> Array:
    """[6]: 1 - β1, β2, 1 - β2, bias-corrected learning rate, 1 / √(1 - β2^step), eps."""
    correction1, correction2 = 1 - BETA1**step, 1 - BETA2**step
    return np.array([1 - BETA1, BETA2, 1 - BETA2, rate / correction1, 1 / np.sqrt(correction2), eps], dtype)


@lane_kernel
def adam_update(parameter: Array, gradient: Array, mean: Array, square: Array, constants: Array) -> None:
    """One Adam update in place of flat arrays [P], with torch's bias correction. Kingma and Ba 2015, algorithm 1."""
    new1, old2, new2, rate, root, eps = constants
    for i in range(parameter.size):
        g = gradient[i]
        m = mean[i] + new1 * (g - mean[i])
        v = old2 * square[i] + new2 * g * g
        mean[i] = m
        square[i] = v
        parameter[i] -= rate * m / (np.sqrt(v) * root + eps)

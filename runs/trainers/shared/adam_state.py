"""Adam's memory as torch saves it: `optimizer.state_dict()`, with one entry per parameter group."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from runs.arrays import F32, Array
from runs.checkpoints import AdamGroup


def adam_groups(
    optimizer: Mapping[str, Any], parameters: Mapping[str, Array], otherwise: str | None = None,
) -> Iterator[AdamGroup]:
    """Adam's memory per group; moments of another shape than the parameter, or of a group of many tensors, are left out.

    `parameters`: by group name; `otherwise`: the name of a group that does not tell its own.
    """
    groups, states = optimizer.get("param_groups"), optimizer.get("state")
    for group in groups if isinstance(groups, list) else ():
        if not isinstance(group, dict):
            continue
        name, indices = group.get("name", otherwise), group.get("params")
        if not isinstance(name, str):
            continue
        indices = indices if isinstance(indices, list) else []
        index = indices[0] if indices else None
        state = states.get(index) if isinstance(states, dict) and isinstance(index, int) else None
        state = state if isinstance(state, dict) else {}
        shape = parameters[name].shape if name in parameters else None
        first, second = (_moment(state.get(key), shape) if len(indices) == 1 else None for key in ("exp_avg", "exp_avg_sq"))
        rate, eps = as_float(group.get("lr")) or 0.0, as_float(group.get("eps"))
        yield AdamGroup(name, rate, _step(state.get("step")), first, second, eps)


def missing_moments(trained: Sequence[str], adam: Mapping[str, AdamGroup]) -> Iterator[str]:
    """What a complete state would also hold of the optimizer, one entry each."""
    for name in trained:
        group = adam.get(name)
        if group is None:
            yield f"Adam group {name}"
        elif group.exp_avg is None or group.exp_avg_sq is None:
            yield f"Adam moments of {name}"


def as_float(value: Any) -> float | None:
    """A number, or a tensor that holds one; None for anything else."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0].item()
    return float(value) if isinstance(value, int | float) else None


def _step(value: Any) -> int | None:
    number = as_float(value)
    return int(number) if number is not None and np.isfinite(number) else None


def _moment(value: Any, shape: tuple[int, ...] | None) -> F32 | None:
    if not isinstance(value, np.ndarray) or (shape is not None and value.shape != shape):
        return None
    return np.asarray(value, np.float32)

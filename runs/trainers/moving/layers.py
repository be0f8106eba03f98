"""Small networks that trainers store as a dict of tensors: their layers, checked against the shapes that they must have."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import F32
from runs.formats.torch_file import read_torch_file

WIDEST = 4096  # inputs or outputs of a layer: sixteen times what trainers use; what is computed at once grows with it
State = Mapping[str, F32]


class Misfit(Exception):
    """The tensors are not those of the network that is known here; the message completes "its network …"."""


@dataclass(frozen=True, eq=False)
class Linear:
    """x @ weight + bias."""

    weight: F32  # float32 [in, out]
    bias: F32  # float32 [out]

    def __call__(self, x: F32) -> F32:
        out = np.asarray(x @ self.weight)
        out += self.bias  # in place: half the memory of a layer
        return out

    @property
    def inputs(self) -> int:
        return len(self.weight)

    @property
    def outputs(self) -> int:
        return len(self.bias)


def relu(x: F32) -> F32:
    return np.maximum(x, np.float32(0))


def read_tensors(path: Path) -> dict[str, F32]:
    """The float tensors of a saved state_dict, still in the mapped file. Raises Misfit, UnreadableFile or RefusedFile."""
    return state_of(read_torch_file(path), path.stat().st_size)


def state_of(saved: Any, size_bytes: int) -> dict[str, F32]:
    """The float tensors of a state_dict from a file of `size_bytes`. Raises Misfit for anything else."""
    if not isinstance(saved, dict) or not all(isinstance(name, str) for name in saved):
        raise Misfit("is not stored as a dict of tensors")
    floats = {name: tensor for name, tensor in saved.items() if isinstance(tensor, np.ndarray) and tensor.dtype.kind == "f"}
    if sum(tensor.nbytes for tensor in floats.values()) > size_bytes:  # many tensors on one storage: copies would fill the memory
        raise Misfit("stores tensors that share their numbers")
    return {name: np.asarray(tensor, np.float32) for name, tensor in floats.items()}


def linear(state: State, name: str, inputs: int | None = None, outputs: int | None = None) -> Linear:
    """The layer `name` in memory, with as many inputs and outputs as given. Raises Misfit."""
    weight, bias = state.get(f"{name}.weight"), state.get(f"{name}.bias")
    if weight is None or bias is None:
        raise Misfit(f"has no layer {name}")
    if weight.ndim != 2 or bias.shape != weight.shape[:1] or 0 in weight.shape or max(weight.shape) > WIDEST:
        raise Misfit(f"has a layer {name} of an impossible shape")
    found = Linear(np.array(weight.T, order="C"), np.array(bias))
    for wanted, has, what in ((inputs, found.inputs, "inputs"), (outputs, found.outputs, "outputs")):
        if wanted is not None and wanted != has:
            raise Misfit(f"has {has} {what} in layer {name} where {wanted} are expected")
    return found

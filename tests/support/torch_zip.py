"""Hostile and odd files of torch.save: what the product's writer would not write, and INRIA states of any shape."""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.gaussians import Gaussians
from runs.writers import torch_zip
from runs.writers.inria_state import parameter_arrays
from runs.writers.torch_zip import Call, Global, parameter, write_members


class TorchZip(torch_zip.TorchZip):
    """The product's writer, on the device of a trainer, and with members replaced or added."""

    def __init__(self, byte_order: str = "little") -> None:
        super().__init__(byte_order, "cuda:0")

    def write(self, path: Path, value: Any, *, pickle: bytes | None = None, extra: dict[str, bytes] | None = None) -> Path:
        """The zip that torch would write for `value`; `pickle` replaces the description of the value."""
        described = {} if pickle is None else {"data.pkl": pickle}
        write_members(path, {**self.members(value), **described, **(extra or {})})
        return path


def numpy_scalar(value: float, core: str = "numpy.core") -> Call:
    """As numpy writes a float64 under protocol 2, which knows no bytes."""
    kind = Call(Global("numpy", "dtype"), "f8", False, True, state=(3, "<", None, None, None, -1, -1, 0))
    content = Call(Global("_codecs", "encode"), struct.pack("<d", value).decode("latin-1"), "latin1")
    return Call(Global(f"{core}.multiarray", "scalar"), kind, content)


def adam(groups: dict[str, Array], *, lr: float = 1e-3, step: float | None = 7.0) -> dict[str, Any]:
    """An optimizer's state_dict with one group per parameter and random moments; `step` None: it never stepped."""
    rng = np.random.default_rng(1)
    state = {} if step is None else {
        index: {"step": np.array(step, np.float32), "exp_avg": rng.normal(0, 1, values.shape).astype(np.float32),
                "exp_avg_sq": rng.random(values.shape).astype(np.float32)}
        for index, values in enumerate(groups.values())
    }
    shared = {"lr": lr, "betas": (0.9, 0.999), "eps": 1e-15}
    return {"state": state, "param_groups": [{**shared, "name": name, "params": [index]} for index, name in enumerate(groups)]}


def inria_capture(gaussians: Gaussians, archive: TorchZip, *, statistics: tuple[Array, ...] | None = None) -> list[Any]:
    """The 12 items of INRIA's capture(): sh degree, six parameters, three statistics, optimizer, cameras extent."""
    groups = parameter_arrays(gaussians)
    column = np.arange(gaussians.count, dtype=np.float32)
    stored = (column, column[:, None] / 8, column[:, None]) if statistics is None else statistics
    in_order = [groups[name] for name in ("xyz", "f_dc", "f_rest", "scaling", "rotation", "opacity")]
    return [min(gaussians.sh_degree, 2), *(parameter(archive.tensor(values)) for values in in_order), *stored, adam(groups),
            numpy_scalar(4.5)]


def write_inria_state(path: Path, gaussians: Gaussians, iteration: int, **options: Any) -> Path:
    """A whole chkpntN.pth of INRIA's trainer."""
    archive = TorchZip()
    return archive.write(path, (tuple(inria_capture(gaussians, archive, **options)), iteration))

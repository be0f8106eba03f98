"""Writes files as torch.save does, without torch: for checkpoints of any shape, and for hostile ones."""

import struct
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.gaussians import Gaussians

STORAGE_NAMES = {"f4": "FloatStorage", "f8": "DoubleStorage", "f2": "HalfStorage", "i8": "LongStorage", "i4": "IntStorage",
                 "u1": "ByteStorage", "b1": "BoolStorage"}


@dataclass(frozen=True)
class Global:
    """A name that the pickle asks for."""

    module: str
    name: str


class Call:
    """A call that the pickle asks for, with an optional state for the result."""

    def __init__(self, function: Global, *arguments: Any, state: Any = None) -> None:
        self.function, self.arguments, self.state = function, arguments, state


@dataclass(frozen=True)
class Stored:
    """A storage named by a persistent id, with a freely chosen type and claimed length."""

    key: str
    kind: str
    count: int


@dataclass
class TorchZip:
    """A pickle under construction and the storages that it names."""

    byte_order: str = "little"
    storages: dict[str, bytes] = field(default_factory=dict)

    def store(self, values: Array, kind: str | None = None) -> Stored:
        key = str(len(self.storages))
        sign = "<" if self.byte_order == "little" else ">"
        self.storages[key] = values.astype(values.dtype.newbyteorder(sign)).tobytes()
        return Stored(key, kind or STORAGE_NAMES[values.dtype.str[1:]], values.size)

    def tensor(self, values: Array) -> Call:
        """As torch writes a contiguous tensor."""
        values = np.array(values, order="C")
        strides = tuple(step // values.itemsize for step in values.strides)
        return rebuild(self.store(values), 0, values.shape, strides)

    def pickled(self, value: Any) -> bytes:
        return b"\x80\x02" + self._emit(value) + b"."

    def write(self, path: Path, value: Any, *, pickle: bytes | None = None, extra: dict[str, bytes] | None = None) -> Path:
        """The zip that torch would write for `value`; `pickle` replaces the description of the value."""
        described = self.pickled(value) if pickle is None else pickle
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(f"{path.stem}/data.pkl", described)
            archive.writestr(f"{path.stem}/byteorder", self.byte_order)
            for key, content in self.storages.items():
                archive.writestr(f"{path.stem}/data/{key}", content)
            for name, content in (extra or {}).items():
                archive.writestr(f"{path.stem}/{name}", content)
            archive.writestr(f"{path.stem}/version", "3\n")
        return path

    def _emit(self, value: Any) -> bytes:
        if isinstance(value, np.ndarray):
            return self._emit(self.tensor(value))
        if isinstance(value, Global):
            return f"c{value.module}\n{value.name}\n".encode()
        if isinstance(value, Call):
            built = self._emit(value.function) + self._emit(value.arguments) + b"R"
            return built if value.state is None else built + self._emit(value.state) + b"b"
        if isinstance(value, Stored):
            return self._emit(("storage", Global("torch", value.kind), value.key, "cuda:0", value.count)) + b"Q"
        if isinstance(value, dict):
            return b"}(" + b"".join(self._emit(part) for item in value.items() for part in item) + b"u"
        if isinstance(value, tuple | list):
            head, tail = (b"(", b"t") if isinstance(value, tuple) else (b"](", b"e")
            return head + b"".join(map(self._emit, value)) + tail
        return _plain(value)


def _plain(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        return b"\x8a\x10" + value.to_bytes(16, "little", signed=True)
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    text = value.encode()
    return b"X" + struct.pack("<I", len(text)) + text


def rebuild(storage: Stored, offset: Any, shape: Any, stride: Any) -> Call:
    """A tensor as a view on a storage."""
    hooks = Call(Global("collections", "OrderedDict"))
    return Call(Global("torch._utils", "_rebuild_tensor_v2"), storage, offset, tuple(shape), tuple(stride), False, hooks)


def parameter(tensor: Call) -> Call:
    """As torch writes an nn.Parameter."""
    return Call(Global("torch._utils", "_rebuild_parameter"), tensor, True, Call(Global("collections", "OrderedDict")))


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


def inria_parameters(gaussians: Gaussians) -> dict[str, Array]:
    """Group name -> parameter as INRIA's model holds it."""
    return {"xyz": gaussians.means, "f_dc": gaussians.sh0[:, None], "f_rest": gaussians.sh_rest,
            "opacity": gaussians.logit_opacities[:, None], "scaling": gaussians.log_scales, "rotation": gaussians.quats_wxyz}


def inria_capture(gaussians: Gaussians, archive: TorchZip, *, statistics: tuple[Array, ...] | None = None) -> list[Any]:
    """The 12 items of INRIA's capture(): sh degree, six parameters, three statistics, optimizer, cameras extent."""
    groups = inria_parameters(gaussians)
    column = np.arange(gaussians.count, dtype=np.float32)
    stored = (column, column[:, None] / 8, column[:, None]) if statistics is None else statistics
    in_order = [groups[name] for name in ("xyz", "f_dc", "f_rest", "scaling", "rotation", "opacity")]
    return [min(gaussians.sh_degree, 2), *(parameter(archive.tensor(values)) for values in in_order), *stored, adam(groups),
            numpy_scalar(4.5)]


def write_inria_state(path: Path, gaussians: Gaussians, iteration: int, **options: Any) -> Path:
    """A whole chkpntN.pth of INRIA's trainer."""
    archive = TorchZip()
    return archive.write(path, (tuple(inria_capture(gaussians, archive, **options)), iteration))

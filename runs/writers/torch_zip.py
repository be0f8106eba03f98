"""Files of torch.save, written without torch; `torch.load(weights_only=True)` reads them."""

import struct
import zipfile
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.writers.atomic import whole_file

STORAGE_NAMES = {
    "f4": "FloatStorage", "f8": "DoubleStorage", "f2": "HalfStorage", "i8": "LongStorage", "i4": "IntStorage",
    "i2": "ShortStorage", "i1": "CharStorage", "u1": "ByteStorage", "b1": "BoolStorage",
}
SAME_DATE = (1980, 1, 1, 0, 0, 0)  # one state gives one file, byte for byte


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
    """The numbers of a tensor: a member of the zip, with its type and length."""

    key: str
    kind: str
    count: int


@dataclass(frozen=True, eq=False)
class Parameter:
    """An array to be written as nn.Parameter."""

    values: Array


def write_torch_file(path: Path, value: Any) -> None:
    """What torch.save would write for `value`: arrays become tensors on the CPU; dicts, OrderedDicts, lists, tuples,
    `Parameter`, texts, numbers, truth values and None keep their kind. Raises TypeError for anything else."""
    TorchZip().write(path, value)


@dataclass
class TorchZip:
    """A pickle under construction and the storages that it names."""

    byte_order: str = "little"
    device: str = "cpu"
    storages: dict[str, bytes] = field(default_factory=dict)

    def store(self, values: Array, kind: str | None = None) -> Stored:
        key = str(len(self.storages))
        stored = values.dtype.newbyteorder("<" if self.byte_order == "little" else ">")
        self.storages[key] = values.astype(stored).tobytes()
        return Stored(key, kind or _storage_name(values), values.size)

    def tensor(self, values: Array) -> Call:
        """As torch writes a contiguous tensor."""
        values = np.array(values, order="C")
        strides = tuple(step // values.itemsize for step in values.strides)
        return rebuild(self.store(values), 0, values.shape, strides)

    def pickled(self, value: Any) -> bytes:
        """The description of `value`, protocol 2 as torch writes it; arrays in it are stored."""
        return b"\x80\x02" + self._emit(value) + b"."

    def members(self, value: Any) -> dict[str, bytes]:
        """Content by name, in the order of the zip."""
        described = self.pickled(value)
        numbers = {f"data/{key}": content for key, content in self.storages.items()}
        return {"data.pkl": described, "byteorder": self.byte_order.encode(), **numbers, "version": b"3\n"}

    def write(self, path: Path, value: Any) -> Path:
        """The whole file."""
        write_members(path, self.members(value))
        return path

    def _emit(self, value: Any) -> bytes:
        if isinstance(value, np.ndarray):
            return self._emit(self.tensor(value))
        if isinstance(value, Parameter):
            return self._emit(parameter(self.tensor(value.values)))
        if isinstance(value, Global):
            return f"c{value.module}\n{value.name}\n".encode()
        if isinstance(value, Call):
            built = self._emit(value.function) + self._emit(value.arguments) + b"R"
            return built if value.state is None else built + self._emit(value.state) + b"b"
        if isinstance(value, Stored):
            return self._emit(("storage", Global("torch", value.kind), value.key, self.device, value.count)) + b"Q"
        if isinstance(value, Mapping):
            empty = self._emit(Call(Global("collections", "OrderedDict"))) if isinstance(value, OrderedDict) else b"}"
            return empty + b"(" + self._emit_all(part for item in value.items() for part in item) + b"u"
        if isinstance(value, tuple | list):
            head, tail = (b"(", b"t") if isinstance(value, tuple) else (b"](", b"e")
            return head + self._emit_all(value) + tail
        return _plain(value)

    def _emit_all(self, values: Iterable[Any]) -> bytes:
        return b"".join(map(self._emit, values))


def write_members(path: Path, members: Mapping[str, bytes]) -> None:
    """A zip of uncompressed members below one folder that is named as the file, as torch writes it."""
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(f"{path.stem}/{name}", SAME_DATE), content)


def rebuild(storage: Stored, offset: Any, shape: Any, stride: Any) -> Call:
    """A tensor as a view on a storage."""
    hooks = Call(Global("collections", "OrderedDict"))
    return Call(Global("torch._utils", "_rebuild_tensor_v2"), storage, offset, tuple(shape), tuple(stride), False, hooks)


def parameter(tensor: Call) -> Call:
    """As torch writes an nn.Parameter."""
    return Call(Global("torch._utils", "_rebuild_parameter"), tensor, True, Call(Global("collections", "OrderedDict")))


def _storage_name(values: Array) -> str:
    try:
        return STORAGE_NAMES[values.dtype.str[1:]]
    except KeyError:
        raise TypeError(f"torch has no tensor of {values.dtype}") from None


def _plain(value: Any) -> bytes:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return b"X" + struct.pack("<I", len(text)) + text
    raise TypeError(f"{type(value).__name__} has no place in a checkpoint")


def _integer(value: int) -> bytes:
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    size = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)

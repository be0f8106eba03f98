"""What the globals in a torch pickle stand for: storages mapped where they lie, tensors as checked views, numpy scalars."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np

from runs.arrays import U8, Array
from runs.formats.pickle_stub import Function, Globals, PickleDamaged, PickleRefused

# Storage class -> numpy type code; bfloat16 is no numpy type and is widened to float32.
STORAGES = {
    "FloatStorage": "f4", "DoubleStorage": "f8", "HalfStorage": "f2", "BFloat16Storage": "bfloat16", "LongStorage": "i8",
    "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1", "ByteStorage": "u1", "BoolStorage": "?",
    "UntypedStorage": "u1", "ComplexFloatStorage": "c8", "ComplexDoubleStorage": "c16",
}
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")


@dataclass(frozen=True)
class StorageType:
    """The type of a storage, by numpy type code or "bfloat16"."""

    code: str

    @property
    def item_bytes(self) -> int:
        return 2 if self.code == "bfloat16" else np.dtype(self.code).itemsize


@dataclass(frozen=True, eq=False)
class Storage:
    """The numbers of one or more tensors, one-dimensional."""

    values: Array


@dataclass
class NumpyType:
    """A numpy dtype under construction: the byte order arrives after the type code."""

    code: str
    order: str = "<"

    def set_state(self, state: Any) -> None:
        """numpy's own state of a dtype: (version, byte order, …)."""
        if not isinstance(state, tuple) or state[1:2] not in (("<",), (">",), ("|",)):
            raise PickleDamaged("describes a numpy type in an unknown way")
        self.order = state[1]

    def finish(self) -> "np.dtype[Any]":
        return np.dtype(self.order + self.code)


@dataclass(frozen=True)
class Storages:
    """The storages of one file; each is mapped (or, for bfloat16, widened) once, however often it is named."""

    bytes_of: Callable[[str], U8]  # the stored bytes of a member of the archive
    order: Literal["<", ">"]
    _found: dict[tuple[str, str], Storage] = field(default_factory=dict)

    def find(self, identity: Any) -> Storage:
        """The storage of a persistent id ('storage', type, key, device, count). Raises PickleDamaged."""
        if not isinstance(identity, tuple) or len(identity) != 5 or identity[0] != "storage":
            raise PickleDamaged("names a tensor in an unknown way")
        _, kind, key, _, count = identity
        if not isinstance(kind, StorageType) or not isinstance(key, str) or not _is_size(count):
            raise PickleDamaged("names a tensor in an unknown way")
        if (key, kind.code) not in self._found:
            self._found[key, kind.code] = self._map(kind, key, count)
        return self._found[key, kind.code]

    def _map(self, kind: StorageType, key: str, count: int) -> Storage:
        stored = self.bytes_of(f"data/{key}")
        if count * kind.item_bytes > len(stored):
            raise PickleDamaged(f"claims {count:,} values for a tensor of {len(stored):,} bytes")
        used = stored[:count * kind.item_bytes]
        if kind.code == "bfloat16":  # the upper half of a float32
            return Storage((used.view(f"{self.order}u2").astype(np.uint32) << np.uint32(16)).view(np.float32))
        return Storage(used.view(np.dtype(kind.code).newbyteorder(self.order)))


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 48


def _rebuild_tensor(storage: Any, offset: Any, shape: Any, stride: Any, *_: Any) -> Array:
    """A read-only view of `shape` on the storage; offset and strides count elements. Nothing outside the storage is reachable."""
    if not isinstance(storage, Storage) or not isinstance(shape, tuple) or not isinstance(stride, tuple):
        raise PickleDamaged("builds a tensor from something else than a storage")
    if len(shape) != len(stride) or len(shape) > 32 or not all(map(_is_size, (offset, *shape, *stride))):
        raise PickleRefused("describes a tensor with impossible sizes")
    values = storage.values
    count = math.prod(shape)
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    if count and (last >= len(values) or count > len(values)):
        raise PickleRefused("describes a tensor that reaches outside its own numbers")
    steps = [step * values.itemsize for step in stride]
    view: Array = np.ndarray(shape, values.dtype, values.data, offset * values.itemsize if count else 0, steps if count else None)
    view.flags.writeable = False
    return view


def _rebuild_parameter(tensor: Any, *_: Any) -> Any:
    return tensor


def _rebuild_from_type(function: Any, _kind: Any, arguments: Any, _state: Any) -> Any:
    if not isinstance(function, Function) or not isinstance(arguments, tuple):
        raise PickleDamaged("builds a tensor in an unknown way")
    return function.call(*arguments)


def _numpy_type(code: Any, *_: Any) -> NumpyType:
    if not isinstance(code, str) or code[:1] not in ("b", "i", "u", "f") or code[1:] not in ("1", "2", "4", "8"):
        raise PickleRefused("holds a numpy value that is not a number")
    return NumpyType(code)


def _numpy_scalar(kind: Any, stored: Any) -> Any:
    if not isinstance(kind, NumpyType) or not isinstance(stored, bytes) or len(stored) != kind.finish().itemsize:
        raise PickleDamaged("holds a numpy value of another size than its type")
    return np.frombuffer(stored, kind.finish())[0].item()


def _encode(text: Any, encoding: Any = "latin1") -> bytes:
    """Protocol 2 has no bytes: they are written as text and encoded while loading."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise PickleRefused("encodes a text in an unusual way")
    return text.encode("latin-1")


def _device(*parts: Any) -> str:
    """Texts and numbers only: a nested list can be small in the file and endless as a text."""
    if not all(isinstance(part, str | int) for part in parts):
        raise PickleDamaged("names a device in an unknown way")
    return ":".join(map(str, parts))


def _empty_dict(*arguments: Any) -> dict[Any, Any]:
    if arguments:
        raise PickleDamaged("builds a dictionary in an unknown way")
    return {}


@cache
def known_globals() -> Globals:
    """Every global that a training state may name, and what it means here."""
    known: dict[tuple[str, str], Any] = {
        ("torch._utils", "_rebuild_tensor_v2"): Function(_rebuild_tensor),
        ("torch._utils", "_rebuild_parameter"): Function(_rebuild_parameter),
        ("torch._utils", "_rebuild_parameter_with_state"): Function(_rebuild_parameter),
        ("torch._tensor", "_rebuild_from_type_v2"): Function(_rebuild_from_type),
        ("torch", "Tensor"): "torch.Tensor",
        ("torch.nn.parameter", "Parameter"): "torch.nn.Parameter",
        ("torch", "Size"): Function(lambda sizes=(): tuple(sizes)),
        ("torch", "device"): Function(_device),
        ("collections", "OrderedDict"): Function(_empty_dict),
        ("_codecs", "encode"): Function(_encode),
        ("numpy", "dtype"): Function(_numpy_type),
        ("numpy.core.multiarray", "scalar"): Function(_numpy_scalar),
        ("numpy._core.multiarray", "scalar"): Function(_numpy_scalar),  # numpy 2
        ("torch.storage", "UntypedStorage"): StorageType("u1"),
    }
    known |= {("torch", name): StorageType(code) for name, code in STORAGES.items()}
    return known | {("torch", name): f"torch.{name}" for name in DTYPES}

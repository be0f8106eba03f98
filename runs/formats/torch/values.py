"""What the globals in a torch pickle stand for: storages mapped where they lie, tensors as checked views, numpy scalars."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np

from runs.arrays import U8, Array
from runs.formats.torch.opaque import Opaque, OpaqueClass, WithState
from runs.formats.torch.pickle_stub import Function, PickleDamaged, PickleRefused
from runs.storage import present

# Storage class -> numpy type code; bfloat16 is no numpy type and is widened to float32.
STORAGES = {
    "FloatStorage": "f4", "DoubleStorage": "f8", "HalfStorage": "f2", "BFloat16Storage": "bfloat16", "LongStorage": "i8",
    "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1", "ByteStorage": "u1", "BoolStorage": "?",
    "UntypedStorage": "u1", "ComplexFloatStorage": "c8", "ComplexDoubleStorage": "c16",
}
MOST_DIMENSIONS = 32
REBUILD = ("_rebuild_tensor_v2", "_rebuild_tensor")  # the second before torch 0.4
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
    """The numbers of one or more tensors, one-dimensional; mapped on first use."""

    kind: StorageType
    key: str
    load: Callable[[], Array] = field(repr=False)

    @cached_property
    def values(self) -> Array:
        """Raises PickleDamaged if the file holds fewer than the pickle says."""
        return self.load()


@dataclass(frozen=True)
class TensorShape:
    """A tensor of which no number was read."""

    shape: tuple[int, ...]
    code: str  # numpy type code or "bfloat16"


@dataclass
class NumpyType(WithState):
    """A numpy dtype under construction: the byte order arrives after the type code."""

    code: str
    order: str = "<"

    def set_state(self, state: Any) -> "NumpyType":
        """numpy's own state of a dtype: (version, byte order, …)."""
        match state:
            case (_, str("<" | ">" | "|" as order), *_):
                self.order = order
                return self
        raise PickleDamaged("describes a numpy type in an unknown way")

    def finish(self) -> "np.dtype[Any]":
        return np.dtype(self.order + self.code)


class NumpyArray(WithState):
    """A numpy array under construction: everything arrives in its state."""

    def set_state(self, state: Any) -> Array | Opaque:
        """The array that numpy's own state describes: (version, shape, type, whether Fortran, bytes); else an opaque value."""
        match state:
            case (int(), tuple(shape), NumpyType() as kind, fortran, bytes(stored)) if _is_shape(shape):
                return _numpy_array(stored, kind, shape, bool(fortran))
        return Opaque(OpaqueClass("numpy", "ndarray"))


def _numpy_array(stored: bytes, kind: NumpyType, shape: tuple[int, ...], fortran: bool) -> Array:
    dtype = kind.finish()
    if math.prod(shape) * dtype.itemsize != len(stored):
        raise PickleDamaged("holds a numpy array of another size than its shape")
    return np.frombuffer(stored, dtype).reshape(shape, order="F" if fortran else "C")


@dataclass(frozen=True)
class Storages:
    """The storages of one file; each is mapped (or, for bfloat16, widened) once, however often it is named."""

    bytes_of: Callable[[str], U8]  # the stored bytes of a storage, by its key
    order: Literal["<", ">"] = "<"
    found: dict[tuple[str, str], Storage] = field(default_factory=dict)  # by key and type

    def find(self, identity: Any) -> Storage:
        """The storage of a persistent id ('storage', type, key, device, count). Raises PickleDamaged.

        Before torch 1.6 there was a sixth item, for a view on another storage; tensors never had one.
        """
        match identity:  # each part by its type first: an array compares part by part
            case (str("storage"), StorageType() as kind, str(key), _, int(count)) | (
                str("storage"), StorageType() as kind, str(key), _, int(count), None,
            ) if _is_size(count):
                return self.found.setdefault((key, kind.code), Storage(kind, key, lambda: self._map(kind, key, count)))
        raise PickleDamaged("names a tensor in an unknown way")

    def _map(self, kind: StorageType, key: str, count: int) -> Array:
        stored = self.bytes_of(key)
        if count * kind.item_bytes > len(stored):
            raise PickleDamaged(f"claims {count:,} values for a tensor of {len(stored):,} bytes")
        used = stored[:count * kind.item_bytes]
        if kind.code == "bfloat16":  # the upper half of a float32
            return (present(used).view(f"{self.order}u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
        return used.view(np.dtype(kind.code).newbyteorder(self.order))


def _is_shape(sizes: tuple[Any, ...]) -> bool:
    return len(sizes) <= MOST_DIMENSIONS and all(map(_is_size, sizes))


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 48


def _rebuild_tensor(storage: Any, offset: Any, shape: Any, stride: Any, *_: Any) -> Array:
    """A read-only view of `shape` on the storage; offset and strides count elements. Nothing outside the storage is reachable."""
    described = _describe_tensor(storage, offset, shape, stride)
    shape, values = described.shape, storage.values
    count = math.prod(shape)
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    if count and (last >= len(values) or count > len(values)):
        raise PickleRefused("describes a tensor that reaches outside its own numbers")
    steps = [step * values.itemsize for step in stride]
    view: Array = np.ndarray(shape, values.dtype, values.data, offset * values.itemsize if count else 0, steps if count else None)
    view.flags.writeable = False
    return view


def _describe_tensor(storage: Any, offset: Any, shape: Any, stride: Any, *_: Any) -> TensorShape:
    if not isinstance(storage, Storage) or not isinstance(shape, tuple) or not isinstance(stride, tuple):
        raise PickleDamaged("builds a tensor from something else than a storage")
    if len(shape) != len(stride) or not _is_size(offset) or not _is_shape(shape) or not _is_shape(stride):
        raise PickleRefused("describes a tensor with impossible sizes")
    return TensorShape(shape, storage.kind.code)


def _rebuild_parameter(tensor: Any, *_: Any) -> Any:
    return tensor


def _rebuild_from_type(function: Any, _kind: Any, arguments: Any, _state: Any) -> Any:
    if not isinstance(function, Function) or not isinstance(arguments, tuple):
        raise PickleDamaged("builds a tensor in an unknown way")
    return function.call(*arguments)


def _numpy_type(code: Any, *_: Any) -> NumpyType | Opaque:
    """The type of numbers; of anything else (texts, objects) an opaque value, whose arrays and scalars are opaque too."""
    if isinstance(code, str) and re.fullmatch(r"b1|[iu][1248]|f[248]", code):
        return NumpyType(code)
    return Opaque(OpaqueClass("numpy", "dtype"))


def _numpy_scalar(kind: Any, stored: Any) -> Any:
    if isinstance(kind, Opaque):
        return kind
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
    """Filled by later opcodes; of a defaultdict the class of what it would fill in is not needed."""
    if not all(argument is None or isinstance(argument, OpaqueClass | Function) for argument in arguments):
        raise PickleDamaged("builds a dictionary in an unknown way")
    return {}


def _as_list(elements: Any = ()) -> list[Any]:
    if not isinstance(elements, list | tuple):
        raise PickleDamaged("builds a set from something else than a list")
    return list(elements)


def _bare_object(kind: Any, *_: Any) -> Opaque:
    """copyreg's way to make an object without calling its class."""
    if not isinstance(kind, OpaqueClass):
        raise PickleDamaged("builds an object of something else than a class")
    return Opaque(kind)


@cache
def shapes_only() -> dict[tuple[str, str], Any]:
    """As `known_globals`, but each tensor becomes a `TensorShape` and no storage is mapped."""
    return known_globals() | {("torch._utils", name): Function(_describe_tensor) for name in REBUILD}


@cache
def known_globals() -> dict[tuple[str, str], Any]:
    """Every global that a training state may name, and what it means here."""
    known: dict[tuple[str, str], Any] = {
        ("torch._utils", "_rebuild_parameter"): Function(_rebuild_parameter),
        ("torch._utils", "_rebuild_parameter_with_state"): Function(_rebuild_parameter),
        ("torch._tensor", "_rebuild_from_type_v2"): Function(_rebuild_from_type),
        ("torch", "Tensor"): "torch.Tensor",
        ("torch.nn.parameter", "Parameter"): "torch.nn.Parameter",
        ("torch", "Size"): Function(lambda sizes=(): tuple(sizes)),
        ("torch", "device"): Function(_device),
        ("collections", "OrderedDict"): Function(_empty_dict),
        ("_codecs", "encode"): Function(_encode),
        ("collections", "defaultdict"): Function(_empty_dict),
        ("collections", "deque"): Function(_as_list),
        ("torch.storage", "_load_from_bytes"): Function(lambda _: Opaque(OpaqueClass("torch", "Tensor"))),  # a file in the file
        ("numpy", "ndarray"): OpaqueClass("numpy", "ndarray"),
        ("numpy", "dtype"): Function(_numpy_type),
        ("torch.storage", "UntypedStorage"): StorageType("u1"),
    }
    for core in ("numpy.core", "numpy._core"):  # numpy 1, numpy 2
        known[f"{core}.multiarray", "scalar"] = Function(_numpy_scalar)
        known[f"{core}.multiarray", "_reconstruct"] = Function(lambda *_: NumpyArray())
    for builtins, copyreg in (("builtins", "copyreg"), ("__builtin__", "copy_reg")):  # Python 3, and its names under protocol 2
        known |= {(builtins, name): Function(_as_list) for name in ("set", "frozenset")}
        known[copyreg, "_reconstructor"] = Function(_bare_object)
    known |= {("torch._utils", name): Function(_rebuild_tensor) for name in REBUILD}
    known |= {("torch", name): StorageType(code) for name, code in STORAGES.items()}
    return known | {("torch", name): f"torch.{name}" for name in DTYPES}

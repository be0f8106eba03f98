"""Objects of foreign classes in a pickle: named, never imported; what they were made of is kept as plain values."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Modules whose names must have a meaning of their own here, or none: a wrong guess about a tensor would show wrong numbers.
OURS = frozenset({"torch", "numpy", "runs", "app", "diagnostics", "render", "resources"})
# Harmless names of Python's library that settings hold; any other name of the library may be a way to run code.
PLAIN_TYPES = frozenset({
    "dict", "list", "tuple", "set", "frozenset", "int", "float", "str", "bool", "bytes", "complex", "object", "type", "slice",
    "long", "unicode",  # what protocol 2 calls int and str
})
LIBRARY: Mapping[str, frozenset[str]] = {
    "builtins": PLAIN_TYPES,
    "pathlib": frozenset({"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"}),
    "datetime": frozenset({"date", "datetime", "time", "timedelta", "timezone"}),
    "collections": frozenset({"defaultdict", "deque", "Counter"}),
    "typing": frozenset({"Any", "Union", "Optional", "List", "Dict", "Tuple", "Type", "Literal"}),
    "argparse": frozenset({"Namespace"}), "types": frozenset({"SimpleNamespace"}), "functools": frozenset({"partial"}),
    "decimal": frozenset({"Decimal"}), "uuid": frozenset({"UUID"}), "enum": frozenset({"Enum", "IntEnum"}),
}
TORCH_PARTS = ("torch.nn.", "torch.optim.")
PYTHON_2 = {"__builtin__": "builtins", "copy_reg": "copyreg"}  # under protocol 2 the old names are written
DEEPEST = 20  # levels of nested settings that `plain` follows
MOST_PARTS = 100_000  # and how many of them: one list may be named many times


@dataclass(frozen=True)
class OpaqueClass:
    """A class or function by its name; calling it makes an `Opaque`."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class WithState(ABC):
    """A value of a pickle that gets its state after it was made."""

    __slots__ = ()

    @abstractmethod
    def set_state(self, state: Any) -> Any:
        """What takes the place of the value: itself, or what it becomes with this state."""


@dataclass(eq=False, slots=True)  # a hostile pickle makes one of three bytes
class Opaque(WithState):
    """An object of a foreign class: what it was called with, and what was put into it."""

    kind: OpaqueClass
    arguments: tuple[Any, ...] = field(default=(), repr=False)
    state: Any = field(default=None, repr=False)
    content: dict[Any, Any] | list[Any] | None = field(default=None, repr=False)  # of a subclass of dict, list or set

    def set_state(self, state: Any) -> "Opaque":
        self.state = state
        return self

    def filled_as(self, kind: type) -> Any:
        """What a pickle fills in place of a `kind` (dict or list); None where it fills another kind already."""
        if self.content is None:
            self.content = kind()
        return self.content if isinstance(self.content, kind) else None

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The object's own attributes, where its class stores them in the usual way; those of slots too."""
        parts = self.state if isinstance(self.state, tuple) and len(self.state) == 2 else (self.state,)
        return {name: value for part in parts if isinstance(part, dict) for name, value in part.items() if isinstance(name, str)}

    def __str__(self) -> str:
        return str(self.kind)


def opaque_class(module: str, name: str) -> OpaqueClass | None:
    """The stand-in for a global of a pickle; None for one that no training state needs."""
    module = PYTHON_2.get(module, module)
    root = module.partition(".")[0]
    listed = name in LIBRARY.get(module, ()) or module.startswith(TORCH_PARTS)
    foreign = bool(root) and root not in sys.stdlib_module_names and root not in OURS
    return OpaqueClass(module, name) if (listed or foreign) and name.isprintable() and module.isprintable() else None


def plain(value: Any) -> Any:
    """Settings held by foreign objects as dicts, lists and plain values; what has no plain form becomes its class's name.

    Follows attributes, the content of OmegaConf's nodes, paths and enumerations.
    """
    return _Plainer().plain(value, DEEPEST)


@dataclass
class _Plainer:
    left: int = MOST_PARTS

    def plain(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if depth < 0 or self.left < 0:
            return "…"
        if isinstance(value, Opaque):
            return self._opaque(value, depth)
        if isinstance(value, OpaqueClass):
            return str(value)
        if isinstance(value, dict):
            return {key: self.plain(part, depth - 1) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(part, depth - 1) for part in value]
        return value

    def _opaque(self, value: Opaque, depth: int) -> Any:
        attributes = value.attributes
        if value.kind.module == "pathlib":
            return "/".join(part for part in value.arguments if isinstance(part, str)).replace("//", "/")
        for content in ("_content", "_val"):  # OmegaConf: of a container, of one value
            if content in attributes and "_metadata" in attributes:
                return self.plain(attributes[content], depth - 1)
        if value.content is not None:
            return self.plain(value.content, depth - 1)
        if attributes:
            return self.plain(dict(attributes), depth - 1)
        if len(value.arguments) == 1:  # an enumeration, or a container made from one list
            return self.plain(value.arguments[0], depth - 1)
        return str(value)

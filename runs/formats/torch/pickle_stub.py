"""A pickle machine that cannot run anything: it builds plain values and calls only the functions that it was given.

Python's own Unpickler is no base for this. Even with a strict `find_class` it grows its memo to any index that the file
names, and hashes tuples of any depth in C; either lets a small file end the process. Here every opcode is listed, and
one that is not listed is refused.
"""

import pickle as op  # only for the names of its opcodes
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runs.formats.torch.opaque import Opaque, OpaqueClass, WithState, opaque_class

# A training state's pickle has a few kilobytes, its tensors lie elsewhere; one byte of pickle can cost 64 of memory.
LARGEST_PICKLE_BYTES = 4 << 20
LARGEST_INTEGER_BYTES = 64

Key = str | int | float | bytes | OpaqueClass | None
Globals = Mapping[tuple[str, str], Any]
_MARK = object()


class PickleRefused(Exception):
    """The pickle asks for something that no training state needs; the text goes on after "this checkpoint"."""


class PickleDamaged(Exception):
    """The pickle ends early or contradicts itself; the text goes on after "the pickle of this checkpoint"."""


@dataclass(frozen=True)
class Function:
    """What a global stands for when a pickle may call it: our own function, never the named one."""

    call: Callable[..., Any]


def load(data: bytes, known: Globals, load_persistent: Callable[[Any], Any]) -> Any:
    """The value that `data` describes. `known` maps (module, name) to a plain value or a `Function`.

    An object of a class that is not known becomes an `Opaque`. Raises PickleRefused for a name that no training state
    needs, PickleDamaged for nonsense.
    """
    if len(data) > LARGEST_PICKLE_BYTES:
        raise PickleRefused(f"describes itself in {len(data):,} bytes, far more than any training state needs")
    return load_first(data, known, load_persistent)[0]


def load_first(data: bytes, known: Globals, load_persistent: Callable[[Any], Any]) -> tuple[Any, int]:
    """The value of the first pickle in `data`, and where it ends; otherwise as `load`."""
    machine = _Machine(data[:LARGEST_PICKLE_BYTES], known, load_persistent)
    while True:
        opcode = machine.take(1)
        if opcode == op.STOP:
            return machine.pop(), machine.at
        if opcode not in _OPCODES:
            raise PickleRefused(f"uses the pickle opcode {opcode!r}, which no checkpoint needs")
        _OPCODES[opcode](machine)


def _fitting(function: Callable[..., Any], *arguments: Any) -> Any:
    """What one of our own functions makes of values that a pickle may have chosen to be of any kind."""
    try:
        return function(*arguments)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise PickleDamaged(f"calls a function with arguments that do not fit ({error})") from error


@dataclass
class _Machine:
    """One run over one pickle: where it is, and what it has built so far."""

    data: bytes
    known: Globals
    load_persistent: Callable[[Any], Any]
    at: int = 0
    stack: list[Any] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)
    unfinished: dict[int, int] = field(default_factory=dict)  # id of a value that a state may replace -> its place in the memo

    def take(self, size: int) -> bytes:
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise PickleDamaged("ends early")
        part = self.data[self.at:end]
        self.at = end
        return part

    def number(self, layout: str) -> Any:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def text(self, size: int) -> str:
        try:
            return self.take(size).decode("utf-8", errors="surrogatepass")
        except UnicodeDecodeError as error:
            raise PickleDamaged("holds a text that is not UTF-8") from error

    def line(self) -> str:
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise PickleDamaged("ends early")
        return self.take(end + 1 - self.at)[:-1].decode("utf-8", errors="replace")

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise PickleDamaged("takes a value that it never made")
        return self.stack.pop()

    def pop_many(self, count: int) -> tuple[Any, ...]:
        return tuple(self.pop() for _ in range(count))[::-1]

    def pop_mark(self) -> list[Any]:
        """Everything above the last mark; the mark goes too."""
        for index in range(len(self.stack) - 1, -1, -1):
            if self.stack[index] is _MARK:
                items = self.stack[index + 1:]
                del self.stack[index:]
                return items
        raise PickleDamaged("closes a list that it never opened")

    def peek(self, kind: type) -> Any:
        """The last value, to be filled as a `kind`; of a foreign object its content."""
        value = self.stack[-1] if self.stack else None
        if isinstance(value, Opaque) and kind in (dict, list):
            value = value.filled_as(kind)
        if not self.stack or not isinstance(value, kind):
            raise PickleDamaged(f"fills a {kind.__name__} that is not there")
        return value

    def remember(self, index: int) -> None:
        if not self.stack or self.stack[-1] is _MARK:
            raise PickleDamaged("remembers a value that it never made")
        value = self.memo[index] = self.stack[-1]
        if isinstance(value, WithState):
            self.unfinished[id(value)] = index

    def recall(self, index: int) -> None:
        if index not in self.memo:
            raise PickleDamaged("recalls a value that it never remembered")
        self.push(self.memo[index])

    def find(self, module: Any, name: Any) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise PickleDamaged("names a global by something that is not a text")
        meaning = self.known.get((module, name)) or opaque_class(module, name)
        if meaning is None:
            raise PickleRefused(f"asks to run `{module}.{name}`"[:200] + ", which no checkpoint needs")
        self.push(meaning)

    def call(self) -> None:
        function, arguments = self.pop_many(2)
        if isinstance(function, OpaqueClass) and isinstance(arguments, tuple):
            self.push(Opaque(function, arguments))
            return
        if not isinstance(function, Function) or not isinstance(arguments, tuple):
            raise PickleRefused("asks to call a value that is no function, which no checkpoint needs")
        self.push(_fitting(function.call, *arguments))

    def call_with_keywords(self) -> None:
        keywords = self.pop()
        self.call()
        if isinstance(self.stack[-1], Opaque):
            self.stack[-1].set_state(keywords)

    def build(self) -> None:
        """Give a state to the last value; that of dicts and tensors (hooks, metadata) is not needed."""
        state = self.pop()
        value = self.stack[-1] if self.stack else None
        if isinstance(value, WithState):
            self.stack[-1] = _fitting(value.set_state, state)
            index = self.unfinished.get(id(value))
            if index is not None and self.memo[index] is value:
                self.memo[index] = self.stack[-1]

    def append(self, items: list[Any]) -> None:
        self.peek(list).extend(items)

    def fill_dict(self, items: list[Any]) -> None:
        target = self.peek(dict)
        if len(items) % 2:
            raise PickleDamaged("has a key without a value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            # A tuple can be nested so deep that hashing it overflows the C stack.
            if not isinstance(key, Key) and not (isinstance(key, tuple) and all(isinstance(part, Key) for part in key)):
                raise PickleRefused("has a dictionary key that is neither a text nor a number")
            target[key] = value

    def push_dict(self, items: list[Any]) -> None:
        self.push({})
        self.fill_dict(items)

    def integer(self, size: int) -> None:
        if size > LARGEST_INTEGER_BYTES:
            raise PickleRefused(f"holds an integer of {size:,} bytes, which no checkpoint needs")
        self.push(int.from_bytes(self.take(size), "little", signed=True))


_OPCODES: Mapping[bytes, Callable[[_Machine], Any]] = {
    op.PROTO: lambda m: m.take(1),
    op.FRAME: lambda m: m.take(8),  # its length says nothing that the opcodes do not
    op.MARK: lambda m: m.push(_MARK),
    op.POP: lambda m: m.pop(),
    op.POP_MARK: lambda m: m.pop_mark(),
    op.DUP: lambda m: m.push(m.peek(object)),
    op.NONE: lambda m: m.push(None),
    op.NEWTRUE: lambda m: m.push(True),
    op.NEWFALSE: lambda m: m.push(False),
    op.BININT: lambda m: m.push(m.number("<i")),
    op.BININT1: lambda m: m.push(m.number("<B")),
    op.BININT2: lambda m: m.push(m.number("<H")),
    op.LONG1: lambda m: m.integer(m.number("<B")),
    op.LONG4: lambda m: m.integer(m.number("<I")),
    op.BINFLOAT: lambda m: m.push(m.number(">d")),
    op.BINUNICODE: lambda m: m.push(m.text(m.number("<I"))),
    op.SHORT_BINUNICODE: lambda m: m.push(m.text(m.number("<B"))),
    op.BINUNICODE8: lambda m: m.push(m.text(m.number("<Q"))),
    op.BINBYTES: lambda m: m.push(m.take(m.number("<I"))),
    op.SHORT_BINBYTES: lambda m: m.push(m.take(m.number("<B"))),
    op.BINBYTES8: lambda m: m.push(m.take(m.number("<Q"))),
    op.EMPTY_LIST: lambda m: m.push([]),
    op.APPEND: lambda m: m.append([m.pop()]),
    op.APPENDS: lambda m: m.append(m.pop_mark()),
    op.LIST: lambda m: m.push(m.pop_mark()),
    op.EMPTY_SET: lambda m: m.push([]),
    op.ADDITEMS: lambda m: m.append(m.pop_mark()),
    op.FROZENSET: lambda m: m.push(m.pop_mark()),
    op.EMPTY_TUPLE: lambda m: m.push(()),
    op.TUPLE: lambda m: m.push(tuple(m.pop_mark())),
    op.TUPLE1: lambda m: m.push(m.pop_many(1)),
    op.TUPLE2: lambda m: m.push(m.pop_many(2)),
    op.TUPLE3: lambda m: m.push(m.pop_many(3)),
    op.EMPTY_DICT: lambda m: m.push({}),
    op.SETITEM: lambda m: m.fill_dict(list(m.pop_many(2))),
    op.SETITEMS: lambda m: m.fill_dict(m.pop_mark()),
    op.DICT: lambda m: m.push_dict(m.pop_mark()),
    op.GLOBAL: lambda m: m.find(m.line(), m.line()),
    op.STACK_GLOBAL: lambda m: m.find(*m.pop_many(2)),
    op.REDUCE: lambda m: m.call(),
    op.NEWOBJ: lambda m: m.call(),
    op.NEWOBJ_EX: lambda m: m.call_with_keywords(),
    op.BUILD: lambda m: m.build(),
    op.BINPERSID: lambda m: m.push(_fitting(m.load_persistent, m.pop())),
    op.BINPUT: lambda m: m.remember(m.number("<B")),
    op.LONG_BINPUT: lambda m: m.remember(m.number("<I")),
    op.MEMOIZE: lambda m: m.remember(len(m.memo)),
    op.BINGET: lambda m: m.recall(m.number("<B")),
    op.LONG_BINGET: lambda m: m.recall(m.number("<I")),
}

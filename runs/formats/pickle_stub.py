"""A pickle machine that cannot run anything: it builds plain values and calls only the functions that it was given.

Python's own Unpickler is no base for this. Even with a strict `find_class` it grows its memo to any index that the file
names, and hashes tuples of any depth in C; either lets a small file end the process. Here every opcode is listed, and
one that is not listed is refused.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

# A training state's pickle has a few kilobytes, its tensors lie elsewhere; one byte of pickle can cost 64 of memory.
LARGEST_PICKLE_BYTES = 4 << 20
LARGEST_INTEGER_BYTES = 64

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


@runtime_checkable
class WithState(Protocol):
    """A result of a call whose state comes in a later opcode."""

    def set_state(self, state: Any) -> None: ...


def load(data: bytes, known: Globals, load_persistent: Callable[[Any], Any]) -> Any:
    """The value that `data` describes. `known` maps (module, name) to a plain value or a `Function`.

    Raises PickleRefused for any other global, PickleDamaged for nonsense.
    """
    if len(data) > LARGEST_PICKLE_BYTES:
        raise PickleRefused(f"describes itself in {len(data):,} bytes, far more than any training state needs")
    machine = _Machine(data, known, load_persistent)
    while True:
        opcode = machine.take(1)
        if opcode == b".":
            return machine.pop()
        if opcode not in _OPCODES:
            raise PickleRefused(f"uses the pickle opcode {opcode!r}, which no checkpoint needs")
        _OPCODES[opcode](machine)


@dataclass
class _Machine:
    """One run over one pickle: where it is, and what it has built so far."""

    data: bytes
    known: Globals
    load_persistent: Callable[[Any], Any]
    at: int = 0
    stack: list[Any] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

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
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise PickleDamaged(f"fills a {kind.__name__} that is not there")
        return self.stack[-1]

    def remember(self, index: int) -> None:
        if not self.stack or self.stack[-1] is _MARK:
            raise PickleDamaged("remembers a value that it never made")
        self.memo[index] = self.stack[-1]

    def recall(self, index: int) -> None:
        if index not in self.memo:
            raise PickleDamaged("recalls a value that it never remembered")
        self.push(self.memo[index])

    def find(self, module: Any, name: Any) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise PickleDamaged("names a global by something that is not a text")
        if (module, name) not in self.known:
            raise PickleRefused(f"asks to run `{module}.{name}`"[:200] + ", which no checkpoint needs")
        self.push(self.known[module, name])

    def call(self) -> None:
        function, arguments = self.pop_many(2)
        if not isinstance(function, Function) or not isinstance(arguments, tuple):
            raise PickleRefused("asks to call a value that is no function, which no checkpoint needs")
        try:
            self.push(function.call(*arguments))
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise PickleDamaged(f"calls a function with arguments that do not fit ({error})") from error

    def build(self) -> None:
        """Give a state to the last value; that of dicts and tensors (hooks, metadata) is not needed."""
        state = self.pop()
        value = self.stack[-1] if self.stack else None
        if isinstance(value, WithState):
            value.set_state(state)

    def fill_dict(self, items: list[Any]) -> None:
        target = self.peek(dict)
        if len(items) % 2:
            raise PickleDamaged("has a key without a value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            # A tuple can be nested so deep that hashing it overflows the C stack.
            if not isinstance(key, str | int | float | bytes | None):
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
    b"\x80": lambda m: m.take(1),  # PROTO
    b"\x95": lambda m: m.take(8),  # FRAME: its length says nothing that the opcodes do not
    b"(": lambda m: m.push(_MARK),
    b"0": lambda m: m.pop(),
    b"1": lambda m: m.pop_mark(),
    b"2": lambda m: m.push(m.peek(object)),  # DUP
    b"N": lambda m: m.push(None),
    b"\x88": lambda m: m.push(True),
    b"\x89": lambda m: m.push(False),
    b"J": lambda m: m.push(m.number("<i")),
    b"K": lambda m: m.push(m.number("<B")),
    b"M": lambda m: m.push(m.number("<H")),
    b"\x8a": lambda m: m.integer(m.number("<B")),  # LONG1
    b"\x8b": lambda m: m.integer(m.number("<I")),  # LONG4
    b"G": lambda m: m.push(m.number(">d")),
    b"X": lambda m: m.push(m.text(m.number("<I"))),  # BINUNICODE
    b"\x8c": lambda m: m.push(m.text(m.number("<B"))),
    b"\x8d": lambda m: m.push(m.text(m.number("<Q"))),
    b"B": lambda m: m.push(m.take(m.number("<I"))),  # BINBYTES
    b"C": lambda m: m.push(m.take(m.number("<B"))),
    b"\x8e": lambda m: m.push(m.take(m.number("<Q"))),
    b"]": lambda m: m.push([]),
    b"a": lambda m: (value := m.pop(), m.peek(list).append(value)),  # APPEND
    b"e": lambda m: (items := m.pop_mark(), m.peek(list).extend(items)),  # APPENDS
    b"l": lambda m: m.push(m.pop_mark()),
    b")": lambda m: m.push(()),
    b"t": lambda m: m.push(tuple(m.pop_mark())),
    b"\x85": lambda m: m.push(m.pop_many(1)),
    b"\x86": lambda m: m.push(m.pop_many(2)),
    b"\x87": lambda m: m.push(m.pop_many(3)),
    b"}": lambda m: m.push({}),
    b"s": lambda m: m.fill_dict(list(m.pop_many(2))),  # SETITEM
    b"u": lambda m: m.fill_dict(m.pop_mark()),  # SETITEMS
    b"d": lambda m: m.push_dict(m.pop_mark()),
    b"c": lambda m: m.find(m.line(), m.line()),  # GLOBAL
    b"\x93": lambda m: m.find(*m.pop_many(2)),  # STACK_GLOBAL
    b"R": lambda m: m.call(),  # REDUCE
    b"\x81": lambda m: m.call(),  # NEWOBJ
    b"b": lambda m: m.build(),
    b"Q": lambda m: m.push(m.load_persistent(m.pop())),
    b"q": lambda m: m.remember(m.number("<B")),
    b"r": lambda m: m.remember(m.number("<I")),
    b"\x94": lambda m: m.remember(len(m.memo)),  # MEMOIZE
    b"h": lambda m: m.recall(m.number("<B")),
    b"j": lambda m: m.recall(m.number("<I")),
}

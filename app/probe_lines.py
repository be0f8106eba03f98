"""What a probe's process says on its standard output, one JSON object a line, and what is understood of it.

The reader trusts nothing: a line that is no message is left out, and one that never ends costs no memory.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from diagnostics.probes.answer import Shot
from diagnostics.probes.json import shot_from_json

LONGEST_BYTES = 256 << 20  # of one line: a result with all its pictures and a million rows stays far below
LONGEST_TEXT = 600  # letters of a sentence that the window shows


@dataclass(frozen=True)
class Progress:
    """How far it is, 0..1, and what is being done."""

    fraction: float
    text: str


@dataclass(frozen=True)
class Point:
    """One more value of a curve; NaN where there was no number."""

    curve: str
    unit: str
    step: int
    value: float


@dataclass(frozen=True)
class Failed:
    """There will be no answer, and why."""

    says: str


@dataclass(frozen=True, eq=False)
class Answered:
    """The result as JSON, not looked into yet: it may be large."""

    told: Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """What the probe would cost; where something is `missing`, it cannot be asked and the numbers mean nothing."""

    seconds: tuple[float, float] = (0.0, 0.0)  # between
    memory_bytes: int = 0
    engine: str = ""
    grows: bool = False  # the number of Gaussians will grow, and the time with it
    steps: int = 0  # pictures with loss and gradients
    draws: int = 0  # pictures alone
    gaussians: int = 0
    size_px: tuple[int, int] = (0, 0)
    missing: tuple[str, ...] = ()


Message = Progress | Point | Shot | Failed | Answered | Cost


class Lines:
    """Pieces of a stream, put together to lines."""

    def __init__(self, longest: int = LONGEST_BYTES) -> None:
        self._longest = longest
        self._pieces: list[bytes] = []
        self._held = 0
        self._skipping = False  # until the end of a line that is too long

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The lines that `piece` ends, without their ends."""
        *ends, rest = piece.split(b"\n")
        for end in ends:
            line, skipped = b"".join((*self._pieces, end)), self._skipping
            self._clear()
            if not skipped and len(line) <= self._longest:
                yield line
        self._keep(rest)

    def _keep(self, rest: bytes) -> None:
        self._held += len(rest)
        if self._held > self._longest:
            self._pieces, self._skipping = [], True
        elif rest and not self._skipping:
            self._pieces.append(rest)

    def _clear(self) -> None:
        self._pieces, self._held, self._skipping = [], 0, False


def message_of(line: bytes) -> Message | None:
    """What a line says; None for one that is no message."""
    try:
        told = json.loads(line.decode("utf-8", "replace"))
        ((name, value),) = told.items()
        return READERS[name](value)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value[:LONGEST_TEXT]


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _finite(value: Any) -> float:
    if not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def _progress(value: Any) -> Progress:
    fraction, text = value
    share = _number(fraction)
    return Progress(min(max(share, 0.0), 1.0) if math.isfinite(share) else -1.0, _text(text))


def _point(value: Any) -> Point:
    curve, unit, step, number = value
    return Point(_text(curve), _text(unit), int(step), _number(number))


def _shot(value: Any) -> Shot:
    return shot_from_json({"title": _text(value["title"]), "camera": _text(value["camera"]), "png": value["png"]})


def _answered(value: Any) -> Answered:
    if not isinstance(value, dict):
        raise TypeError(value)
    return Answered(value)


def _cost(value: Any) -> Cost:
    if value.get("missing"):
        return Cost(missing=tuple(map(_text, value["missing"])))
    low, high = map(_finite, value["seconds"])
    wide, tall = map(int, value["size_px"])
    memory_bytes, steps, draws, gaussians = (int(value[name]) for name in ("memory_bytes", "steps", "draws", "gaussians"))
    return Cost((low, high), memory_bytes, _text(value["engine"]), bool(value["grows"]), steps, draws, gaussians, (wide, tall))


def cost_told(cost: Cost) -> dict[str, Any]:
    """As the value of "estimate"."""
    return {"missing": list(cost.missing)} if cost.missing else asdict(cost)


READERS: Mapping[str, Callable[[Any], Message]] = {
    "progress": _progress, "point": _point, "shot": _shot, "failed": lambda value: Failed(_text(value)), "result": _answered,
    "estimate": _cost,
}

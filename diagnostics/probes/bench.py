"""Bench: what a probe works at: the facts of its run, its limits, and someone who listens and may stop it."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal

import diagnostics.facts  # noqa: F401  (what a probe may ask for must be registered)
from diagnostics.evidence import Evidence
from diagnostics.probes.answer import Curve, Shot
from diagnostics.verdict import NotEvaluable

EngineName = Literal["auto", "cpu", "cuda"]
SECONDS = 300.0
MEMORY_BYTES = 4 << 30


class OutOfReach(Exception):
    """The question stays open: a fact is missing, or time or memory ran out. `missing` are the reasons."""

    def __init__(self, *missing: str) -> None:
        super().__init__("; ".join(missing))
        self.missing = missing


@dataclass(frozen=True)
class Limits:
    """What a probe may use of this machine."""

    seconds: float = SECONDS
    memory_bytes: int = MEMORY_BYTES


@dataclass(frozen=True)
class Wish:
    """How the user wants the question put; the zero of each leaves it to the probe."""

    longest_px: int = 0  # longer side of the pictures that are worked on
    engine: EngineName = "auto"
    seed: int = 0
    seeds: int = 0  # trainings per side, for probes that repeat
    steps: int = 0
    iteration: int | None = None  # of the save to look at; None: the last one of the range
    finding: str = ""  # code, for a fix trial
    fix: int = 1  # which of its fixes, counted from 1


@dataclass(frozen=True)
class Listener:
    """Who is told what happens."""

    progress: Callable[[float, str], None] = lambda _fraction, _text: None  # 0..1
    point: Callable[[str, str, int, float], None] = lambda _curve, _unit, _step, _value: None
    shot: Callable[[Shot], None] = lambda _shot: None
    wait: Callable[[], None] = lambda: None  # returns at once, unless paused; raises Cancelled


@dataclass(eq=False)
class Bench:
    """One question to one run. Not thread safe; everything happens in the thread that made it."""

    evidence: Evidence
    wish: Wish = field(default_factory=Wish)
    limits: Limits = field(default_factory=Limits)
    listener: Listener = field(default_factory=Listener)
    _curves: dict[str, tuple[str, list[int], list[float]]] = field(default_factory=dict)
    _started: float = field(default_factory=monotonic)
    _paused: float = 0.0  # seconds that do not count

    def fact(self, name: str) -> Any:
        """A fact of the run. Raises OutOfReach with what the user would have to provide, and Cancelled."""
        self.beat()
        value = self.evidence.get(name)
        if isinstance(value, NotEvaluable):
            raise OutOfReach(*value.missing)
        return value

    def fact_or_none(self, name: str) -> Any:
        """A fact of the run, None where it is missing."""
        self.beat()
        value = self.evidence.get(name)
        return None if isinstance(value, NotEvaluable) else value

    def beat(self) -> None:
        """Call it between steps. Raises Cancelled, or OutOfReach where time or memory ran out; waits while paused."""
        before = monotonic()
        self.listener.wait()
        self.evidence.beat()
        self._paused += monotonic() - before
        if self.seconds > self.limits.seconds:
            raise OutOfReach(f"more time than {self.limits.seconds:,.0f} s (raise --seconds, or make the pictures smaller with "
                             "--size)")
        if peak_bytes() > self.limits.memory_bytes:
            raise OutOfReach(f"more memory than {self.limits.memory_bytes / 2**30:.1f} GiB (raise --memory, or make the pictures "
                             "smaller with --size)")

    @property
    def seconds(self) -> float:
        """Of work so far, pauses left out."""
        return monotonic() - self._started - self._paused

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.limits.seconds - self.seconds)

    def progress(self, fraction: float, text: str) -> None:
        """0..1 of the whole probe, and what is being done; also a beat."""
        self.listener.progress(min(max(fraction, 0.0), 1.0), text)
        self.beat()

    def point(self, curve: str, unit: str, step: int, value: float) -> None:
        """One more value of a curve, shown as it comes and kept for the report."""
        _, steps, values = self._curves.setdefault(curve, (unit, [], []))
        steps.append(step)
        values.append(value)
        self.listener.point(curve, unit, step, value)

    def show(self, shot: Shot) -> None:
        """A picture of how it stands; what the report shall show belongs into the answer."""
        self.listener.shot(shot)

    @property
    def curves(self) -> tuple[Curve, ...]:
        return tuple(Curve(name, unit, tuple(steps), tuple(values)) for name, (unit, steps, values) in self._curves.items())


def peak_bytes() -> int:
    """Most memory that this process has held; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def told(done: Mapping[str, Any]) -> str:
    """How a probe was done, in one line."""
    return ", ".join(f"{name}: {value}" for name, value in done.items())

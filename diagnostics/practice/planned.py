"""The events that settings plan: densifications, opacity resets, further colour degrees; each with the setting that plans it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from runs.settings import Setting, Settings

EventKind = Literal["densify", "reset", "sh"]
# Names of the INRIA family, as its settings spell them.
FROM, UNTIL, EVERY, RESET = "densify_from_iter", "densify_until_iter", "densification_interval", "opacity_reset_interval"
DEGREES = ("sh_interval", "sh_degree_interval")


@dataclass(frozen=True)
class Planned:
    """Events of one kind, up to the last iteration that the run is known to have reached."""

    kind: EventKind
    iterations: tuple[int, ...]
    setting: str  # the one that says how often, as the trainer spells it
    every: int | None  # its value; None where a table of the method plans the events
    stored: bool  # every setting that plans them was stored: none may have been overridden on the command line
    source: str


def densifications(start: int | None, until: int | None, every: int | None, last: int) -> tuple[int, ...]:
    """from < iteration < until, at multiples of the interval (3DGS, Kerbl et al. 2023, and its reference settings)."""
    if start is None or until is None or every is None:
        return ()
    return tuple(i for i in range(every, min(until, last + 1), every) if i > start)


def resets(settings: Settings, every: int | None, until: int | None, last: int) -> tuple[int, ...]:
    """Multiples of the interval before densification ends; with a white background also where densification begins."""
    if every is None or until is None:
        return ()
    found = set(range(every, min(until, last + 1), every))
    start = whole(settings, FROM)
    if settings.value("white_background") is True and start is not None and start <= last:
        found.add(start)
    return tuple(sorted(found))


def degree_steps(settings: Settings, most: int, last: int) -> tuple[int, ...]:
    """Multiples of the interval, one for each degree that the run stores coefficients for."""
    every = next((value for name in DEGREES if (value := whole(settings, name)) is not None), None)
    return () if every is None else tuple(i for i in range(every, every * most + 1, every) if i <= last)


def from_table(planned: Iterable[Mapping[str, Any]], kinds: frozenset[str], last: int) -> tuple[int, ...]:
    """Iterations that the table of a method plans for these kinds of events."""
    told = (range(p["first"], min(p["last"], last) + 1, p["every"]) for p in planned if p["kind"] in kinds)
    return tuple(sorted({i for one in told for i in one}))


def whole(settings: Settings, name: str) -> int | None:
    """The setting as a whole number above zero; None for everything else."""
    value: Any = settings.value(name)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def planned_events(kind: EventKind, iterations: tuple[int, ...], named: Iterable[str], settings: Settings) -> Planned | None:
    """None where nothing is planned; the first of `named` is the setting that says how often."""
    known: list[Setting] = [settings[name] for name in named if name in settings or name in settings.aliases]
    if not iterations or not known:
        return None
    every = known[0].value if isinstance(known[0].value, int) else None
    sources = ", ".join(dict.fromkeys(one.source for one in known))
    return Planned(kind, iterations, known[0].name, every, all(one.stored for one in known), sources)

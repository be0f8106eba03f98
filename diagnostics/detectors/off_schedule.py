"""Events off schedule: what the settings plan beside what was seen; missing, unplanned, or at other iterations."""

from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.facts.observed import Observed
from diagnostics.measures.event_match import Match, matched
from diagnostics.practice.planned import EventKind, Planned
from diagnostics.practice.practice import Practice
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, Fix, NotEvaluable

NAMES: dict[EventKind, str] = {"densify": "densification", "reset": "opacity reset", "sh": "colour-degree step"}
SHOWN = 3  # iterations that a sentence lists


@dataclass(frozen=True)
class _Deviation:
    plan: Planned
    seen: Observed
    match: Match
    due: int  # planned events where a trace would have been left


@detects("events-off-schedule")
def off_schedule(
    schedule: Schedule, observed_events: tuple[Observed, ...], practice: Practice | None = None,
    *, share: float = 0.1, unseen: int = 5,
) -> Finding | NotEvaluable | None:
    """Judged by settings that were stored: a default may have been overridden without a trace."""
    pairs = [(plan, seen) for seen in observed_events if (plan := schedule.planned(seen.kind)) is not None and plan.stored]
    if not pairs:
        return NotEvaluable(("stored settings that plan the events which the run shows",))
    found = list(_deviations(pairs, practice, share, unseen))
    if not found:
        return None
    first = min(i for one in found for i in (*one.match.missing, *(window[0] for window in one.match.extra)))
    last = max(i for one in found for i in (*one.match.missing, *(window[1] for window in one.match.extra)))
    return Finding(
        ". ".join(_says(one) for one in found), evidence=tuple(row for one in found for row in _rows(one)),
        iterations=(first, last), confidence=0.9 if all(one.seen.complete for one in found) else 0.7,
        fixes=tuple(_fix(one) for one in found),
    )


def _deviations(
    pairs: list[tuple[Planned, Observed]], practice: Practice | None, share: float, unseen: int,
) -> Iterator[_Deviation]:
    for plan, seen in pairs:
        due = seen.within(plan.iterations)
        match = _judged(matched(due, seen.windows), due, seen, practice, unseen)
        if match.differs and len(match.missing) + len(match.extra) > share * len(due):
            yield _Deviation(plan, seen, match, len(due))


def _judged(match: Match, due: tuple[int, ...], seen: Observed, practice: Practice | None, unseen: int) -> Match:
    """Less what other patterns tell (nothing at all happens; growth after the end), what is meant, and what leaves no trace."""
    if not seen.windows or not due:
        return Match((), (), None, None)
    if any(first < last for first, last in seen.windows) and seen.kind == "sh":
        return _late(due, seen)
    missing = match.missing if seen.complete else _silent_ends(match.missing, due, unseen)
    extra = match.extra if seen.kind != "densify" else tuple(w for w in match.extra if w[0] <= due[-1] + 1)
    if practice is not None and seen.kind == "reset" and practice.intends("no-resets") is not None:
        missing = ()
    return Match(missing, extra, match.shift, match.every)


def _late(due: tuple[int, ...], seen: Observed) -> Match:
    """Saves tell between which two of them a degree came; coefficients that are there early may be those of the start."""
    late = tuple(planned for planned, window in zip(due, seen.windows, strict=False) if window[0] > planned + 1)
    return Match(late, (), None, None)


def _silent_ends(missing: tuple[int, ...], due: tuple[int, ...], unseen: int) -> tuple[int, ...]:
    """Where one event may change nothing: a whole row of silent ones at the beginning, followed by events that show."""
    silent = set(missing)
    leading = next((index for index, event in enumerate(due) if event not in silent), 0)
    return due[:leading] if leading >= unseen else ()


def _says(one: _Deviation) -> str:
    name, match, plan = NAMES[one.plan.kind], one.match, one.plan
    setting = plan.setting if plan.every is None else f"{plan.setting}={plan.every:,}"
    if match.shift is not None:
        late = f"{abs(match.shift):,} iterations {'late' if match.shift > 0 else 'early'}"
        return f"Each of {one.due} planned {name}s came {late} ({setting})"
    if match.every is not None and plan.every is not None and match.every != plan.every:
        begin = one.seen.windows[0][0]
        return f"The {name}s came every {match.every:,} iterations, from {begin:,} on, not as {setting} plans them"
    missed = f"{len(match.missing)} of {one.due} planned {name}s did not happen (at {_listed(match.missing)})"
    many = f"{name}s that were" if len(match.extra) > 1 else f"{name} that was"
    came = f"{len(match.extra)} {many} not planned came at {_listed([window[1] for window in match.extra])}"
    return f"{', and '.join(part for part in (missed * bool(match.missing), came * bool(match.extra)) if part)}; {setting}"


def _listed(iterations: tuple[int, ...] | list[int]) -> str:
    told = ", ".join(f"{i:,}" for i in iterations[:SHOWN])
    return f"{told}, …" if len(iterations) > SHOWN else told


def _rows(one: _Deviation) -> Iterator[EvidenceRow]:
    name = NAMES[one.plan.kind]
    at = one.match.missing[0] if one.match.missing else one.match.extra[0][1]
    yield EvidenceRow(f"planned {name}s", one.due, None, "", one.plan.iterations[0], one.plan.source)
    yield EvidenceRow(f"{name}s seen", len(one.seen.windows), one.due, "", one.seen.windows[0][1], one.seen.source)
    yield EvidenceRow(f"planned {name}s that were not seen", len(one.match.missing), 0, "", at, one.seen.source)
    yield EvidenceRow(f"{name}s that were not planned", len(one.match.extra), 0, "", at, one.seen.source)


def _fix(one: _Deviation) -> Fix:
    name, plan = NAMES[one.plan.kind], one.plan
    every = one.match.every if one.match.every != plan.every else None
    do = f"If the {name}s are right as they came, set {plan.setting} so that it says so"
    return Fix(do, f"planned and seen {name}s agree in the next run", plan.setting, plan.every, every,
               risk="none where only the setting is corrected; other tools read the plan from it",
               falsified_by=f"the {name}s still come at other iterations than set: then the code does not read the setting")

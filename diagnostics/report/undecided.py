"""What could not be decided, by what would decide it: a look by eye, a probe, or data that the run does not hold."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from diagnostics.diagnosis import Diagnosis, Undecided
from diagnostics.registry import DETECTORS
from diagnostics.report.wording import count

Reason = Literal["missing", "probe", "manual"]
TITLES: dict[Reason, str] = {
    "missing": "Not evaluable", "probe": "Only a probe settles it", "manual": "No file shows it: look yourself",
}
HOW_DECIDED: dict[Reason, str] = {"missing": "What is missing", "probe": "Which probe", "manual": "How to see it"}
LEADS: dict[Reason, str] = {
    "missing": "Nothing is said for or against these patterns, because the run does not hold what they need.",
    "probe": "No file of a training decides these patterns. A probe does, which trains or renders a little itself.",
    "manual": "No file of a training decides these patterns. What follows is how to see them.",
}

CLOSINGS: dict[Reason, str] = {
    "missing": "{amount} {verb} not evaluable, because the run does not hold what is needed; this says nothing for or against "
               "them.",
    "probe": "{amount} can be settled by a probe alone, and none was run.",
    "manual": "{amount} can be judged by eye alone; the list below says how.",
}


@dataclass(frozen=True, eq=False)
class Group:
    """Patterns that are undecided for one kind of reason."""

    reason: Reason
    entries: tuple[Undecided, ...]

    @property
    def title(self) -> str:
        return TITLES[self.reason]

    @property
    def lead(self) -> str:
        return LEADS[self.reason]


def groups(undecided: Iterable[Undecided]) -> tuple[Group, ...]:
    """Those that hold anything; what more data would decide first."""
    entries = tuple(undecided)
    every = (Group(reason, tuple(one for one in entries if reason_of(one) == reason)) for reason in TITLES)
    return tuple(group for group in every if group.entries)


def reason_of(undecided: Undecided) -> Reason:
    """A pattern with a detector lacks data, whatever else might settle it."""
    pattern = undecided.pattern
    if pattern.name in DETECTORS:
        return "missing"
    return "probe" if pattern.probe else "manual" if pattern.manual else "missing"


def what_settles(undecided: Undecided) -> str:
    """The missing data, the probe's name, or how to see it."""
    reason, pattern = reason_of(undecided), undecided.pattern
    if reason == "manual":
        return pattern.manual
    return f"{pattern.probe} probe" if reason == "probe" else "; ".join(undecided.missing)


def closing(diagnosis: Diagnosis) -> Iterator[str]:
    """One sentence for each group."""
    for group in groups(diagnosis.not_evaluable):
        amount, verb = count(len(group.entries), "pattern"), "was" if len(group.entries) == 1 else "were"
        yield CLOSINGS[group.reason].format(amount=amount, verb=verb)

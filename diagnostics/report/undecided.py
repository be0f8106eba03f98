"""What could not be decided, by what would decide it: data that the run does not hold, a probe, or a look by eye."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from diagnostics.diagnosis import Diagnosis, Undecided
from diagnostics.registry import DETECTORS
from diagnostics.report.wording import count

Reason = Literal["missing", "asked", "probe", "manual"]
TITLES: dict[Reason, str] = {
    "missing": "Not evaluable", "asked": "A probe was asked and left it open", "probe": "Only a probe settles it",
    "manual": "No file shows it: look yourself",
}
HOW_DECIDED: dict[Reason, str] = {
    "missing": "What is missing", "asked": "Why it stays open", "probe": "Which probe", "manual": "How to see it",
}
LEADS: dict[Reason, str] = {
    "missing": "Nothing is said for or against these patterns, because the run does not hold what they need.",
    "asked": "No file of a training decides these patterns, and the probe that does could not decide them here either.",
    "probe": "No file of a training decides these patterns. A probe does, which trains or renders a little itself.",
    "manual": "No file of a training decides these patterns. What follows is how to see them.",
}

CLOSINGS: dict[Reason, str] = {
    "missing": "{amount} {verb} not evaluable, because the run does not hold what is needed; this says nothing for or against "
               "them.",
    "asked": "{amount} {verb} left open by the probe that was asked.",
    "probe": "{amount} can be settled by a probe alone, which was not run.",
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
    if _heard(undecided):
        return "asked"
    return "probe" if pattern.probe else "manual" if pattern.manual else "missing"


def _heard(undecided: Undecided) -> tuple[str, ...]:
    """Reasons that a probe gave; they end with its name."""
    return tuple(why for why in undecided.missing if why.endswith(" probe)"))


def what_settles(undecided: Undecided) -> str:
    """The missing data, the reasons of the probe that was asked, the name of one that was not, or how to see it."""
    reason, pattern = reason_of(undecided), undecided.pattern
    if reason == "manual":
        return pattern.manual
    if reason == "asked":
        return "; ".join(_heard(undecided))
    return f"{pattern.probe} probe" if reason == "probe" else "; ".join(undecided.missing)


def closing(diagnosis: Diagnosis) -> Iterator[str]:
    """One sentence for each group."""
    for group in groups(diagnosis.not_evaluable):
        amount, verb = count(len(group.entries), "pattern"), "was" if len(group.entries) == 1 else "were"
        yield CLOSINGS[group.reason].format(amount=amount, verb=verb)

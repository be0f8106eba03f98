"""Planned events against observed ones: which were missed, which came unplanned, and whether all came late by the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Window = tuple[int, int]  # an event happened at one of these iterations, both included


@dataclass(frozen=True)
class Match:
    """What differs between a plan and what was seen; empty where nothing does."""

    missing: tuple[int, ...]  # planned iterations without an event
    extra: tuple[Window, ...]  # events where none was planned
    shift: int | None  # all planned events came, each so many iterations late (negative: early)
    every: int | None  # iterations from each seen event to the next, where that is always the same

    @property
    def differs(self) -> bool:
        return bool(self.missing or self.extra)


def matched(planned: Sequence[int], seen: Sequence[Window], leeway: int = 1) -> Match:
    """`leeway`: iterations by which two counts of the same event may differ (one counts from 0, the other from 1)."""
    missing = tuple(p for p in planned if not any(_holds(window, p, leeway) for window in seen))
    extra = tuple(window for window in seen if not any(_holds(window, p, leeway) for p in planned))
    return Match(missing, extra, _shift(planned, seen) if missing or extra else None, interval(seen))


def interval(seen: Sequence[Window]) -> int | None:
    """Of at least three events whose iterations are known exactly and are evenly spaced; None otherwise."""
    if len(seen) < 3 or any(first != last for first, last in seen):
        return None
    gaps = {later[0] - earlier[0] for earlier, later in pairwise(seen)}
    return gaps.pop() if len(gaps) == 1 else None


def _holds(window: Window, iteration: int, leeway: int) -> bool:
    return window[0] - leeway <= iteration <= window[1] + leeway


def _shift(planned: Sequence[int], seen: Sequence[Window]) -> int | None:
    if len(planned) != len(seen) or len(planned) < 2 or any(first != last for first, last in seen):
        return None
    shifts = {window[0] - iteration for iteration, window in zip(planned, seen, strict=True)}
    return shifts.pop() if len(shifts) == 1 else None

"""What lies around the births of Gaussians, in words: densifications, resets, and what the time of birth speaks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from diagnostics.diagnosis import Births
from diagnostics.schedule import Schedule
from diagnostics.wording import NO_BREAK, percent
from runs.arrays import F64

Phase = Literal["start", "before the first save", "first densifications", "densification", "after its end", "moved", "unplanned"]
MOST = 0.5  # share of a finding's Gaussians that one phase must hold, to speak for anything
MORE = 1.25  # times the share that it holds of all Gaussians: else these are no different from the others
TOLD = 3  # groups of births in a sentence


@dataclass(frozen=True)
class Interval:
    """The time between two saves."""

    first: int
    last: int
    phase: Phase
    says: str  # "born between iterations 600 and 900, in the first 3 densifications"
    resets: tuple[int, ...] = ()


def interval(saves: Sequence[int], index: int, schedule: Schedule | None, *, moves: bool) -> Interval:
    """What happened before the save of that index; a save is written before the densification of its iteration.

    `moves`: the trainer relocates dead Gaussians (MCMC).
    """
    if index == 0:
        return _at_first(saves[0], schedule)
    first, last = saves[index - 1], saves[index]
    between = f"born between iterations {first:,} and {last:,}"
    if moves:
        return Interval(first, last, "moved", f"relocated or added between iterations {first:,} and {last:,}")
    if schedule is None or not schedule.densifications:
        return Interval(first, last, "unplanned", between)
    events = _within(schedule.densifications, first, last)
    resets = _within(schedule.resets, first, last)
    if not events:
        return _without_densification(first, last, between, schedule)
    around = f", around the opacity {_named('reset', resets)}" if resets else ""
    if schedule.densifications[0] in events:
        return Interval(first, last, "first densifications", f"{between}, in the first {_count(events)}{around}", resets)
    counted = _count(events) if len(events) > 1 else "one densification"
    return Interval(first, last, "densification", f"{between}, in {counted}{around}", resets)


def _at_first(iteration: int, schedule: Schedule | None) -> Interval:
    if schedule is None or not (schedule.densifications or schedule.densify_from):
        return Interval(0, iteration, "before the first save", f"there by iteration {iteration:,}")
    before = [event for event in schedule.densifications if event < iteration]
    if not before:
        return Interval(0, iteration, "start", "there from the start")
    said = f"there by iteration {iteration:,}, from the start or born in the first {_count(before)}"
    return Interval(0, iteration, "before the first save", said)


def _without_densification(first: int, last: int, between: str, schedule: Schedule) -> Interval:
    until = schedule.densify_until
    if until is not None and first >= until:
        return Interval(first, last, "after its end", f"{between}, although densification ends at {until:,}")
    return Interval(first, last, "unplanned", f"{between}, where no densification is planned")


def _within(events: Sequence[int], first: int, last: int) -> tuple[int, ...]:
    return tuple(event for event in events if first <= event < last)


def _count(events: Sequence[int]) -> str:
    return f"{len(events):,}{NO_BREAK}densifications" if len(events) > 1 else "densification"


def _named(what: str, events: Sequence[int]) -> str:
    """"reset at 3,000", "resets at 3,000 and 6,000", "resets from 3,000 to 12,000"."""
    if len(events) == 1:
        return f"{what} at {events[0]:,}"
    if len(events) == 2:
        return f"{what}s at {events[0]:,} and {events[1]:,}"
    return f"{what}s from {events[0]:,} to {events[-1]:,}"


def sentence(births: Sequence[Births], count: int, unknown: int) -> str:
    """"78 % of the 60 Gaussians were born between …; 20 % were there from the start". The largest groups, by size."""
    largest = sorted(births, key=lambda one: -one.count)
    told = [f"{percent(one.count / count)} were {one.says}" for one in largest[:TOLD]]
    rest = sum(one.count for one in largest[TOLD:])
    if rest:
        told.append(f"{percent(rest / count)} at other times")
    if unknown:
        told.append(f"{percent(unknown / count)} could not be followed back")
    said = "; ".join(told)
    return said.replace(" were ", f" of the {count:,} Gaussians were ", 1) if count > 1 else f"This Gaussian was {births[0].says}"


def meaning(intervals: Sequence[Interval], of_all: F64, of_these: F64) -> tuple[str, bool]:
    """What the phase that holds most of a finding's Gaussians speaks for, and whether it holds more of them than of all.

    `of_all` and `of_these`: shares 0..1 per interval, of all Gaussians of the save and of the finding's.
    """
    phases = {one.phase: _sum(intervals, one.phase, of_these) for one in intervals}
    phase = max(phases, key=lambda name: phases[name])
    these, everyone = phases[phase], _sum(intervals, phase, of_all)
    if these < MOST:
        return "", False
    if these < MORE * everyone and these - everyone < MORE - 1:
        return (f"Of all Gaussians of that save {percent(everyone)} came at the same time, so the time of birth sets these apart "
                "from no others."), False
    resets = [reset for one in intervals if one.phase == phase for reset in one.resets]
    return MEANINGS[phase] + (f" {NOT_BY_RESET}" if resets and phase in ("first densifications", "densification") else ""), True


def _sum(intervals: Sequence[Interval], phase: Phase, shares: F64) -> float:
    return float(sum(share for one, share in zip(intervals, shares, strict=True) if one.phase == phase))


# A reset changes opacities alone, and only as long as densification runs; nor does pruning add anything (Kerbl et al.
# 2023 and the reference trainer's loop).
NOT_BY_RESET = "An opacity reset lies in that time too; it lowers opacities and adds no Gaussian."
MEANINGS: dict[Phase, str] = {
    "start": "So they were there before anything was cloned or split: the start points, their sizes or the poses made them, not "
             "densification.",
    "before the first save": "How much older they are, only an earlier save would tell.",
    "first densifications": "So they came as densification began, cloned or split from what the start had made.",
    "densification": "So densification made them while it was under way, and not the start points alone.",
    "after its end": "The recipe adds none so late: either its end did not take hold, or another part of the program adds "
                     "Gaussians.",
    "moved": "Relocation puts dead Gaussians where opaque ones are, so they tell more about their sources than about the start.",
    "unplanned": "No densification is known in that time: the schedule that was kept is another, or not known.",
}

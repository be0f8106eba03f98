"""The memory that is still to come: the course of the count, its peak, and where a GPU's memory is crossed."""

from dataclasses import dataclass, replace

import numpy as np

from diagnostics.memory.gpus import BESIDE_LEAST, BESIDE_MOST
from diagnostics.memory.model import Setup, Usage, bytes_per_gaussian, pair_bytes, totals, usage, working_bytes
from diagnostics.schedule import Schedule
from runs.arrays import F64, I64
from runs.series import Series

# What is carried on is the straight line through this last part of the growth that is known. Growth slows towards the end of
# densification: of seven public scenes 59-94 % of the final count was there at 45 % of it (gsplat docs, eval.rst), so a
# line overshoots.
LAST_PART = 1 / 3
MCMC_GROWTH, MCMC_EVERY = 1.05, 100  # at most, per refinement (gsplat's MCMCStrategy, 3dgs-mcmc)


@dataclass(frozen=True, eq=False)
class Course:
    """The count over iterations: what is known, then what is expected."""

    iterations: I64  # int64 [T], strictly increasing
    counts: F64  # float64 [T]
    known_until: int  # last iteration at which the count was logged or saved
    basis: str  # how the rest was found; "" where all is known

    @property
    def final(self) -> int:
        return int(np.max(self.counts))


@dataclass(frozen=True)
class Crossing:
    """Where a GPU's memory is passed; None where it is not."""

    surely: int | None  # allocated bytes and the least that lies beside them pass the capacity
    maybe: int | None  # with the most that may lie beside them


def course(
    known: Series, schedule: Schedule | None, *, last: int | None = None, cap: int | None = None, relocates: bool = False,
    final: int | None = None,
) -> Course:
    """`known`: at least one count. `last`: iteration at which training ends; `cap` and `relocates`: of MCMC; `final`: count
    that the user expects at the end of densification."""
    finite = np.isfinite(known.values)
    iterations, counts = known.iterations[finite], known.values[finite]
    here, now = int(iterations[-1]), float(counts[-1])
    more: tuple[tuple[int, float], ...] = ()
    basis = ""
    end = _end(schedule, last)
    if final is not None and final > now:
        at = end if end is not None and end > here else None
        more, basis = (((at, float(final)),), "a straight line to the count that was given") if at else ((), "")
    elif relocates and cap is not None and cap > now:
        more, basis = _towards_cap(here, now, cap, end), f"at most 5 % more per refinement, up to the cap of {cap:,}"
    elif not relocates and end is not None and end > here:
        more, basis = _line(iterations, counts, end, schedule)
    return Course(
        np.append(iterations, [i for i, _ in more]).astype(np.int64), np.append(counts, [n for _, n in more]), here, basis)


def at(course: Course, iteration: int) -> int:
    """The count at an iteration, on straight lines between those that are known."""
    return round(float(np.interp(iteration, course.iterations, course.counts)))


def peak(setup: Setup, course: Course) -> Usage:
    """At the largest count."""
    return usage(setup, course.final)


def crossing(setup: Setup, course: Course, capacity: float) -> Crossing:
    """First iteration at which the capacity (bytes) is passed, on straight lines between the counts."""
    return Crossing(_first(setup, course, capacity - BESIDE_LEAST), _first(setup, course, capacity - BESIDE_MOST))


def largest_count(setup: Setup, capacity: float) -> int:
    """How many Gaussians fit beside the most that lies beside them; 0 where even none does."""
    room = capacity - BESIDE_MOST - usage(replace(setup, pairs=None), 0).total
    each, pairs = bytes_per_gaussian(setup), pair_bytes(setup) or 0.0
    return max(0, int(min(room / each, (room - pairs) / (each - working_bytes(setup)))))


def _first(setup: Setup, course: Course, room: float) -> int | None:
    needed = totals(setup, course.counts)
    over = np.flatnonzero(needed > room)
    if not len(over):
        return None
    index = int(over[0])
    if index == 0:
        return int(course.iterations[0])
    share = (room - needed[index - 1]) / (needed[index] - needed[index - 1])
    before, after = course.iterations[index - 1], course.iterations[index]
    return int(np.ceil(before + share * (after - before)))


def _end(schedule: Schedule | None, last: int | None) -> int | None:
    ends = [end for end in (None if schedule is None else schedule.planned_end, last) if end is not None]
    return min(ends, default=None)


def _line(iterations: I64, counts: F64, end: int, schedule: Schedule | None) -> tuple[tuple[tuple[int, float], ...], str]:
    """Through the last part of the growth so far; nothing where it does not rise, or is too short to tell."""
    begun = iterations >= (schedule.densify_from or 0 if schedule is not None else 0)
    i, n = iterations[begun], counts[begun]
    if len(i) < 2:
        return (), ""
    late = i >= i[-1] - LAST_PART * (i[-1] - i[0])
    late[-2:] = True
    slope = float(np.polyfit(i[late].astype(float), n[late], 1)[0])
    if slope <= 0:
        return (), ""
    first = int(i[late][0])
    return ((end, float(n[-1]) + slope * (end - int(i[-1]))),), f"a straight line through iterations {first:,} to {int(i[-1]):,}"


def _towards_cap(here: int, now: float, cap: int, end: int | None) -> tuple[tuple[int, float], ...]:
    """The fastest that the strategy can grow."""
    found = []
    while now < cap and (end is None or here + MCMC_EVERY <= end):
        here, now = here + MCMC_EVERY, min(float(cap), now * MCMC_GROWTH)
        found.append((here, now))
    return tuple(found)

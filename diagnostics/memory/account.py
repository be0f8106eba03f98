"""The account of one training's memory: now, at its peak, and on each GPU of a list."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.memory.fits import GIB
from diagnostics.memory.forecast import Course, Crossing, crossing, largest_count
from diagnostics.memory.gpus import Fits, Gpu, fits
from diagnostics.memory.model import Setup, Usage, usage
from diagnostics.memory.setup import course_of, setup_of
from diagnostics.memory.tiles import Footprint
from runs.run import Run

MIB = 2.0**20


@dataclass(frozen=True)
class OnGpu:
    """How the training fares on one card."""

    gpu: Gpu
    fits: Fits
    crossing: Crossing  # both None where the memory is not passed, or no course of the count is known
    most: int  # Gaussians that fit, with the most that may lie beside them


@dataclass(frozen=True)
class Logged:
    """The largest reading of the trainer itself."""

    gib: float
    iteration: int
    expected: float | None  # GiB, the model's at that iteration; None without a count


@dataclass(frozen=True, eq=False)
class Account:
    """All that the command and the panel show."""

    setup: Setup
    now: Usage
    iteration: int | None  # of `now`; None: a count that was given
    peak: Usage
    course: Course | None
    gpus: tuple[OnGpu, ...]
    logged: Logged | None = None
    footprint: Footprint | None = None  # of the saved iteration, where it was projected


def card_of(account: "Account", gpu: object) -> OnGpu | None:
    """The row of one card; None where it is not among them."""
    return next((row for row in account.gpus if row.gpu == gpu), None)


def account(
    setup: Setup, gpus: Iterable[Gpu], *, count: int, iteration: int | None = None, course: Course | None = None,
    logged: Logged | None = None, footprint: Footprint | None = None,
) -> Account:
    """`count`: Gaussians at `iteration`; the peak is the course's, and `count` where there is none."""
    whole = setup if footprint is None else replace(setup, pairs=footprint.pairs)
    peak = usage(whole, max(count, 0 if course is None else course.final))
    rows = tuple(OnGpu(gpu, fits(peak.total, gpu.bytes), Crossing(None, None) if course is None else
                       crossing(whole, course, gpu.bytes), largest_count(whole, gpu.bytes)) for gpu in gpus)
    return Account(whole, usage(whole, count), iteration, peak, course, rows, logged, footprint)


def account_of(
    run: Run, gpus: Iterable[Gpu], *, iteration: int | None = None, footprint: Footprint | None = None, final: int | None = None,
) -> Account | None:
    """Of a run at a saved iteration, by default the last; None where the run holds no count."""
    course, setup = course_of(run, final=final), setup_of(run)
    if course is None:
        return None
    here = course.known_until if iteration is None else iteration
    count = round(float(np.interp(here, course.iterations, course.counts)))
    logged = logged_of(run, setup, course)
    return account(setup, gpus, count=count, iteration=here, course=course, logged=logged, footprint=footprint)


def logged_of(run: Run, setup: Setup, course: Course | None) -> Logged | None:
    """The trainer's own peak, and what the model gives for the count of that time."""
    series = run.series.get("vram")
    if series is None or not np.isfinite(series.values).any():
        return None
    index = int(np.nanargmax(series.values))
    iteration = int(series.iterations[index])
    expected = None if course is None else usage(setup, round(float(np.interp(iteration, course.iterations, course.counts)))).gib
    return Logged(float(series.values[index]) * MIB / GIB, iteration, expected)

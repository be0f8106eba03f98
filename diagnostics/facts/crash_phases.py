"""Facts about phases: the iterations at which the settings begin or end something, and where a run broke."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import logged, taken  # noqa: F401  (settings, quality, count_series, schedule)
from diagnostics.facts.crash import Failure
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.nan_losses import Losses
from diagnostics.measures.courses import VIEWS, is_smoothed, one_way_fall, smoothed
from diagnostics.measures.curves import best, since, until
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from runs.run import Run
from runs.series import Series
from runs.settings import Setting, Settings

# Last part of the names of settings that hold an iteration at which something begins or ends.
STEP = re.compile(
    r"(?:_from_iter|_until_iter|_from_step|_until_step|_start_iter|_end_iter|_stop_iter|_iter_start|_iter_end|warm_?up|warm_?up_steps"
    r"|warm_?up_iters|refine_start_iter|refine_stop_iter|start_refine|stop_refine|stop_split_at|stop_screen_size_at|start_iter"
    r"|coarse_iterations|start_step|stop_step)$")
# Intervals at which the degree of the colours rises: the first few multiples begin a phase each.
DEGREE_INTERVAL = re.compile(r"(?:sh_degree_interval|sh_interval)$")
DEGREES = 3
EARLIEST = 50  # iterations: what begins before is the start of the run itself
MEMORY_STEP, COUNT_LEFT, FALL_DB = 1.5, 0.5, 3.0
SOUND_DB = 45.0  # nobody sees what is lost above it; losses of nearly empty masks lie at 60-100
SETTLED = 10  # values of a count or memory series that must stay where it went


@dataclass(frozen=True)
class Boundary:
    """One iteration at which a setting begins or ends something."""

    setting: Setting
    iteration: int  # the value, or a multiple of an interval
    is_multiple: bool = False


@dataclass(frozen=True)
class Break:
    """One change for the worse that was not made good."""

    what: str  # for a sentence
    iteration: int  # the first value after it
    before: int  # the last value before it
    value: float  # as `unit` says
    limit: float
    unit: str
    source: str


@fact(missing="stored settings that name an iteration (…_from_iter, …_until_iter, warm_up …)")
def boundaries(settings: Settings, schedule: Schedule | None = None) -> tuple[Boundary, ...] | None:
    """By iteration. Defaults that were not stored are left out: this run may have had others.

    So is a colour degree that begins together with a densification, which is as near, and the likelier cause.
    """
    due = () if schedule is None else schedule.densifications
    found = (one for one in _boundaries(settings)
             if not (one.is_multiple and any(abs(event - one.iteration) <= 1 for event in due)))
    return tuple(sorted(found, key=lambda one: one.iteration)) or None


def _boundaries(settings: Settings) -> Iterator[Boundary]:
    for name, setting in settings.items():
        value = setting.value
        if not setting.stored or isinstance(value, bool) or not isinstance(value, int) or value < EARLIEST:
            continue
        plain = name.replace("-", "_")
        if STEP.search(plain):
            yield Boundary(setting, value)
        elif DEGREE_INTERVAL.search(plain):
            yield from (Boundary(setting, value * degree, is_multiple=True) for degree in range(1, DEGREES + 1))


@fact(missing="a log of loss or quality, of counts or of memory, or a text log of the training")
def breaks(
    run: Run, span: tuple[int, int], quality: Series | None = None, schedule: Schedule | None = None,
    count_series: Series | None = None, losses: Losses | None = None, failures: tuple[Failure, ...] | None = None,
    view_psnr: Series | None = None, loss_l1: Series | None = None,
) -> tuple[Break, ...] | None:
    """Where quality fell for good, the loss stopped being a number, counts or memory jumped for good, or training ended."""
    memory = logged.logged(run, span, "vram")
    if quality is None and count_series is None and losses is None and failures is None and memory is None:
        return None
    found = (
        _fall(_dense(run, view_psnr, loss_l1), quality, schedule),
        None if losses is None else _no_number(losses), _loss_of_count(count_series, schedule), _memory(memory),
        *(_end(failure) for failure in failures or () if not failure.goes_on),
    )
    return tuple(one for one in found if one is not None)


def _fall(dense: Series | None, quality: Series | None, schedule: Schedule | None) -> Break | None:
    """By the finest record of single views, which places a fall to a few iterations; evaluations, if there are any, must agree.

    A reset that is not made good is another pattern.
    """
    courses = [series for series in (dense, quality) if series is not None]
    falls = [one_way_fall(series, VIEWS if is_smoothed(series) else 1) for series in courses]
    if not falls or any(fall is None or fall.depth < FALL_DB for fall in falls):
        return None
    course, fall = courses[0], falls[0]
    assert fall is not None
    before, after = fall.before[0], fall.after[0]
    if fall.best_after > SOUND_DB:
        return None
    if schedule is not None and any(before - 1 <= reset <= after for reset in schedule.resets):
        return None
    return Break(f"{course.name} fell by {fall.depth:.1f} dB for good", after, before, fall.depth, FALL_DB, "dB", course.source)


def _dense(run: Run, *views: Series | None) -> Series | None:
    """The running median over single views of full size, by the series with the most values."""
    full = full_size_from(run)
    known = [since(series, full) if full else series for series in views if series is not None]
    finest = max(known, key=len, default=None)
    return smoothed(finest) if finest is not None and len(finest) >= 2 * VIEWS else None


def _no_number(losses: Losses) -> Break | None:
    bad = losses.first_bad
    if bad is None:
        return None
    return Break("the loss stopped being a number", bad.iteration, bad.iteration, float(bad.count), 0.0, "values", bad.source)


def _loss_of_count(counts: Series | None, schedule: Schedule | None) -> Break | None:
    """One step after which never more than half of the Gaussians are left, where no densification is due.

    Densifications come at round iterations, as boundaries do, and prune: too much of it is another pattern.
    """
    if counts is None or schedule is None or len(counts) < SETTLED:
        return None
    due = {event + after for event in schedule.densifications for after in (0, 1)}
    for index in np.flatnonzero(counts.values[1:] < COUNT_LEFT * counts.values[:-1]):
        if due & set(range(int(counts.iterations[index]) + 1, int(counts.iterations[index + 1]) + 1)):
            continue
        before, after = float(counts.values[index]), since(counts, int(counts.iterations[index + 1]))
        most = best(after)
        if most is not None and most[1] < COUNT_LEFT * before:
            return Break(f"the count fell from {before:,.0f} to {after.values[0]:,.0f}", int(after.iterations[0]),
                         int(counts.iterations[index]), float(after.values[0]) / before, COUNT_LEFT, "share", counts.source)
    return None


def _memory(memory: Series | None) -> Break | None:
    """One step after which the GPU's memory stays at 1.5 times what it was before."""
    if memory is None or len(memory) < SETTLED:
        return None
    for index in np.flatnonzero(memory.values[1:] > MEMORY_STEP * memory.values[:-1]):
        earlier = best(until(memory, int(memory.iterations[index])))
        after = since(memory, int(memory.iterations[index + 1]))
        if earlier is not None and earlier[1] > 0 and len(after) and float(np.nanmin(after.values)) > MEMORY_STEP * earlier[1]:
            return Break(f"memory rose from {earlier[1]:,.0f} to {after.values[0]:,.0f} {memory.unit}", int(after.iterations[0]),
                         int(memory.iterations[index]), float(after.values[0]) / earlier[1], MEMORY_STEP, "times", memory.source)
    return None


def _end(failure: Failure) -> Break | None:
    at = failure.event.iteration
    if at is None:
        return None
    return Break(f"training ended ({failure.event.kind.replace('_', ' ')})", at, at, 1.0, 0.0, "errors", failure.file)

"""Facts about losses that are no numbers, and about single ones that jump out of their surroundings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import habits, logged  # noqa: F401  (schedule, log_events)
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.logged import VIEWS
from diagnostics.measures.curves import best, running_median, since
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from runs.events import LogEvent
from runs.run import Run
from runs.series import Series

PREFERRED = ("loss/total", "loss/l1", "loss/total_shown")


@dataclass(frozen=True)
class Bad:
    """Values of one loss that are not finite."""

    name: str  # of the series, or "log" where only a line of the log says it
    iteration: int  # the first
    count: int  # in the range
    of: int
    to_the_end: bool  # no finite value came after the first of them
    source: str


@dataclass(frozen=True)
class Spike:
    """The value that stands out most from the median of the 25 before it."""

    name: str
    iteration: int
    value: float
    median: float
    source: str

    @property
    def times(self) -> float:
        return self.value / self.median


@dataclass(frozen=True)
class Losses:
    """What logged losses say about numbers."""

    bad: tuple[Bad, ...]  # by first iteration
    spike: Spike | None  # None where resets are not known, or too few values are
    values: int  # that were looked at
    source: str

    @property
    def first_bad(self) -> Bad | None:
        return self.bad[0] if self.bad else None


@fact(missing="series loss/total or loss/l1, or a text log with losses")
def losses(
    run: Run, span: tuple[int, int], schedule: Schedule | None = None, log_events: tuple[LogEvent, ...] | None = None,
) -> Losses | None:
    """Every logged part of the loss within the range, and the lines of logs that call it NaN."""
    series = {name: part for name in run.series if name.startswith("loss/")
              if (part := logged.logged(run, span, name)) is not None}
    told = [event for event in log_events or () if event.kind == "nan" and event.iteration is not None]
    if not series and not told:
        return None
    bad = [found for one in series.values() if (found := _bad(one)) is not None]
    bad += [Bad("log", event.iteration or 0, 1, 1, False, event.source) for event in told[:1]]
    return Losses(
        tuple(sorted(bad, key=lambda one: (one.iteration, one.name))), _spike(run, series, schedule),
        sum(len(one) for one in series.values()), ", ".join(dict.fromkeys(one.source for one in series.values())),
    )


def _bad(series: Series) -> Bad | None:
    wrong = np.flatnonzero(~np.isfinite(series.values))
    if not len(wrong):
        return None
    later = series.values[wrong[0]:]
    ended = not np.isfinite(later).any()
    return Bad(series.name, int(series.iterations[wrong[0]]), len(wrong), len(series), ended, series.source)


def _spike(run: Run, series: Mapping[str, Series], schedule: Schedule | None) -> Spike | None:
    """Only where resets are known: in the iterations after one, a loss of ten times the usual is by design.

    A spike is worse than the run's beginning: losses of masked views differ by far more, and all are small.
    """
    whole = next((series[name] for name in PREFERRED if name in series), None)
    if whole is None or schedule is None or not schedule.resets_known:
        return None
    calm = schedule.outside_resets(since(whole, full) if (full := full_size_from(run)) else whole)
    if len(calm) < 2 * VIEWS:
        return None
    begun = best(whole.between(int(whole.iterations[0]), int(whole.iterations[VIEWS - 1])))
    medians = running_median(calm.values, VIEWS)[VIEWS - 1:-1]
    values = calm.values[VIEWS:]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where((medians > 0) & (values > (np.inf if begun is None else begun[1])), values / medians, np.nan)
    if not np.isfinite(times).any():
        return None
    at = int(np.nanargmax(np.where(np.isfinite(times), times, -math.inf)))
    return Spike(calm.name, int(calm.iterations[at + VIEWS]), float(values[at]), float(medians[at]), calm.source)

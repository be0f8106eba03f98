"""Facts about events as they were seen: in logged events, in steps of the logged count, in saved colour coefficients."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from diagnostics.facts import logged, practice, saved  # noqa: F401  (the facts named below)
from diagnostics.facts.habits import OF_INRIA
from diagnostics.measures.event_match import Window
from diagnostics.practice.planned import EventKind
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.series import Series
from runs.strategy import moves_the_dead

BIRTHS = ("densify/cloned", "densify/split", "densify/pruned", "densify/relocated", "densify/added")
RESET, DEGREE = "opacity_reset", "sh_degree"
PAUSE = "pause_refine_after_reset"  # gsplat: iterations without densification after each reset
COARSE = 2  # a count logged less often than every second planned event cannot tell one from the next


@dataclass(frozen=True)
class Observed:
    """Events of one kind that left a trace."""

    kind: EventKind
    windows: tuple[Window, ...]  # in order; each event happened at one of these iterations
    watched: Window  # first and last iteration at which an event would have left a trace
    complete: bool  # every event leaves its trace here, even one that changes nothing: what is not told did not happen
    source: str

    def within(self, iterations: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(i for i in iterations if self.watched[0] <= i <= self.watched[1])


@fact(missing="events to compare with the plan (a log of densifications, resets or colour degrees, or a count logged often)")
def observed_events(
    run: Run, schedule: Schedule, checkpoints: tuple[Checkpoint, ...] | None = None,
) -> tuple[Observed, ...] | None:
    """One per kind that left enough traces; those that the log names win over steps of the count."""
    found = (
        _named(run, "densify", BIRTHS) or _counted(run, schedule), _named(run, "reset", (RESET,)),
        _degrees(run) or _coefficients(checkpoints or ()),
    )
    return tuple(one for one in found if one is not None) or None


def _named(run: Run, kind: EventKind, names: tuple[str, ...]) -> Observed | None:
    """Events that the trainer logs as such. A reset is logged where its value is not zero."""
    series = [run.series[name] for name in names if name in run.series and len(run.series[name])]
    watched = _logged_range(run)
    if not series or watched is None:
        return None
    pairs = ((int(i), value) for one in series for i, value in zip(one.iterations, one.values, strict=True))
    events = sorted({i for i, value in pairs if kind == "densify" or value != 0})
    return Observed(kind, tuple((i, i) for i in events), watched, True, series[0].source)


def _logged_range(run: Run) -> Window | None:
    """The densest of the series that every trainer logs at its own pace."""
    paced = (run.series[name] for name in ("loss/l1", "loss/total", "num_gaussians") if name in run.series)
    dense = max(paced, key=len, default=None)
    return None if dense is None or not len(dense) else (int(dense.iterations[0]), int(dense.iterations[-1]))


def _counted(run: Run, schedule: Schedule) -> Observed | None:
    """Steps of a count that is logged about as often as is densified, where every planned densification may change it.

    MCMC moves at its cap without a step, and splatfacto, as gsplat if asked to, waits after each reset until all photos were
    seen.
    """
    counts = run.series.get("num_gaussians")
    waits = moves_the_dead(run) or run.trainer.name not in OF_INRIA | {"gsplat"} or bool(run.settings.value(PAUSE))
    if waits or counts is None or len(counts) < 3 or not schedule.densify_every:
        return None
    if int(np.diff(counts.iterations).max()) > COARSE * schedule.densify_every:
        return None
    return Observed("densify", _steps(counts), (int(counts.iterations[0]), int(counts.iterations[-1])), False, counts.source)


def _steps(series: Series) -> tuple[Window, ...]:
    """Between which two logged values it changed. An event at either of them may show only in the later one."""
    told = zip(series.iterations, series.values, strict=True)
    return tuple((int(a), int(b)) for (a, before), (b, after) in pairwise(told) if before != after)


def _degrees(run: Run) -> Observed | None:
    series = run.series.get(DEGREE)
    if series is None or len(series) < 2:
        return None
    told = zip(series.iterations, series.values, strict=True)
    windows = tuple((int(a) + 1, int(b)) for (a, before), (b, after) in pairwise(told) if after > before)
    return Observed("sh", windows, (int(series.iterations[0]), int(series.iterations[-1])), True, series.source)


def _coefficients(saves: tuple[Checkpoint, ...]) -> Observed | None:
    """A degree is switched on after the last save in which its coefficients are all zero, and before the first in which they
    are not. It needs a save before the first degree, and one after the last."""
    reached = [(save.iteration, _degree_used(save)) for save in saves if save.sh_degree > 0]
    if len(reached) < 2 or reached[0][1] > 0 or reached[-1][1] < max(save.sh_degree for save in saves):
        return None
    windows = [(a, b) for (a, before), (b, after) in pairwise(reached) for _ in range(after - before)]
    return Observed("sh", tuple(windows), (reached[0][0], reached[-1][0]), True, saves[-1].path.name)


def _degree_used(save: Checkpoint) -> int:
    """Highest degree with a coefficient that is not zero."""
    rest = save.gaussians.sh_rest
    bands = (rest[:, degree * degree - 1:(degree + 1) ** 2 - 1] for degree in range(1, save.sh_degree + 1))
    return max((degree for degree, band in enumerate(bands, start=1) if np.any(band)), default=0)

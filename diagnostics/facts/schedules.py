"""Facts about schedules as they were followed: whether resets show in the loss, and which colour degree was reached."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import logged, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.measures.shares import share
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64
from runs.checkpoints import Checkpoint, TrainingState
from runs.run import Run
from runs.series import Series
from runs.settings import Settings

BEFORE, AFTER = 25, 15  # iterations beside a reset whose medians are compared: one view each
FEWEST = 5  # logged values on either side
OPAQUE, LEAST_OPAQUE = 0.05, 0.25  # opacity, and share of the Gaussians above it before a reset: else nothing can fade
LEARNED = 0.8  # of the first L1: above it there is no picture yet that could fade
USUAL_INTERVAL = 1_000  # iterations from one colour degree to the next, in INRIA's trainer and in gsplat


@dataclass(frozen=True)
class Dip:
    """How the loss of the trained views answered an opacity reset."""

    reset: int
    rise: float  # median L1 just after / just before
    source: str


@fact(missing="opacity resets in the range, with series loss/l1 around them")
def reset_dips(
    schedule: Schedule, loss_l1: Series, checkpoints: tuple[Checkpoint, ...] | None = None,
) -> tuple[Dip, ...] | NotEvaluable | None:
    """One per reset, logged or set, around which L1 is logged often enough and there was a picture that could fade."""
    if not schedule.resets_known:
        return NotEvaluable(("when opacities are reset (settings or log)",))
    start = float(np.nanmedian(loss_l1.values[:BEFORE])) if np.isfinite(loss_l1.values[:BEFORE]).any() else float("nan")
    found = []
    for reset in schedule.resets:
        before, after = _finite(loss_l1, reset - BEFORE + 1, reset), _finite(loss_l1, reset + 1, reset + AFTER)
        if min(len(before), len(after)) < FEWEST or not 0 < np.median(before) < LEARNED * start or _is_fog(checkpoints, reset):
            continue
        found.append(Dip(reset, float(np.median(after) / np.median(before)), loss_l1.source))
    return tuple(found) or None


def _is_fog(checkpoints: tuple[Checkpoint, ...] | None, reset: int) -> bool:
    """Hardly any Gaussian was opaque in the last save before the reset."""
    before = [checkpoint for checkpoint in checkpoints or () if checkpoint.iteration <= reset]
    return bool(before) and share(before[-1].gaussians.opacities > OPAQUE) < LEAST_OPAQUE


def _finite(series: Series, first: int, last: int) -> F64:
    values = series.between(first, last).values
    return np.asarray(values[np.isfinite(values)])


@dataclass(frozen=True)
class Degrees:
    """Which degree of view-dependent colours training had reached, and which it should have."""

    reached: int
    due: int
    most: int  # that the run stores coefficients for
    at: int  # iteration
    interval: int  # iterations from one degree to the next
    source: str


@fact(missing="the active colour degree (series sh_degree or a training state)")
def degrees(
    run: Run, settings: Settings | None = None, training_state: TrainingState | None = None,
) -> Degrees | None:
    """By the log, else by the training state."""
    tell = _logged(run) or _in_state(training_state)
    if tell is None:
        return None
    most = max((one.sh_degree for one in run.checkpoints), default=0)
    interval, known = degree_interval(settings)
    reached, at, source = tell
    due = min(most, (at - 1) // interval)
    return Degrees(reached, due if known or reached == 0 else min(due, reached), most, at, interval, source)


def degree_interval(settings: Settings | None) -> tuple[int, bool]:
    """Iterations from one degree to the next, and whether a file holds it."""
    for name in ("sh_interval", "sh_degree_interval"):
        setting = None if settings is None else settings.get(name)
        if setting is not None and isinstance(setting.value, int) and setting.value > 0:
            return setting.value, setting.stored
    return USUAL_INTERVAL, False


def _logged(run: Run) -> tuple[int, int, str] | None:
    series = run.series.get("sh_degree")
    if series is None or not len(series):
        return None
    return int(np.nanmax(series.values)), int(series.iterations[-1]), series.source


def _in_state(state: TrainingState | None) -> tuple[int, int, str] | None:
    if state is None or state.active_sh_degree is None:
        return None
    return state.active_sh_degree, state.iteration, state.path.name

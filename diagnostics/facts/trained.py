"""Facts about what training can move: parameter groups that receive no gradient, and how far one step goes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import logged, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.rates import set_for
from diagnostics.facts.schedules import Degrees, degree_interval
from diagnostics.measures.curves import since
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import AdamGroup, Checkpoint, TrainingState
from runs.gaussians import Gaussians
from runs.run import Run
from runs.series import Series
from runs.settings import Settings

GRADIENTS = ("series grad_norm/<parameter group>, or a training state with Adam's moments (chkpntN.pth), "
             "or two saved point clouds with the same number of Gaussians")
UNKNOWN = "unknown"  # a trainer or converter of which nobody knows what it writes into columns that it does not use
IDENTITY = np.array([1, 0, 0, 0], np.float32)
# Adam's moments of the opacities are zeroed by a reset, and a colour degree has none before it is switched on;
# a few steps later they are filled.
WARM_UP = 10
DEGREE_STEP = 100  # iterations: every trainer's interval between colour degrees is a multiple of it
FAINTEST = 1 / 255  # opacity: renderers of the family skip what adds less than one level
# A log that ends in so many exact zeros, and in such a share of its values, has gone silent.
FEWEST_ZEROS, LEAST_SILENCE = 3, 0.1
VISIBLE = 0.1  # opacity: the noise of MCMC is e^-9.5 there (Kheradmand et al. 2024: sigmoid(-100 (o - 0.005)))
SAME_ROWS = 0.8  # correlation of base colours between two saves: 0.96-1.00 in nine runs, 0.0-0.1 with rows in another order


@dataclass(frozen=True)
class Silence:
    """One parameter group without any gradient, from `first` to `last`."""

    group: str
    first: int
    last: int
    zero_share: float  # 0..1, of the logged norms, of second moments, or of values that did not change
    source: str
    halted: bool = False  # gradients may arrive, but the optimiser's rate is zero though another one was set


@fact(missing=saved.CHECKPOINT)
def untouched(
    run: Run, checkpoint: Checkpoint, settings: Settings | None = None, degrees: Degrees | None = None,
) -> tuple[Silence, ...]:
    """Groups that still have the value every trainer starts them with, in all rows of the last save: no rotation, no harmonics.

    Harmonics are left out where the active degree is known to be 0, and rotations of balls, which have no gradient.
    """
    gaussians, last, source = checkpoint.gaussians, checkpoint.iteration, saved.file_of(checkpoint)
    if run.trainer.name == UNKNOWN or last <= WARM_UP or not checkpoint.count:
        return ()
    found = []
    if np.all(gaussians.quats_wxyz == IDENTITY) and np.any(np.ptp(gaussians.log_scales, axis=1) > 0):
        found.append(Silence("rotation", 0, last, 1.0, source))
    active = degrees is None or degrees.reached > 0
    if active and checkpoint.sh_degree and last > degree_interval(settings)[0] + WARM_UP and not gaussians.sh_rest.any():
        found.append(Silence("f_rest", 0, last, 1.0, source))
    return tuple(found)


@fact(missing=GRADIENTS)
def silences(
    gradient_norms: Mapping[str, Series] | None = None, training_state: TrainingState | None = None,
    steady_pair: tuple[Checkpoint, Checkpoint] | None = None, schedule: Schedule | None = None,
    settings: Settings | None = None, count_series: Series | None = None, untouched: tuple[Silence, ...] | None = None,
    checkpoint: Checkpoint | None = None,
) -> tuple[Silence, ...] | None:
    """Groups that received no gradient at all in the range, told by the log, else by Adam, else by values that stayed the same.

    Groups that are silent by design for now are left out.
    """
    if gradient_norms is None and training_state is None and steady_pair is None and not untouched:
        return None
    told = [_silent_norm(group, series, schedule) for group, series in (gradient_norms or {}).items()]
    if training_state is not None:
        told += [_silent_moments(group, training_state, schedule) for group in training_state.adam.values()]
        told += [_halted(group, training_state, settings) for group in training_state.adam.values()]
    if steady_pair is not None:
        kept = [checkpoint.gaussians for checkpoint in steady_pair]  # read once for all groups
        told += [_unchanged(group, steady_pair, kept, schedule) for group in COLUMN_OF]
    told += untouched or ()
    found: dict[str, Silence] = {}
    for silence in told:
        if silence is not None and not (_nobody_left(silence, count_series) or _nothing_drawn(silence, checkpoint)):
            found.setdefault(silence.group, silence)
    return tuple(found.values())


@dataclass(frozen=True)
class Motion:
    """Median way of a visible Gaussian between two checkpoints with the same rows."""

    first: int
    last: int
    in_sizes: float  # median of distance / own largest scale
    source: str


@fact(missing=saved.STEADY)
def late_motion(steady_pair: tuple[Checkpoint, Checkpoint]) -> Motion | NotEvaluable | None:
    """Of the last pair whose count did not change. Gaussians fainter than 0.1 are left out: MCMC shakes them on purpose."""
    earlier, later = steady_pair
    before, after = earlier.gaussians, later.gaussians
    if not _same_rows(before, after):
        return NotEvaluable(("two saved point clouds that keep the order of their rows",))
    way = np.linalg.norm(after.means - before.means, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        in_sizes = way / after.scales.max(axis=1)
    known = in_sizes[np.isfinite(in_sizes) & (np.fmin(before.opacities, after.opacities) > VISIBLE)]
    return Motion(earlier.iteration, later.iteration, float(np.median(known)), saved.file_of(later)) if len(known) else None


# The stored column of each group.
COLUMN_OF = {
    "xyz": "means", "f_dc": "sh0", "f_rest": "sh_rest",
    "opacity": "logit_opacities", "scaling": "log_scales", "rotation": "quats_wxyz",
}


def _same_rows(before: Gaussians, after: Gaussians) -> bool:
    """Base colours of a row hardly change late in training; in another order they have nothing to do with each other."""
    known = np.isfinite(before.sh0).all(axis=1) & np.isfinite(after.sh0).all(axis=1)
    if not known.any():
        return False
    earlier, later = (colours - colours.mean(axis=0) for colours in (before.sh0[known], after.sh0[known]))
    return float((earlier * later).sum()) > SAME_ROWS * float(np.linalg.norm(earlier) * np.linalg.norm(later))


def _silent_norm(group: str, series: Series, schedule: Schedule | None) -> Silence | None:
    awake = _awake_from(group, schedule)
    if awake is None:
        return None
    part = since(series, awake)
    heard = np.flatnonzero(part.values != 0)
    silent = part.iterations[heard[-1] + 1:] if len(heard) else part.iterations
    if len(silent) < max(FEWEST_ZEROS, LEAST_SILENCE * len(part)):
        return None
    return Silence(group, int(silent[0]), int(silent[-1]), 1.0, series.source)


def _silent_moments(group: AdamGroup, state: TrainingState, schedule: Schedule | None) -> Silence | None:
    if group.exp_avg_sq is None or not group.exp_avg_sq.size or not _is_awake(group.name, state, schedule):
        return None
    if group.name == "opacity" and (schedule is None or not schedule.resets_known or _just_reset(schedule, state.iteration)):
        return None
    zero = float(np.mean(group.exp_avg_sq == 0))
    return Silence(group.name, 0, state.iteration, zero, state.path.name) if zero == 1.0 else None


def _nobody_left(silence: Silence, counts: Series | None) -> bool:
    """Where the last Gaussian was removed there is nothing that a gradient could reach."""
    left = None if counts is None else counts.between(silence.first, silence.last).values
    return left is not None and len(left) > 0 and not np.nanmax(left) > 0


def _nothing_drawn(silence: Silence, checkpoint: Checkpoint | None) -> bool:
    """Where every Gaussian is too faint to be drawn, gradients are not missing: there is nothing that they could improve."""
    if checkpoint is None or not silence.first <= checkpoint.iteration <= silence.last or silence.group == "opacity":
        return False
    return bool(np.all(checkpoint.gaussians.opacities < FAINTEST))


def _halted(group: AdamGroup, state: TrainingState, settings: Settings | None) -> Silence | None:
    """Its rate in the optimiser is zero, and the run stored another one."""
    told = set_for(group.name, settings)
    if group.learning_rate != 0 or told is None or not told.value:
        return None
    return Silence(group.name, 0, state.iteration, 1.0, state.path.name, halted=True)


def _is_awake(group: str, state: TrainingState, schedule: Schedule | None) -> bool:
    """Whether the group should have received gradients by the time the state was saved.

    Without a log the active degree tells it of the view-dependent colours. From degree 2 on they have learned since the
    step before; at degree 1 the step may have been just now: trainers add degrees at round iterations (1,000 in the reference).
    """
    awake = _awake_from(group, schedule)
    if awake is not None:
        return state.iteration >= awake
    degree = state.active_sh_degree or 0
    return degree > 1 or (degree == 1 and state.iteration % DEGREE_STEP >= WARM_UP)


def _unchanged(
    group: str, pair: tuple[Checkpoint, Checkpoint], kept: list[Gaussians], schedule: Schedule | None
) -> Silence | None:
    """Every finite value of the group is the same in both saves, bit by bit; Adam moves what ever had a gradient."""
    earlier, later = pair
    awake = _awake_from(group, schedule)
    before, after = (gaussians.load(COLUMN_OF[group]) for gaussians in kept)
    if awake is None or earlier.iteration < awake or before.shape != after.shape:
        return None
    known = np.isfinite(before) & np.isfinite(after)
    if not known.any() or np.any(before[known] != after[known]):
        return None
    return Silence(group, earlier.iteration, later.iteration, 1.0, saved.file_of(later))


def _just_reset(schedule: Schedule, iteration: int) -> bool:
    since = schedule.since_reset(iteration)
    return since is not None and since < WARM_UP


def _awake_from(group: str, schedule: Schedule | None) -> int | None:
    """First iteration from which the group should receive gradients; None where that is not known, or never."""
    if group != "f_rest":
        return 0
    return schedule.sh_steps[0] + WARM_UP if schedule is not None and schedule.sh_steps else None

"""Facts about what training can move: parameter groups that receive no gradient, and how far one step goes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import cameras, logged, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.measures.extent import CameraSpread
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from runs.checkpoints import AdamGroup, Checkpoint, TrainingState
from runs.series import Series
from runs.settings import Settings

GRADIENTS = "series grad_norm/<parameter group>, or a training state with Adam's moments (chkpntN.pth)"
# Adam's moments of the opacities are zeroed by a reset, and a colour degree has none before it is switched on;
# a few steps later they are filled.
WARM_UP = 10


@dataclass(frozen=True)
class Silence:
    """One parameter group without any gradient, from `first` to `last`."""

    group: str
    first: int
    last: int
    zero_share: float  # 0..1, of the logged norms or of the rows with a second moment of exactly zero
    source: str


@fact(missing=GRADIENTS)
def silences(
    gradient_norms: Mapping[str, Series] | None = None, training_state: TrainingState | None = None,
    schedule: Schedule | None = None,
) -> tuple[Silence, ...] | None:
    """Groups that received no gradient at all in the range; groups that are silent by design for now are left out."""
    if gradient_norms is None and training_state is None:
        return None
    from_log = (_silent_norm(group, series, schedule) for group, series in (gradient_norms or {}).items())
    found = {silence.group: silence for silence in from_log if silence is not None}
    for group in training_state.adam.values() if training_state is not None else ():
        silence = _silent_moments(group, training_state, schedule) if training_state is not None else None
        if silence is not None:
            found.setdefault(group.name, silence)
    return tuple(found.values())


@dataclass(frozen=True)
class Rate:
    """The learning rate of one parameter group."""

    group: str
    value: float  # per step; of the means: per unit of extent
    source: str


@fact(missing="learning rates (settings, series lr/xyz or a training state)")
def rates(
    settings: Settings | None = None, training_state: TrainingState | None = None,
    position_rate: Series | None = None, cameras_spread: CameraSpread | None = None,
) -> tuple[Rate, ...] | None:
    """One per group: what the optimiser used where that is known, else what stored settings say."""
    found = {rate.group: rate for rate in _rates_set(settings)} if settings is not None else {}
    for group in training_state.adam.values() if training_state is not None else ():
        if group.name != "xyz":  # it decays: its end says nothing about its start
            found[group.name] = Rate(group.name, group.learning_rate, training_state.path.name if training_state else "")
    if position_rate is not None and cameras_spread is not None and cameras_spread.robust_extent > 0:
        largest = float(np.nanmax(position_rate.values))
        found["xyz"] = Rate("xyz", largest / cameras_spread.robust_extent, position_rate.source)
    return tuple(found.values()) or None


@dataclass(frozen=True)
class Motion:
    """Median way of a Gaussian between two checkpoints with the same rows."""

    first: int
    last: int
    in_sizes: float  # median of distance / own largest scale


@fact(missing="two saved point clouds with the same number of Gaussians")
def late_motion(checkpoint_pairs: tuple[tuple[Checkpoint, Checkpoint], ...]) -> Motion | None:
    """Of the last pair whose count did not change: trainers keep row order where nothing was born or removed."""
    for earlier, later in reversed(checkpoint_pairs):
        if earlier.count == later.count:
            way = np.linalg.norm(later.gaussians.means - earlier.gaussians.means, axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                in_sizes = way / later.gaussians.scales.max(axis=1)
            known = in_sizes[np.isfinite(in_sizes)]
            return Motion(earlier.iteration, later.iteration, float(np.median(known))) if len(known) else None
    return None


# The trainer's own spelling (INRIA family) of each group's learning rate.
SETTING_OF = {
    "xyz": "position_lr_init", "f_dc": "feature_lr", "opacity": "opacity_lr", "scaling": "scaling_lr", "rotation": "rotation_lr",
}


def _rates_set(settings: Settings) -> list[Rate]:
    known = [(group, settings[name]) for group, name in SETTING_OF.items() if name in settings and settings[name].stored]
    return [Rate(group, float(s.value), s.source) for group, s in known if isinstance(s.value, (int, float))]


def _silent_norm(group: str, series: Series, schedule: Schedule | None) -> Silence | None:
    awake = _awake_from(group, schedule)
    if awake is None:
        return None
    part = series.between(awake, int(series.iterations[-1]))
    if len(part) < 3 or np.any(part.values != 0):
        return None
    return Silence(group, int(part.iterations[0]), int(part.iterations[-1]), 1.0, series.source)


def _silent_moments(group: AdamGroup, state: TrainingState, schedule: Schedule | None) -> Silence | None:
    awake = _awake_from(group.name, schedule)
    if group.exp_avg_sq is None or not group.exp_avg_sq.size or awake is None or state.iteration < awake:
        return None
    if group.name == "opacity" and (schedule is None or not schedule.resets_known or _just_reset(schedule, state.iteration)):
        return None
    zero = float(np.mean(group.exp_avg_sq == 0))
    return Silence(group.name, 0, state.iteration, zero, state.path.name) if zero == 1.0 else None


def _just_reset(schedule: Schedule, iteration: int) -> bool:
    since = schedule.since_reset(iteration)
    return since is not None and since < WARM_UP


def _awake_from(group: str, schedule: Schedule | None) -> int | None:
    """First iteration from which the group should receive gradients; None where that is not known, or never."""
    if group != "f_rest":
        return 0
    return schedule.sh_steps[0] + WARM_UP if schedule is not None and schedule.sh_steps else None

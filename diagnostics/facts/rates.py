"""Facts about the length of Adam's steps: learning rates as set and as used, how they fall, and what eps leaves of a step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import cameras, habits, logged, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.measures.extent import CameraSpread
from diagnostics.registry import fact
from runs.checkpoints import AdamGroup, TrainingState
from runs.run import Run
from runs.series import Series
from runs.settings import Setting, Settings

RATES = "learning rates (settings, series lr/xyz or a training state)"
# What the 3DGS reference, gsplat and their families share. Under Adam a rate is the length of one step: of the
# means in units of the cameras' extent, of the others in the stored units (logit, natural logarithm, SH).
USUAL: Mapping[str, float] = {
    "xyz": 1.6e-4, "f_dc": 2.5e-3, "f_rest": 1.25e-4, "opacity": 0.05, "scaling": 5e-3, "rotation": 1e-3,
}
TITLES: Mapping[str, str] = {
    "xyz": "means", "f_dc": "base colours", "f_rest": "view-dependent colours", "opacity": "opacities", "scaling": "scales",
    "rotation": "rotations",
}
# Spellings of each group's rate: INRIA's family first, then gsplat's.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "xyz": ("position_lr_init", "means_lr"), "f_dc": ("feature_lr", "sh0_lr"), "f_rest": ("shN_lr",),
    "opacity": ("opacity_lr", "opacities_lr"), "scaling": ("scaling_lr", "scales_lr"), "rotation": ("rotation_lr", "quats_lr"),
}
BETA2 = 0.999  # of Adam, in every trainer of the family
BEGINNING = 0.05  # of a log's last iteration: one that begins later may have missed the rate's start


@dataclass(frozen=True)
class Rate:
    """The learning rate of one parameter group."""

    group: str
    value: float  # per step; of the means: per unit of extent
    source: str
    setting: Setting | None = None  # what the run stored for it

    @property
    def times_usual(self) -> float:
        return self.value / USUAL[self.group]


@fact(missing=RATES)
def rates(
    settings: Settings | None = None, training_state: TrainingState | None = None,
    position_rate: Series | None = None, cameras_spread: CameraSpread | None = None, scaled_by_extent: bool | None = None,
) -> tuple[Rate, ...] | None:
    """One per group: what the optimiser used where that is known, else what stored settings say.

    A rate of the means that is no multiple of the extent says nothing in extents.
    """
    found = {rate.group: rate for rate in _set(settings)}
    for group in training_state.adam.values() if training_state is not None else ():
        rate = _used(group, training_state, cameras_spread, settings) if group.name != "xyz" or scaled_by_extent else None
        if rate is not None and _tells_more(rate, found.get(rate.group)):
            found[rate.group] = rate
    extent = 0.0 if cameras_spread is None else cameras_spread.robust_extent
    if position_rate is not None and extent > 0 and np.isfinite(position_rate.values).any():
        largest = float(np.nanmax(position_rate.values))
        found["xyz"] = Rate("xyz", largest / extent, position_rate.source, set_for("xyz", settings))
    return tuple(rate for rate in found.values() if rate.group in USUAL) or None


@fact(missing=f"{RATES}, from the start of the run")
def first_rates(
    run: Run, rates: tuple[Rate, ...], settings: Settings | None = None, cameras_spread: CameraSpread | None = None,
) -> tuple[Rate, ...] | None:
    """The same with the means' rate as it began, whatever the range: late in a run it is low by design."""
    whole, extent = run.series.get("lr/xyz"), 0.0 if cameras_spread is None else cameras_spread.robust_extent
    told = set_for("xyz", settings)
    others = tuple(rate for rate in rates if rate.group != "xyz")
    if whole is not None and len(whole) and extent > 0 and whole.iterations[0] <= BEGINNING * whole.iterations[-1]:
        largest = float(np.nanmax(whole.values)) if np.isfinite(whole.values).any() else float("nan")
        return (Rate("xyz", largest / extent, whole.source, told), *others)
    begun = () if told is None else (Rate("xyz", float(told.value), told.source, told),)
    return (*begun, *others) or None


def set_for(group: str, settings: Settings | None) -> Setting | None:
    """The stored setting that holds the group's rate, in whichever spelling; None where none does or it is no number."""
    for name in SPELLINGS.get(group, ()):
        setting = None if settings is None else settings.get(name)
        if setting is not None and setting.stored and isinstance(setting.value, (int, float)):
            return setting
    return None


def _set(settings: Settings | None) -> Iterator[Rate]:
    for group in USUAL:
        setting = set_for(group, settings)
        if setting is not None:
            yield Rate(group, float(setting.value), setting.source, setting)


def _used(
    group: AdamGroup, state: TrainingState | None, spread: CameraSpread | None, settings: Settings | None,
) -> Rate | None:
    """The rate in a training state; that of the means is divided by the extent."""
    if state is None:
        return None
    unit = 1.0
    if group.name == "xyz":
        unit = spread.robust_extent if spread is not None else state.spatial_lr_scale or 0.0
    return Rate(group.name, group.learning_rate / unit, state.path.name, set_for(group.name, settings)) if unit > 0 else None


def _tells_more(rate: Rate, known: Rate | None) -> bool:
    """The rate of the means falls: its end tells of its start only that this was not lower."""
    return rate.group != "xyz" or (rate.value > known.value if known is not None else rate.times_usual > 1)


@dataclass(frozen=True)
class Suppression:
    """How much of its step Adam's eps leaves to one parameter group."""

    group: str
    eps: float
    root: float  # median √v of the values that ever had a gradient, bias corrected
    left: float  # 0..1, median of √v / (√v + eps)
    iteration: int
    source: str


@fact(missing="a training state with Adam's moments and eps (chkpntN.pth)")
def suppressions(training_state: TrainingState) -> tuple[Suppression, ...] | None:
    """One per group of the last training state in the range that has moments and says its eps."""
    found = (_suppression(group, training_state) for group in training_state.adam.values() if group.name in USUAL)
    return tuple(one for one in found if one is not None) or None


def _suppression(group: AdamGroup, state: TrainingState) -> Suppression | None:
    if group.eps is None or group.exp_avg_sq is None:
        return None
    moments = group.exp_avg_sq[group.exp_avg_sq > 0]
    if not len(moments):
        return None
    corrected = 1 - BETA2 ** max(group.step or state.iteration, 1)
    root = float(np.sqrt(np.median(moments) / corrected))
    return Suppression(group.name, group.eps, root, root / (root + group.eps), state.iteration, state.path.name)


@dataclass(frozen=True)
class Decay:
    """How far the rate of the means has fallen between two iterations, and how far it should have."""

    first: int
    last: int
    seen: float  # rate at the last / rate at the first
    due: float  # the same by the settings; 1 where they ask for none
    set_from: Setting
    set_to: Setting
    source: str


@fact(missing="stored settings position_lr_init and position_lr_final, with series lr/xyz or a training state of the range")
def position_decay(
    settings: Settings, position_rate: Series | None = None, training_state: TrainingState | None = None,
) -> Decay | None:
    """From the log where it has one, else from the state against the rate that was set."""
    start, end = settings.get("position_lr_init"), settings.get("position_lr_final")
    if start is None or end is None or not (start.stored and end.stored and _is_positive(start) and _is_positive(end)):
        return None
    seen = _fall_logged(position_rate) or _fall_in_state(training_state, float(start.value))
    if seen is None:
        return None
    first, last, fall, source = seen
    horizon = _horizon(settings, last)
    due = (float(end.value) / float(start.value)) ** ((min(last, horizon) - min(first, horizon)) / horizon)
    return Decay(first, last, fall, due, start, end, source)


def _is_positive(setting: Setting) -> bool:
    return isinstance(setting.value, (int, float)) and setting.value > 0


def _fall_logged(rate: Series | None) -> tuple[int, int, float, str] | None:
    if rate is None:
        return None
    known = np.flatnonzero(np.isfinite(rate.values) & (rate.values > 0))
    if len(known) < 2:
        return None
    first, last = known[0], known[-1]
    return int(rate.iterations[first]), int(rate.iterations[last]), float(rate.values[last] / rate.values[first]), rate.source


def _fall_in_state(state: TrainingState | None, start: float) -> tuple[int, int, float, str] | None:
    group = None if state is None else state.adam.get("xyz")
    if state is None or group is None or not state.spatial_lr_scale:
        return None
    return 0, state.iteration, group.learning_rate / (start * state.spatial_lr_scale), state.path.name


def _horizon(settings: Settings, last: int) -> int:
    """Iterations over which the rate is meant to fall; the reference's 30,000 where no file says it, or the run if longer."""
    steps = settings.get("position_lr_max_steps")
    if steps is not None and steps.stored and isinstance(steps.value, int) and steps.value > 0:
        return steps.value
    return max(30_000, last)


@dataclass(frozen=True)
class Jump:
    """The rate of the means rose from one logged iteration to the next."""

    before: int
    at: int
    times: float
    source: str


@fact(missing="series lr/xyz, at least two values")
def rate_jump(position_rate: Series) -> Jump | None:
    """The largest rise; times 1 or less where the rate never rose."""
    known = np.flatnonzero(np.isfinite(position_rate.values) & (position_rate.values > 0))
    if len(known) < 2:
        return None
    values, iterations = position_rate.values[known], position_rate.iterations[known]
    step = int(np.argmax(values[1:] / values[:-1]))
    return Jump(int(iterations[step]), int(iterations[step + 1]), float(values[step + 1] / values[step]), position_rate.source)

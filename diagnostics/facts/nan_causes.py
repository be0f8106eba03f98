"""The four causes of values that are not finite, checked one by one, and the first tensor that held one.

The protocol names them: step lengths, input, unsafe mathematics, exploding updates. Each is found, not found, or cannot be
checked from the files of this run, and says by which number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from diagnostics.facts import cameras, habits, logged, saved  # noqa: F401  (the facts named below)
from diagnostics.facts import rows as row_facts  # noqa: F401  (flaws)
from diagnostics.facts.nan_inputs import Inputs
from diagnostics.facts.nan_losses import Losses
from diagnostics.facts.rates import TITLES, Rate
from diagnostics.facts.saved import file_of
from diagnostics.measures.extent import CameraSpread
from diagnostics.measures.nonfinite import OVERFLOWING_LOG_SCALE, Flaws
from diagnostics.registry import fact
from diagnostics.verdict import EvidenceRow
from runs.arrays import Array
from runs.checkpoints import Checkpoint, TrainingState
from runs.gaussians import Gaussians
from runs.run import Run
from runs.strategy import moves_the_dead

Answer = Literal["found", "not found", "not checkable"]
RATE_TIMES = 10.0  # as in learning-rate-too-high
RATE_TIMES_MEANS = 30.0
UNDERFLOWING_LOG_SCALE = -87.3  # exp of less is no normal number of single precision: 1 / scale overflows
SATURATED_LOGIT = 16.6  # ln 2^24: 1 - sigmoid is zero in single precision, its logarithm and quotient are infinite
ZERO_QUAT = 1e-6
BAD_MOMENTS = "rows of Adam's moments that are not finite"
STEPS = 10.0  # Adam's longest single step is 3.2 rates ((1 - 0.9) / sqrt(1 - 0.999)); over many it is one rate each


@dataclass(frozen=True)
class Cause:
    """One of the four, with the number that answers it."""

    name: str
    answer: Answer
    what: str  # what was measured, or what is missing
    value: float | int | None = None
    limit: float | int | None = None
    unit: str = ""
    iteration: int | None = None
    source: str = ""


@dataclass(frozen=True)
class FirstBad:
    """The first tensor known to hold a value that is not finite."""

    tensor: str
    rows: int
    iteration: int
    source: str


@dataclass(frozen=True)
class NanCauses:
    """All four, in the protocol's order."""

    causes: tuple[Cause, Cause, Cause, Cause]
    first: FirstBad | None

    @property
    def found(self) -> tuple[Cause, ...]:
        return tuple(cause for cause in self.causes if cause.answer == "found")

    @property
    def evidence(self) -> tuple[EvidenceRow, ...]:
        """One row per cause, and one for the first bad tensor."""
        rows = [EvidenceRow(f"cause {i} of 4, {cause.name}: {cause.answer} ({cause.what})", cause.value, cause.limit, cause.unit,
                            cause.iteration, cause.source) for i, cause in enumerate(self.causes, 1)]
        if self.first is not None:
            rows.insert(0, EvidenceRow(f"first tensor with values that are not finite: {self.first.tensor}", self.first.rows, 0,
                                       "rows", self.first.iteration, self.first.source))
        return tuple(rows)

    @property
    def told(self) -> str:
        """One line for a text."""
        return "; ".join(f"{cause.name}: {cause.answer}" for cause in self.causes)


@fact(missing="saved Gaussians, logged losses or the inputs of the training")
def nan_causes(
    run: Run, checkpoints: tuple[Checkpoint, ...] | None = None, flaws: tuple[Flaws, ...] | None = None,
    losses: Losses | None = None, inputs: Inputs | None = None, first_rates: tuple[Rate, ...] | None = None,
    cameras_spread: CameraSpread | None = None, scaled_by_extent: bool | None = None,
    training_state: TrainingState | None = None, steady_pair: tuple[Checkpoint, Checkpoint] | None = None,
) -> NanCauses | None:
    """Whether or not this run has such values: a detector that found some shows these answers beside them."""
    if checkpoints is None and losses is None and inputs is None:
        return None  # MCMC carries Gaussians far by design, so that ways tell nothing of its steps
    inflation = cameras_spread.inflation if cameras_spread is not None and scaled_by_extent else 1.0
    return NanCauses(
        (_rate(first_rates, inflation), _input(inputs), _maths(checkpoints, flaws or ()),
         _updates(training_state, None if moves_the_dead(run) else steady_pair, first_rates, cameras_spread)),
        _first(flaws or (), training_state, losses, inputs),
    )


def _rate(rates: tuple[Rate, ...] | None, inflation: float) -> Cause:
    """The rate of the means is multiplied by the cameras' extent, so that an outlier among them multiplies it as well."""
    name = "learning rate"
    times = {rate.group: (rate.times_usual * (max(1.0, inflation) if rate.group == "xyz" else 1.0), rate)
             for rate in rates or () if np.isfinite(rate.times_usual)}
    if not times:
        return Cause(name, "not checkable", "no learning rate is stored or logged")
    limits = {group: RATE_TIMES_MEANS if group == "xyz" else RATE_TIMES for group in times}
    group = max(times, key=lambda one: times[one][0] / limits[one])
    value, rate = times[group]
    return Cause(name, "found" if value > limits[group] else "not found", f"{TITLES[group]}, times the usual rate", value,
                 limits[group], "times", None, rate.source)


def _input(inputs: Inputs | None) -> Cause:
    name = "input that is not finite"
    if inputs is None:
        return Cause(name, "not checkable", "neither points nor cameras nor photos are at hand")
    looked = ", ".join(f"{count:,} {what}" for what, count in inputs.checked.items() if count)
    unread = f"; {inputs.unread:,} photos of a format that is not read" if inputs.unread else ""
    worst = max(inputs.flaws, key=lambda flaw: flaw.count, default=None)
    if worst is None:
        return Cause(name, "not found", f"of {looked}{unread}", 0, 0, "values")
    return Cause(name, "found", f"{worst.what}, of {looked}{unread}", worst.count, 0, worst.what, 0, worst.source)


def _maths(checkpoints: tuple[Checkpoint, ...] | None, flaws: tuple[Flaws, ...]) -> Cause:
    """Of the last save before the first bad one, or of the last: values at which exp, log or a quotient leave the numbers.

    What a custom loss divides by stands in no file.
    """
    name = "unsafe mathematics"
    bad = min((flaw.iteration for flaw in flaws if len(flaw.rows)), default=None)
    clean = [c for c in checkpoints or () if bad is None or c.iteration < bad] or list(checkpoints or ())[:1]
    if not clean:
        return Cause(name, "not checkable", "no save holds Gaussians")
    last = clean[-1]
    counts = unsafe_rows(last.gaussians)
    kind = max(counts, key=lambda one: counts[one])
    told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or ", ".join(f"0 {what}" for what in counts)
    answer: Answer = "found" if counts[kind] else "not found"
    return Cause(name, answer, told, sum(counts.values()), 0, "rows", last.iteration, file_of(last))


def unsafe_rows(gaussians: Gaussians) -> dict[str, int]:
    """Finite rows whose values are no longer safe to take exp, log or quotients of, by kind."""
    def rows(mask: Array) -> int:
        return int(mask.reshape(len(mask), -1).any(axis=1).sum())

    scales, logits = gaussians.log_scales, gaussians.logit_opacities
    return {
        "zero scales": rows(scales < UNDERFLOWING_LOG_SCALE), "infinite scales": rows(scales > OVERFLOWING_LOG_SCALE),
        "zero quaternions": rows(gaussians.quat_norms < ZERO_QUAT),
        "opacities at 1": rows((logits > SATURATED_LOGIT) & np.isfinite(logits)),
        "opacities at 0": rows((logits < UNDERFLOWING_LOG_SCALE) & np.isfinite(logits)),
    }


def _updates(
    state: TrainingState | None, pair: tuple[Checkpoint, Checkpoint] | None, rates: tuple[Rate, ...] | None,
    spread: CameraSpread | None,
) -> Cause:
    """Adam's own memory first: a NaN in it stays for ever. Else how far means went, against the way that their rate allows."""
    name = "exploding updates"
    if state is not None and (bad := dict(_bad_moments(state))):
        group = max(bad, key=lambda one: bad[one])
        return Cause(name, "found", f"{BAD_MOMENTS}, {TITLES.get(group, group)}", bad[group], 0, "rows", state.iteration,
                     state.path.name)
    walked = _longest_way(pair, rates, spread)
    if walked is not None:
        return walked
    if state is not None:
        return Cause(name, "not found", BAD_MOMENTS, 0, 0, "rows", state.iteration, state.path.name)
    return Cause(name, "not checkable", "needs a training state, or two saves with the same rows and a rate of the means")


def _longest_way(
    pair: tuple[Checkpoint, Checkpoint] | None, rates: tuple[Rate, ...] | None, spread: CameraSpread | None,
) -> Cause | None:
    rate = next((rate.value for rate in rates or () if rate.group == "xyz"), None)
    if pair is None or rate is None or spread is None or not rate * spread.extent > 0:
        return None
    earlier, later = pair
    ways = np.linalg.norm(later.gaussians.means - earlier.gaussians.means, axis=1)
    if not np.isfinite(ways).any():
        return None
    value = float(np.nanmax(ways[np.isfinite(ways)])) / (rate * spread.extent * (later.iteration - earlier.iteration))
    answer: Answer = "found" if value > STEPS else "not found"
    return Cause("exploding updates", answer, "longest way of a mean, in steps of its rate", value, STEPS, "steps per iteration",
                 later.iteration, file_of(later))


def _bad_moments(state: TrainingState) -> Iterator[tuple[str, int]]:
    for group in state.adam.values():
        for moments in (group.exp_avg, group.exp_avg_sq):
            bad = 0 if moments is None else int((~np.isfinite(moments)).reshape(len(moments), -1).any(axis=1).sum())
            if bad:
                yield group.name, bad


def _first(
    flaws: tuple[Flaws, ...], state: TrainingState | None, losses: Losses | None, inputs: Inputs | None,
) -> FirstBad | None:
    """Of inputs, losses, saves and the training state, whatever comes first; of one iteration, in this order."""
    found = [FirstBad(flaw.what, flaw.count, 0, flaw.source) for flaw in (inputs.flaws if inputs is not None else ())]
    if losses is not None and losses.first_bad is not None:
        bad = losses.first_bad
        found.append(FirstBad(bad.name, bad.count, bad.iteration, bad.source))
    flawed = next((flaw for flaw in flaws if flaw.columns), None)
    if flawed is not None:
        column = flawed.columns[0]
        found.append(FirstBad(column.column, column.total, flawed.iteration, "saved point clouds"))
    if state is not None:
        found += [FirstBad(f"Adam's moments of {group}", count, state.iteration, state.path.name)
                  for group, count in _bad_moments(state)]
    return min(found, key=lambda one: one.iteration, default=None)

"""The four causes of values that are not finite, each tried or counted in a replay: learning rate, input, unsafe mathematics,
exploding gradients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnostics.facts.nan_causes import Answer, unsafe_rows
from diagnostics.facts.nan_inputs import Inputs
from diagnostics.facts.rates import USUAL
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import INRIA_NAMES
from diagnostics.optimiser.views import View
from diagnostics.probes.nan_replay import Desk, Replay
from diagnostics.probes.nan_watch import LARGEST_GRADIENT, LARGEST_LOG_SCALE, SMALLEST_QUAT, Broken, titled, unsafe
from diagnostics.verdict import EvidenceRow
from render.raster.parameters import Parameters
from runs.gaussians import Gaussians

Again = Callable[[Mapping[str, Any]], Replay]  # the same stretch with other settings
RATES = ("position_lr_init", "position_lr_final", "feature_lr", "opacity_lr", "scaling_lr", "rotation_lr")
TENS = 10.0  # from here on whole numbers tell enough
RATE, INPUT, MATHS, GRADIENTS = "learning rate", "input that is not finite", "unsafe mathematics", "exploding gradients"


@dataclass(frozen=True)
class Cause:
    """One of the four, with the number that answers it."""

    name: str
    answer: Answer
    what: str
    value: float | int | None = None
    limit: float | int | None = None
    unit: str = ""

    def row(self, place: int) -> EvidenceRow:
        return EvidenceRow(f"cause {place} of 4, {self.name}: {self.answer} ({self.what})", self.value, self.limit, self.unit)


def four_causes(desk: Desk, seen: Replay, inputs: Inputs | None, again: Again, times: float, growth: float) -> tuple[Cause, ...]:
    """In the protocol's order. `times` of the usual a rate is tried at its usual value; `growth`: of gradients."""
    return (_rate(desk, seen, again, times), _input(desk, inputs), _maths(seen), _gradients(seen, growth))


def _rate(desk: Desk, seen: Replay, again: Again, limit: float) -> Cause:
    """The only proof is the same stretch at usual rates."""
    ratios = {name: rate / (_usual(name) * (desk.extent if name == "means" else 1.0)) for name, rate in seen.rates.items()}
    name = max(ratios, key=lambda one: ratios[one])
    told = f"{ratios[name]:,.0f}" if ratios[name] >= TENS else f"{ratios[name]:.2g}"
    what = f"{told} times the usual rate of the {titled(name)}; the longest step is {seen.largest.step:.1f} rates"
    if ratios[name] <= limit or seen.broken is None:
        return Cause(RATE, "not found", what, ratios[name], limit, "times")
    other = again(_usual_rates())
    if other.broken is None and other.steps <= seen.steps:
        what = f"{what}; there was no time to try usual rates as far as it broke"
        return Cause(RATE, "not checkable", what, ratios[name], limit, "times")
    if other.broken is None:
        return Cause(RATE, "found", f"{what}; at usual rates {other.steps} steps stay finite", ratios[name], limit, "times")
    what = f"{what}; at usual rates it breaks as well, after {other.steps} steps"
    return Cause(RATE, "not found", what, ratios[name], limit, "times")


def _input(desk: Desk, inputs: Inputs | None) -> Cause:
    views = desk.shown.data.train
    pixels = sum(int((~np.isfinite(view.photo)).sum()) for view in views)
    others = [] if inputs is None else [flaw for flaw in inputs.flaws if flaw.what != "pixels of photos"]
    count = pixels + sum(flaw.count for flaw in others)
    told = ", ".join([f"{pixels:,} values of {len(views)} photos", *(f"{flaw.count:,} {flaw.what}" for flaw in others)])
    return Cause(INPUT, "found" if count else "not found", told, count, 0, "values")


def _maths(seen: Replay) -> Cause:
    """Of the guilty rows before they broke; without a break how near any row came."""
    broken = seen.broken
    if broken is None or broken.before is None or not len(broken.rows):
        what = f"largest log scale {seen.largest.log_scale:.1f}, shortest quaternion {seen.largest.quat:.2g}"
        return Cause(MATHS, "not found", what, seen.largest.log_scale, LARGEST_LOG_SCALE, "log scale")
    guilty = broken.before.take(broken.rows)
    counts = {what: int(bad.sum()) for what, bad in unsafe(guilty)} | unsafe_rows(guilty.gaussians())
    told = ", ".join(f"{count:,} with {what}" for what, count in counts.items() if count)
    if broken.stage == "activations":
        return Cause(MATHS, "found", f"{broken.tensor}; {nearest(guilty)}", len(broken.rows), 0, "rows")
    return Cause(MATHS, "found" if told else "not found", told or f"none of {len(broken.rows):,} rows; {nearest(guilty)}",
                 sum(counts.values()), 0, "rows")


def _gradients(seen: Replay, limit: float) -> Cause:
    """In single precision only a gradient whose square overflows breaks Adam."""
    what = f"the largest is {seen.largest.gradient:.2g}, and its square must stay below {LARGEST_GRADIENT**2:.1e}"
    grown = "" if seen.growth != seen.growth else f"; the last is {seen.growth:.1f} times the median of those before"
    in_gradients = seen.broken is not None and seen.broken.stage in ("gradients", "moments")
    found = in_gradients and (seen.largest.gradient > LARGEST_GRADIENT or seen.growth > limit)
    return Cause(GRADIENTS, "found" if found else "not found", what + grown, seen.largest.gradient, LARGEST_GRADIENT)


def nearest(parameters: Parameters) -> str:
    """How near these Gaussians are to what cannot be computed."""
    norms = np.sqrt(np.square(parameters.quats_wxyz, dtype=np.float64).sum(axis=1))
    return (f"largest log scale {float(parameters.log_scales.max(initial=-np.inf)):.1f} (limit {LARGEST_LOG_SCALE}), shortest "
            f"quaternion {float(norms.min(initial=np.inf)):.2g} (limit {SMALLEST_QUAT:.0e})")


def told_rows(broken: Broken, view: View | None, most: int = 5) -> tuple[EvidenceRow, ...]:
    """The guilty rows' parameters before the step, of the first few; their distance from the camera that was drawn."""
    if broken.before is None:
        return ()
    some = broken.before.take(broken.rows[:most]).gaussians()
    return tuple(EvidenceRow(f"row {row:,} before the step: {_told(some, i, view)}; length of its quaternion",
                             float(some.quat_norms[i]), None, "", broken.iteration) for i, row in enumerate(broken.rows[:most]))


def _told(gaussians: Gaussians, i: int, view: View | None) -> str:
    opacity, mean = gaussians.opacities[i], gaussians.means[i]
    parts = [f"scales {_three(gaussians.scales[i])}", f"opacity {opacity:.3g}", f"position {_three(mean)}"]
    if view is not None:
        parts.append(f"{float(np.linalg.norm(mean - view.camera.centre)):.3g} from the camera {view.name}")
    return ", ".join(parts)


def _three(values: Any) -> str:
    return "(" + ", ".join(f"{float(value):.3g}" for value in values) + ")"


def _usual(group: str) -> float:
    """Per step; of the means in units of the extent. Of the higher SH degrees it follows from the base colours' rate."""
    return USUAL[INRIA_NAMES[group]]


def _usual_rates() -> dict[str, float]:
    """Every rate as the reference has it."""
    usual = OptimiserSettings()
    return {name: getattr(usual, name) for name in RATES}

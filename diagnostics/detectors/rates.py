"""Faults of step lengths: steps too short to learn from, and a rate of the means that does not fall as it was set to."""

from diagnostics.detectors.learning import against_settings, rate_row, usual_rate
from diagnostics.facts import habits  # noqa: F401  (scaled_by_extent)
from diagnostics.facts.rates import TITLES, USUAL, Decay, Rate, Suppression
from diagnostics.facts.steps import Pace, Steps
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, Fix
from diagnostics.wording import percent

EPS_CAUSE = (
    "Adam divides by √v + eps, and eps is far larger than √v: the gradients of a single Gaussian are tiny, so the step shrinks "
    "to a small part of the learning rate. The reference uses 1e-15, not the library's default of 1e-8."
)


@detects("learning-rate-too-low")
def rate_too_low(
    steps: Steps, span: tuple[int, int], scaled_by_extent: bool | None = None,
    *, times: float = 10.0, times_position: float = 30.0, left: float = 0.1, walk: float = 0.15,
) -> Finding | None:
    """A step of some parameter is a small part of the usual one: by its rate, by Adam's eps, or by how far means still walk.

    A rate of exactly zero freezes a group, which is another pattern.
    """
    limits = {group: times_position if group == "xyz" else times for group in USUAL}
    low = [rate for rate in steps.rates if rate.value > 0 and rate.times_usual * limits[rate.group] < 1]
    eps = [one for one in steps.suppressions if one.left < left]
    if eps:
        return _suppressed(eps, left, span)
    if low:
        return _low(low, limits, steps.pace, walk, span)
    told = any(rate.group == "xyz" for rate in steps.rates)
    return None if told or steps.pace is None or not scaled_by_extent else _slow(steps.pace, walk)


def _low(low: list[Rate], limits: dict[str, float], pace: Pace | None, walk: float, span: tuple[int, int]) -> Finding:
    told = ", ".join(f"{TITLES[rate.group]} 1/{1 / rate.times_usual:.0f}" for rate in low)
    return Finding(
        f"Steps are far shorter than usual: {told} of the usual learning rate{against_settings(low)}",
        evidence=(
            *(rate_row(rate, USUAL[rate.group] / limits[rate.group], span[0]) for rate in low),
            *(() if pace is None else (_pace_row(pace, walk),)),
        ),
        iterations=span, confidence=0.8, fixes=tuple(usual_rate(rate) for rate in low),
    )


def _suppressed(eps: list[Suppression], left: float, span: tuple[int, int]) -> Finding:
    names = ", ".join(TITLES[one.group] for one in eps)
    worst = min(eps, key=lambda one: one.left)
    return Finding(
        f"Adam's eps of {worst.eps:g} leaves the {names} only part of each step: {percent(worst.left)} at the "
        f"{TITLES[worst.group]}, whose √v is {worst.root:.1g}",
        evidence=tuple(
            EvidenceRow(f"part of a step left by eps, {TITLES[one.group]}", one.left, left, "share", one.iteration, one.source)
            for one in eps),
        iterations=span, confidence=0.9, cause=EPS_CAUSE,
        fixes=(Fix("Set Adam's eps to 1e-15", "√v is far above eps in the next training state, and the loss falls faster",
                   "adam_eps", worst.eps, 1e-15),),
    )


def _slow(pace: Pace, walk: float) -> Finding | None:
    """Where no rate of the means is told: exactly no step at all is another pattern."""
    if not 0 < pace.relative < walk:
        return None
    return Finding(
        f"Gaussians hardly move: from iteration {pace.first:,} to {pace.last:,} the median one went {percent(pace.relative)} as "
        "far as the lowest usual learning rate would take it",
        evidence=(_pace_row(pace, walk),), iterations=(pace.first, pace.last), confidence=0.6, severity="minor",
    )


def _pace_row(pace: Pace, walk: float) -> EvidenceRow:
    return EvidenceRow("median way / a random walk at the lowest usual rate", pace.relative, walk, "", pace.last, pace.source)


@detects("position-rate-off-schedule")
def off_schedule(position_decay: Decay, *, followed: float = 0.5, least_due: float = 0.95) -> Finding | None:
    """The settings let the rate of the means fall, and it did not; or they keep it constant, which is told as information."""
    decay = position_decay
    if decay.set_to.value >= decay.set_from.value:
        return _set_constant(decay)
    if decay.due > least_due or not decay.seen > decay.due**followed:
        return None
    return Finding(
        f"The learning rate of the means fell to {percent(decay.seen)} of its start between iterations {decay.first:,} and "
        f"{decay.last:,}, where the settings ask for {percent(decay.due)}",
        evidence=(
            EvidenceRow("learning rate of the means / its start", decay.seen, decay.due**followed, "", decay.last, decay.source),
            EvidenceRow("the same by the settings", decay.due, None, "", decay.last, decay.set_to.source),
        ),
        iterations=(decay.first, decay.last), confidence=0.8,
    )


def _set_constant(decay: Decay) -> Finding:
    return Finding(
        f"The learning rate of the means is set not to fall: {decay.set_from.name} = {decay.set_from.value:g}, "
        f"{decay.set_to.name} = {decay.set_to.value:g}; at iteration {decay.last:,} it is {percent(decay.seen)} of its start",
        evidence=(EvidenceRow("learning rate of the means / its start", decay.seen, None, "", decay.last, decay.source),),
        iterations=(decay.first, decay.last), confidence=0.9, severity="info",
    )

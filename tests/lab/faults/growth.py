"""Faults of densification, pruning and opacity resets."""

from functools import partial

from tests.lab.broken import growth
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan


def _threshold(plan: Plan, times: float) -> Plan:
    return plan.settings_changed(densify_grad_threshold=plan.settings.densify_grad_threshold * times)


def _never_stops(plan: Plan, _: float) -> Plan:
    return plan.done_otherwise(densify_until_iter=plan.settings.iterations + 1)


def _in_pixels(plan: Plan, _: float) -> Plan:
    return plan.with_steps(statistic=growth.statistic_in_pixels)


def _scaled_twice(plan: Plan, times: float) -> Plan:
    return plan.with_steps(statistic=partial(growth.statistic_scaled_twice, times=times))


def _never_prunes(plan: Plan, _: float) -> Plan:
    return plan.with_steps(prune=growth.never_prune)


def _prunes_at(plan: Plan, opacity: float) -> Plan:
    return plan.done_otherwise(opacity_cull=opacity)


def _prunes_larger_than(plan: Plan, extents: float) -> Plan:
    return plan.done_otherwise(prune_scale=extents)


def _resets_every(plan: Plan, iterations: float) -> Plan:
    """In parts of the healthy interval."""
    return plan.settings_changed(opacity_reset_interval=round(plan.settings.opacity_reset_interval * iterations))


def _never_resets(plan: Plan, _: float) -> Plan:
    return plan.with_steps(reset_opacities=growth.reset_nothing)


def _splits_unshrunk(plan: Plan, divisor: float) -> Plan:
    return plan.done_otherwise(split_shrink=divisor)


def _splits_short_axes(plan: Plan, _: float) -> Plan:
    return plan.with_steps(split=growth.split_along_the_short_axes)


def _clones_uphill(plan: Plan, sizes: float) -> Plan:
    return plan.with_steps(clone=partial(growth.clone_uphill, sizes=sizes))


def _window_is_empty(plan: Plan, _: float) -> Plan:
    return plan.settings_changed(densify_from_iter=plan.settings.densify_until_iter + plan.settings.densification_interval)


WITH_WALLS = frozenset(("studio", "court", "shelf", "garden", "corridor"))

FAULTS = (
    Fault(
        "densify-threshold-too-high", "growth", _threshold, codes("DF-01"),
        "Hardly any Gaussian passes: the hot share is 0.00 and the scene stays blurred.", (10.0, 20.0, 15.0),
        wrong=codes("DF-05 IF-01 N-33"),
    ),
    Fault(
        "densify-threshold-too-low", "growth", _threshold, codes("DF-02"),
        "Most Gaussians pass at every event (hot share 0.35 against 0.06-0.21) and the count multiplies. It even gains "
        "1.5 dB here: the finding is about cost.", (1 / 10, 1 / 15, 1 / 8),
    ),
    Fault(
        "densification-never-stops", "growth", _never_stops, codes("DF-08"),
        "The settings end densification at a known iteration, the count rises after it; resets go on as well, the last one "
        "just before the end.", acceptable=codes("N-24 DF-07 DF-05 DF-02 S-01"),
    ),
    Fault(
        "statistic-in-pixels", "growth", _in_pixels, codes("DF-01"),
        "The threshold is meant for NDC; per pixel the gradient is W/2 times smaller, so nothing passes.",
        wrong=codes("DF-05 IF-01"),
    ),
    Fault(
        "statistic-scaled-twice", "growth", _scaled_twice, codes("DF-02"),
        "The wrong gradient unit in the other direction: everything passes, the count multiplies.", (10.0, 20.0),
    ),
    Fault(
        "never-prunes", "growth", _never_prunes, codes("DF-06"),
        "After each reset what died stays: several percent of opacities below the threshold that pruning removes at.",
        acceptable=codes("N-24"),
    ),
    Fault(
        "prunes-at-too-high-opacity", "growth", _prunes_at, codes("DF-05"),
        "Everything below opacity 0.2 goes at each event, also what has just been reset; two thirds of what grows is pruned.",
        (0.2, 0.15, 0.3), wrong=codes("DF-01 IF-01"),
    ),
    Fault(
        "prunes-what-is-large", "growth", _prunes_larger_than, codes("DF-05"),
        "The size limit was typed too small: floors and walls are pruned once the first reset has passed. A statue alone has "
        "nothing so large: measured, that run is its healthy twin.",
        (0.03, 0.04), codes("DF-07 M-04"), scenes=WITH_WALLS,
    ),
    Fault(
        "opacities-reset-too-often", "growth", _resets_every, codes("N-24 DF-07"),
        "A reset before the last one has been made good: N-24 names the schedule, DF-07 that nothing recovers.",
        (0.25, 0.3, 0.2), codes("DF-05"), codes("OF-03"),
    ),
    Fault(
        "opacities-never-reset", "growth", _never_resets, codes("N-24"),
        "Resets are planned, and neither opacities nor curves show one.", wrong=codes("DF-07"),
    ),
    Fault(
        "split-without-shrinking", "growth", _splits_unshrunk, codes("DF-04"),
        "Children as large as their parent; the picture costs 0.3 dB, scale ratios of children tell.", (1.0, 1.05),
    ),
    Fault(
        "split-leaves-the-long-axis", "growth", _splits_short_axes, codes("DF-04 AF-06"),
        "Only the short axes are divided: children keep their parent's length, and what is split again and again becomes a "
        "needle.",
    ),
    Fault(
        "clones-far-uphill", "growth", _clones_uphill, codes("DF-03"),
        "Clones stand several of their own sizes from where they are needed, 4-7.5 % of them end dead.", (3.0, 4.0, 5.0),
        codes("AF-01 AF-03"), codes("IF-04"),
    ),
    Fault(
        "clones-slightly-uphill", "growth", _clones_uphill, codes("DF-03"),
        "One own size: in the feasibility study one feature of 150 moved and training repaired it. But a newborn row still lies "
        "off its parent in the next save, so a trace is there.",
    ),
    Fault(
        "densification-window-is-empty", "growth", _window_is_empty, codes("N-24 DF-01"),
        "Densification would begin after it ends: the settings say so, and the count never changes.", wrong=codes("IF-01"),
    ),
)

"""Faults of the start: where the points lie, how many there are, how large and in which colours Gaussians begin."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import start
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan
from tests.lab.scenes import transforms


def _wide(plan: Plan, extents: float) -> Plan:
    """By the trainer, as where it does not find the points; the data are sound."""
    count, seed = len(plan.scene.data.points), plan.settings.seed
    return replace(plan, data=transforms.points_random(plan.scene, count, extents, seed).data)


def _far(plan: Plan, extents: float) -> Plan:
    return plan.with_scene(transforms.points_moved(plan.scene, (extents, 0.5 * extents, 0.2 * extents)))


def _scaled(plan: Plan, factor: float) -> Plan:
    return plan.with_scene(transforms.points_scaled(plan.scene, factor))


def _turned(plan: Plan, degrees: float) -> Plan:
    return plan.with_scene(transforms.points_turned(plan.scene, (degrees, 0.0, 0.0)))


def _few(plan: Plan, count: float) -> Plan:
    return plan.with_scene(transforms.points_kept(plan.scene, round(count), plan.settings.seed))


def _without_size(plan: Plan, scale: float) -> Plan:
    return plan.with_steps(initialise=partial(start.without_size, scale=scale))


def _dc_times_c0(plan: Plan, _: float) -> Plan:
    return plan.with_steps(initialise=start.dc_times_c0)


def _dc_is_rgb(plan: Plan, _: float) -> Plan:
    return plan.with_steps(initialise=start.dc_is_rgb)


def _large(plan: Plan, times: float) -> Plan:
    return plan.done_otherwise(init_scale=times)


def _opaque(plan: Plan, opacity: float) -> Plan:
    return plan.done_otherwise(init_opacity=opacity)


FAULTS = (
    Fault(
        "start-in-a-wide-cube", "start", _wide, codes("TG-03 IF-01"),
        "Random points in a cube far larger than the scene: 10 dB lost, few points in any picture (IF-01), many in none (TG-03).",
        (1.3, 1.8, 1.6, 1.5), codes("IF-03 AF-01 DF-05 CF-03 N-20"), codes("IF-04"),
    ),
    Fault(
        "cloud-elsewhere", "start", _far, codes("N-20 TG-03"),
        "The cloud lies where no camera looks: nothing gets a gradient, or the few that are seen hang in the open.", (3.0, 4.0),
        codes("IF-01 IF-03 OF-03 DF-01 DF-05 IF-04 AF-01 M-09 N-18"), codes("OF-02 N-07"),
    ),
    Fault(
        "cloud-of-another-scale", "start", _scaled, codes("N-20 TG-03"),
        "The cloud is three times too large for the cameras: points out of view and in the wrong colours, 2 dB lost. "
        "What is in view spreads so wide that hardly any of it may be densified.",
        (3.0, 4.0, 3.5, 2.5), codes("IF-01 IF-03 AF-01 DF-01 DF-05 IF-04"),
    ),
    Fault(
        "cloud-turned", "start", _turned, codes("N-20 TG-03"), "The cloud has another tool's up axis, the cameras have not.",
        (90.0, 180.0), codes("IF-01 IF-03 AF-01 DF-05 IF-04"),
    ),
    Fault(
        "too-few-points", "start", _few, codes("IF-01"), "A few dozen points for a whole scene.", (30.0, 20.0, 40.0, 25.0),
        codes("IF-03 DF-05 CF-03 AF-01"), codes("IF-04 TG-03 N-20"),
    ),
    Fault(
        "no-covariance-at-start", "start", _without_size, codes("IF-02"),
        "All scales far below a pixel: the footprint is the renderer's own blur and scales hardly get a gradient.", (1e-10, 1e-9),
        codes("OF-03 OF-02 DF-01"), codes("IF-01 IF-04"),
    ),
    Fault(
        "too-large-at-start", "start", _large, codes("IF-03"), "Gaussians ten times as large as their neighbours are far: a fog.",
        (10.0, 8.0, 15.0, 12.0), codes("DF-05 DF-07 AF-01"), codes("IF-01 IF-04"),
    ),
    Fault(
        "colours-times-c0", "start", _dc_times_c0, codes("IF-06"),
        "DC = colour · C0: the slope of the first save's DC colours on the points' colours is 0.19 instead of 1.",
    ),
    Fault(
        "colours-as-harmonics", "start", _dc_is_rgb, codes("IF-06"), "DC = colour: the slope is 0.36.",
    ),
    Fault(
        "opaque-at-start", "start", _opaque, frozenset(),
        "Opacity 0.9 in place of 0.1: three early features of 150 moved in the feasibility study, no rule without a reference "
        "fired, PSNR was equal. By the first save nothing is left of it.", (0.9, 0.8), leaves_trace=False,
    ),
)

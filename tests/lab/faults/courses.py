"""Faults that show in curves first: nothing learned, a collapse, densification without a pause, wrong scores."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import courses
from tests.lab.faults.fault import Fault, codes
from tests.lab.faults.mcmc import mcmc
from tests.lab.plan import Plan

FAR = 30.0  # extents


def _nothing_arrives(plan: Plan, _: float) -> Plan:
    return plan.with_steps(gradients=courses.nothing_arrives)


def _thrown(plan: Plan, at: float) -> Plan:
    return mcmc(plan).with_steps(noise=partial(courses.thrown_far, at=at, extents=FAR))


def _thrown_at(plan: Plan, at: float) -> int:
    return round(at * plan.settings.iterations)


def _every_iteration(plan: Plan, _: float) -> Plan:
    return plan.settings_changed(densification_interval=1)


def _other_order(plan: Plan, _: float) -> Plan:
    return replace(plan, data=courses.held_out_in_other_order(plan.data))


FAULTS = (
    Fault(
        "gradients-never-arrive", "courses", _nothing_arrives, codes("N-18 OF-03"),
        "Every gradient is zero: the start stays as it is, except that resets fade it. That nothing grows (DF-01) and nothing "
        "recovers (DF-07) follows.", acceptable=codes("DF-01 DF-05 DF-07 M-04 CK-1"), wrong=codes("CF-01 CF-06 IF-04"),
    ),
    Fault(
        "means-thrown-far-once", "courses", _thrown, codes("M-04"),
        "Every mean is moved by 30 camera extents at one iteration, as by a module beside the Gaussians that goes wrong: the "
        "picture is gone and never comes back.", (0.55, 0.62, 0.6),
        codes("OF-01 OF-03 AF-01 DF-05 TG-01 TG-02 N-08 N-09 IF-04 N-20"), codes("DF-07 CF-01 CF-05"), onset=_thrown_at,
    ),
    Fault(
        "densifies-at-every-iteration", "courses", _every_iteration, codes("M-10"),
        "The interval is 1: the statistic is that of one view, each of these iterations loses its step, and the count climbs in "
        "one line. Resets come hundreds of densifications apart, so that schedules overlap (N-24).",
        acceptable=codes("N-24 DF-02 DF-05 DF-06 DF-07 OF-02 AF-01 AF-08 M-04 CF-01 TG-01 TG-02"),
    ),
    Fault(
        "held-out-photos-in-other-channel-order", "courses", _other_order, codes("N-22"),
        "Evaluation reads red and blue exchanged: held-out scores are decibels too low, and the saved Gaussians have what they "
        "should have.", wrong=codes("CF-03 NF-03 IF-04"),
    ),
)

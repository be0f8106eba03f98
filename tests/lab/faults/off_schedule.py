"""Faults of counters: events that come at other iterations than the stored settings plan."""

from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan


def _densifies_every(plan: Plan, times: float) -> Plan:
    return plan.done_otherwise(densification_interval=round(plan.settings.densification_interval * times))


def _resets_every(plan: Plan, times: float) -> Plan:
    return plan.done_otherwise(opacity_reset_interval=round(plan.settings.opacity_reset_interval * times))


def _degrees_every(plan: Plan, times: float) -> Plan:
    return plan.done_otherwise(sh_interval=round(plan.settings.sh_interval * times))


FAULTS = (
    Fault(
        "densifies-at-another-interval", "off-schedule", _densifies_every, codes("S-01"),
        "The log tells when was densified, the settings when it should have been: half or twice as often.", (2.0, 0.5),
        codes("N-24 DF-02 DF-06"),
    ),
    Fault(
        "resets-at-another-interval", "off-schedule", _resets_every, codes("S-01"),
        "The logged resets are 1.5 or 1.25 times as far apart as the stored interval.", (1.5, 1.25), codes("N-24"),
    ),
    Fault(
        "colours-at-another-interval", "off-schedule", _degrees_every, codes("S-01"),
        "The colour degree rises at other iterations than set; quality hardly answers.", (1.5, 0.5), codes("N-24"),
    ),
)

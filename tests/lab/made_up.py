"""Outcomes that no run had, for tests of what is counted."""

from dataclasses import replace
from typing import Any

from tests.lab.case import Case, Half
from tests.lab.faults.fault import Fault, codes
from tests.lab.outcome import Named, Outcome, Trained
from tests.lab.plan import Plan

SAVES = (100, 200, 300, 400)


def fault(name: str = "poses-off", right: str = "IF-04", **changes: Any) -> Fault:
    """One that is right with IF-04, follows into AF-01, and would be wrong as IF-01."""
    usual = Fault(name, "poses", _unchanged, codes(right), "for a test", acceptable=codes("AF-01"), wrong=codes("IF-01"))
    return replace(usual, **changes)


def _unchanged(plan: Plan, _: float) -> Plan:
    return plan


def found(code: str, severity: str = "major", **changes: Any) -> Named:
    return replace(Named(code, severity, 1.0, (1, 400), "for a test"), **changes)


def outcome(*findings: Named, name: str = "poses-off", sick: bool = True, half: Half = "test", **trained: Any) -> Outcome:
    case = Case(name, sick, 1.0 if sick else 0.0, "garden", 0, "mini", half)
    return Outcome(case, Trained(27.0, 2_000, SAVES, 1.0, **trained), findings)


def healthy(*findings: Named, name: str = "usual") -> Outcome:
    return outcome(*findings, name=name, sick=False)

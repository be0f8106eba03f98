"""Diagnosis: every pattern's verdict on one range of one run, as one value."""

from dataclasses import dataclass

from diagnostics.catalogue import Pattern
from diagnostics.verdict import Finding, Fix, NotEvaluable, Severity
from runs.notes import Note
from runs.run import Run


@dataclass(frozen=True, eq=False)
class Reported:
    """A finding with the prose of its pattern, ready to be shown."""

    pattern: Pattern
    finding: Finding
    severity: Severity
    cause: str
    fixes: tuple[Fix, ...]
    iterations: tuple[int, int]
    consequence_of: tuple[str, ...]  # codes of findings that explain this one


@dataclass(frozen=True, eq=False)
class Undecided:
    """A pattern that could not be evaluated, and why."""

    pattern: Pattern
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What `diagnose` returns; findings are ordered root causes first, then by severity and onset."""

    run: Run
    span: tuple[int, int]
    findings: tuple[Reported, ...]
    clear: tuple[Pattern, ...]
    not_evaluable: tuple[Undecided, ...]
    notes: tuple[Note, ...]


__all__ = ["Diagnosis", "NotEvaluable", "Reported", "Undecided"]

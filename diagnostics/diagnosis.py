"""Diagnosis: every pattern's verdict on one range of one run, as one value."""

from dataclasses import dataclass

from diagnostics.catalogue import Pattern
from diagnostics.probes.answer import Result
from diagnostics.verdict import Finding, Fix, NotEvaluable, Severity
from runs.notes import Note
from runs.run import Run


@dataclass(frozen=True)
class Resemblance:
    """A pattern that a finding may be taken for, and what tells the two apart."""

    code: str
    title: str
    how: str
    found: bool  # it was found here as well


@dataclass(frozen=True)
class Births:
    """How many of a finding's Gaussians were born between two saves."""

    count: int
    first: int  # iterations, both included: the earlier save, and the later one that holds them
    last: int
    says: str  # the events between, such as "in the first 3 densifications"


@dataclass(frozen=True)
class Began:
    """When the Gaussians of a finding came into being."""

    iteration: int  # of the save in which the finding points at them
    births: tuple[Births, ...]  # by iteration
    unknown: int  # Gaussians that could not be followed back
    confidence: float  # 0..1, mean share of such claims that were right where it was measured
    source: str  # what the rows were followed by
    says: str  # one sentence with the numbers
    means: str  # what the time of birth speaks for; empty where it decides nothing
    telling: bool = False  # more of these were born then than of all Gaussians


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
    resembles: tuple[Resemblance, ...] = ()  # those found here as well first
    began: Began | NotEvaluable | None = None  # None: it points at no Gaussians, or nobody asked
    harmless: str = ""  # a sentence that says what shows so; empty where it did harm, or nobody knows
    timing: str = ""  # the events of the training around its first iteration


@dataclass(frozen=True, eq=False)
class ExplainedAway:
    """A finding that the evidence of another one excludes: shown with the reason, and not as a fault of its own."""

    reported: Reported
    by: str  # code of the finding that excludes it
    why: str


@dataclass(frozen=True, eq=False)
class Undecided:
    """A pattern that could not be evaluated, and why."""

    pattern: Pattern
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What `diagnose` returns; findings stand in the order of `precedence.rank`: root causes first."""

    run: Run
    span: tuple[int, int]
    findings: tuple[Reported, ...]
    clear: tuple[Pattern, ...]
    not_evaluable: tuple[Undecided, ...]
    notes: tuple[Note, ...]
    explained_away: tuple[ExplainedAway, ...] = ()
    probed: tuple[Result, ...] = ()  # probes that were asked, and had a say


__all__ = ["Began", "Births", "Diagnosis", "ExplainedAway", "NotEvaluable", "Reported", "Resemblance", "Undecided"]

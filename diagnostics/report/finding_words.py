"""What is told about one finding, in words: its fixes, when it began, and what it may be taken for. Every layout uses these."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis import Reported, Resemblance
from diagnostics.report.wording import number, percent, setting
from diagnostics.verdict import EvidenceRow, Fix, NotEvaluable

WHAT, MEASURED, LIMIT, ITERATION, SOURCE = "What", "Measured", "Limit", "Iteration", "From"  # columns of evidence
NOTHING = "–"  # in a table
UNCERTAIN = "uncertain: not verified by us"


@dataclass(frozen=True)
class Limit:
    """A limit that a verdict used, with the reason for its number."""

    name: str
    value: Any  # None: the code does not state it
    reason: str


@dataclass(frozen=True)
class Told:
    """One thing that is told under a heading of its own."""

    label: str
    text: str


def change(fix: Fix) -> str:
    """The setting from its present to its proposed value; empty where the fix is not a setting."""
    if not fix.setting or (fix.current is None and fix.proposed is None):
        return fix.setting
    now = f"{setting(fix.current)}, the trainer's default" if fix.default else setting(fix.current)
    return f"{fix.setting} (now {now})" if fix.proposed is None else f"{fix.setting}: {now} → {setting(fix.proposed)}"


def typed(fix: Fix) -> tuple[str, ...]:
    """Lines for the typewriter face: the change, and the option as it is typed where a value is proposed."""
    return tuple(line for line in (change(fix), fix.flag if fix.proposed is not None else "") if line)


def prospects(fix: Fix) -> tuple[Told, ...]:
    """What a trial of it measured, what should be seen by when, what it may cost, and what would show that this is no cure."""
    by = "" if fix.seen_at is None else f" by iteration {number(fix.seen_at)} of the next training"
    told = (Told("Validated" if fix.validated else "Tried", fix.tried), Told(f"Expect{by}", fix.expect), Told("Risk", fix.risk),
            Told("Not the cause if", fix.falsified_by))
    return tuple(each for each in told if each.text)


def evidence_columns(rows: Iterable[EvidenceRow], lean: bool = False) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Columns of a table of measured numbers, head and cells; a lean one leaves out columns that hold nothing."""
    every = tuple(rows)
    columns = (
        (WHAT, tuple(row.what for row in every)),
        (MEASURED, tuple(number(row.value, row.unit) for row in every)),
        (LIMIT, tuple(NOTHING if row.limit is None else number(row.limit, row.unit) for row in every)),
        (ITERATION, tuple(NOTHING if row.iteration is None else f"{row.iteration:,}" for row in every)),
        (SOURCE, tuple(row.source or NOTHING for row in every)),
    )
    return tuple(column for column in columns if not lean or set(column[1]) != {NOTHING})


def row_words(row: EvidenceRow) -> str:
    """One measured number: "share of needles at iteration 7,000: 12 % (limit 6 %)"."""
    when = "" if row.iteration is None else f" at iteration {row.iteration:,}"
    limit = "" if row.limit is None else f" (limit {number(row.limit, row.unit)})"
    return f"{row.what}{when}: {number(row.value, row.unit)}{limit}"


def beginning(reported: Reported) -> tuple[str, ...]:
    """Sentences: the events around the first iteration, when the Gaussians were born, and what that speaks for."""
    return tuple(part for part in (reported.timing, *_births(reported)) if part)


def _births(reported: Reported) -> tuple[str, ...]:
    began = reported.began
    if began is None:
        return ()
    if isinstance(began, NotEvaluable):
        return (f"When these Gaussians were born is not known; it would need {'; '.join(began.missing)}.",)
    sure = f" ({percent(began.confidence)} sure, by {began.source})" if began.source else ""
    return (f"{began.says}{sure}.", began.means)


def resemblance(one: Resemblance) -> Told:
    """A look-alike, and whether it was found as well."""
    found = ", found here as well" if one.found else ""
    return Told(f"{one.title} ({one.code}{found})", one.how)


def doubts(reported: Reported) -> str:
    """What must be said beside the title; empty where the pattern was verified."""
    return UNCERTAIN if reported.pattern.uncertain else ""

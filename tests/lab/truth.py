"""How one outcome is scored against the truth: found, named first, false alarms, place."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tests.lab.faults.fault import Fault
from tests.lab.outcome import Named, Outcome

NAMED_FIRST = 1
NAMED_EARLY = 3


@dataclass(frozen=True)
class Hit:
    """How well what was pointed at covers what is guilty."""

    precision: float
    recall: float


@dataclass(frozen=True)
class Score:
    """One run's marks. For a healthy run only the false alarms count, and the others are False or None."""

    detected: bool  # any finding fits
    cause_first: bool  # the first finding names the fault
    cause_early: bool  # one of the first three names it
    true_alarms: tuple[Named, ...]  # serious and fitting
    false_alarms: tuple[Named, ...]  # serious and not fitting
    onset_met: bool | None  # within one save; None where the fault has no onset or nobody named it
    rows: Hit | None  # the guilty Gaussians; None where they are not known or nobody pointed at any
    cameras: Hit | None  # likewise


def score(outcome: Outcome, fault: Fault | None) -> Score:
    """`fault` is None for a healthy run."""
    right = frozenset[str]() if fault is None else fault.right
    fitting = frozenset[str]() if fault is None else fault.fitting
    return Score(
        any(found.code in fitting for found in outcome.findings),
        _among(outcome.findings[:NAMED_FIRST], right), _among(outcome.findings[:NAMED_EARLY], right),
        tuple(found for found in outcome.serious if found.code in fitting),
        tuple(found for found in outcome.serious if found.code not in fitting),
        _onset_met(outcome, right), _rows(outcome, right), _cameras(outcome, right),
    )


def _among(findings: Sequence[Named], right: frozenset[str]) -> bool:
    return any(found.code in right for found in findings)


def _onset_met(outcome: Outcome, right: frozenset[str]) -> bool | None:
    """The first right finding begins within one save interval of the fault: no more is known between two saves."""
    onset, first = outcome.trained.onset, next((found for found in outcome.findings if found.code in right), None)
    if onset is None or first is None:
        return None
    before = max((save for save in outcome.trained.saves if save < onset), default=0)
    after = min((save for save in outcome.trained.saves if save >= onset), default=onset)
    return before <= first.iterations[0] <= after


def _rows(outcome: Outcome, right: frozenset[str]) -> Hit | None:
    """Of the first right finding that points at Gaussians of the last save."""
    last = max(outcome.trained.saves, default=None)
    pointed = (found.rows for found in outcome.findings if found.code in right and found.rows and found.rows_iteration == last)
    return _hit(next(pointed, None), outcome.trained.guilty_rows)


def _cameras(outcome: Outcome, right: frozenset[str]) -> Hit | None:
    """Of the first right finding that names cameras."""
    pointed = (found.cameras for found in outcome.findings if found.code in right and found.cameras)
    return _hit(next(pointed, None), outcome.trained.guilty_cameras)


def _hit(pointed: Collection[object] | None, guilty: Collection[object] | None) -> Hit | None:
    if not pointed or not guilty:
        return None
    both = len(set(pointed) & set(guilty))
    return Hit(both / len(set(pointed)), both / len(set(guilty)))

"""The scoreboard: outcomes of the lab counted against the truth, for one half of the corpus at a time."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.accuracy.intervals import Share
from tests.lab.faults.fault import Fault
from tests.lab.outcome import Outcome
from tests.lab.truth import Hit, Score, score

NOTHING = "nothing"


@dataclass(frozen=True)
class PatternFigures:
    """How one pattern did."""

    code: str
    recall: Share  # of the runs it should have named, and that no other right pattern named in its place
    precision: Share  # of its findings, those that fit
    false_alarms: Share  # healthy runs in which it was found


@dataclass(frozen=True)
class Figures:
    """How the whole diagnosis did on some runs."""

    recall: Share  # runs of faults that leave a trace in which a finding fits
    precision: Share  # findings of severity major or critical that fit
    false_alarms: Share  # healthy runs with a finding of severity major or critical
    top1: Share  # runs of faults that leave a trace whose first finding names the fault
    top3: Share
    onset: Share  # faults named that began during the run: told within one save
    rows: Hit | None  # means over the runs whose guilty Gaussians are known and were pointed at
    cameras: Hit | None  # likewise
    traceless: Share  # runs of faults that leave no trace in which a finding fits all the same
    patterns: Mapping[str, PatternFigures]
    confusion: Mapping[str, Mapping[str, int]]  # fault -> code of the first finding -> runs
    broken: tuple[str, ...]  # detectors that failed


@dataclass(frozen=True)
class _Marked:
    outcome: Outcome
    fault: Fault | None
    score: Score

    @property
    def traced(self) -> bool:
        return self.fault is not None and self.fault.leaves_trace


def figures(outcomes: Iterable[Outcome], faults: Mapping[str, Fault]) -> Figures:
    """Count the outcomes; `faults` by name. Raises KeyError for the outcome of a fault that is not among them."""
    marked = [_marked(outcome, faults) for outcome in outcomes]
    traced = [run for run in marked if run.traced]
    healthy = [run for run in marked if run.fault is None]
    alarms = Share(sum(len(run.score.true_alarms) for run in marked),
                   sum(len(run.score.true_alarms) + len(run.score.false_alarms) for run in marked))
    dated = [run.score.onset_met for run in marked if run.score.onset_met is not None]
    return Figures(
        _share(run.score.detected for run in traced), alarms, _share(bool(run.score.false_alarms) for run in healthy),
        _share(run.score.cause_first for run in traced), _share(run.score.cause_early for run in traced), _share(dated),
        _mean(run.score.rows for run in marked), _mean(run.score.cameras for run in marked),
        _share(run.score.detected for run in marked if run.fault is not None and not run.traced),
        _patterns(marked), _confusion(marked), tuple(sorted({why for run in marked for why in run.outcome.failures})),
    )


def never_detected(outcomes: Sequence[Outcome], faults: Mapping[str, Fault]) -> tuple[str, ...]:
    """Faults in none of whose runs any finding fits, whether or not they were thought to leave a trace."""
    marked = [_marked(outcome, faults) for outcome in outcomes if outcome.case.sick]
    seen = {run.outcome.case.name for run in marked if run.score.detected}
    return tuple(sorted({run.outcome.case.name for run in marked} - seen))


def _marked(outcome: Outcome, faults: Mapping[str, Fault]) -> _Marked:
    fault = faults[outcome.case.name] if outcome.case.sick else None
    return _Marked(outcome, fault, score(outcome, fault))


def _share(hits: Iterable[bool]) -> Share:
    counted = list(hits)
    return Share(sum(counted), len(counted))


def _mean(hits: Iterable[Hit | None]) -> Hit | None:
    known = [hit for hit in hits if hit is not None]
    return Hit(fmean(hit.precision for hit in known), fmean(hit.recall for hit in known)) if known else None


def _patterns(marked: Sequence[_Marked]) -> Mapping[str, PatternFigures]:
    named = {code for run in marked for code in run.outcome.codes}
    expected = {code for run in marked if run.traced and run.fault for code in run.fault.right}
    return {code: _pattern(code, marked) for code in sorted(named | expected)}


def _pattern(code: str, marked: Sequence[_Marked]) -> PatternFigures:
    findings = [run for run in marked for found in run.outcome.codes if found == code]
    healthy = [run for run in marked if run.fault is None]
    return PatternFigures(
        code, _share(code in run.outcome.codes for run in marked if _answers_for(code, run)),
        _share(run.fault is not None and code in run.fault.fitting for run in findings),
        _share(code in run.outcome.codes for run in healthy),
    )


def _answers_for(code: str, run: _Marked) -> bool:
    """Where several patterns are right, one is enough: the others need not speak, but where all are silent all have missed."""
    if run.fault is None or not run.traced or code not in run.fault.right:
        return False
    return code in run.outcome.codes or not run.fault.right & set(run.outcome.codes)


def _confusion(marked: Sequence[_Marked]) -> Mapping[str, Mapping[str, int]]:
    rows: dict[str, Counter[str]] = {}
    for run in marked:
        name = run.outcome.case.name if run.fault is not None else "(healthy)"
        rows.setdefault(name, Counter())[run.outcome.codes[0] if run.outcome.codes else NOTHING] += 1
    return rows

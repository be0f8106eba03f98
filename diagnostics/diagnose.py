"""diagnose: every pattern judged against one range of one run; root causes first; each finding checked before it is shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import diagnostics.detectors  # noqa: F401  (registers every detector)
from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.diagnosis import Diagnosis, Reported, Undecided
from diagnostics.evidence import Cancelled, Evidence, never_cancelled
from diagnostics.harm import with_harm
from diagnostics.onset import with_onsets
from diagnostics.precedence import explained, ordered, told_apart
from diagnostics.probed import latest, reconciled, with_trials
from diagnostics.probes.answer import Result
from diagnostics.registry import DETECTORS, Detector
from diagnostics.selfcheck import shortcomings
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from runs.run import Run

Progress = Callable[[float, str], None]


@dataclass
class _Outcome:
    """Verdicts gathered so far."""

    findings: list[Reported] = field(default_factory=list)
    clear: list[Pattern] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)


def diagnose(
    run: Run, span: tuple[int, int] | None = None, *, progress: Progress | None = None,
    cancelled: Callable[[], bool] = never_cancelled, on_finding: Callable[[Reported], None] | None = None,
    catalogue: Mapping[str, Pattern] | None = None, detectors: Mapping[str, Detector] | None = None,
    probed: Sequence[Result] = (),
) -> Diagnosis:
    """Judge every pattern on `span` (first, last iteration; default: the whole run). Raises Cancelled.

    What probes found out (`probed`; of each probe the last) decides what files leave open, and is weighed where both speak.

    `progress` is told a fraction and what is being looked at; `on_finding` each finding as it comes,
    before it is known which are consequences of which. A detector that fails leaves its pattern not evaluable.
    """
    patterns = load_catalogue() if catalogue is None else catalogue
    judges = DETECTORS if detectors is None else detectors
    evidence = Evidence(run, span or whole_span(run), cancelled)
    heard = latest(probed)
    outcome = _Outcome()
    for done, pattern in enumerate(patterns.values()):
        evidence.beat()
        if progress is not None:
            progress(done / len(patterns), pattern.title)
        _settle(pattern, judges.get(pattern.name), evidence, outcome, on_finding, heard)
    standing, away = told_apart(outcome.findings)
    if progress is not None:
        progress(1.0, "Tracing the Gaussians to their birth")
    known = with_harm(run, ordered(explained(standing, patterns)), evidence.span[1])
    findings = _traced(known, evidence)
    if progress is not None:
        progress(1.0, "Done")
    return Diagnosis(run, evidence.span, findings, tuple(outcome.clear), tuple(outcome.undecided), run.notes, away, heard)


def whole_span(run: Run) -> tuple[int, int]:
    """First and last iteration that the run knows anything about; an empty run spans (0, 0)."""
    logged = [int(end) for series in run.series.values() if len(series) for end in (series.iterations[0], series.iterations[-1])]
    told = [event.iteration for event in run.events if event.iteration is not None]
    known = [*run.iterations, *(state.iteration for state in run.state_files), *logged, *told]
    return (min(known), max(known)) if known else (0, 0)


def _settle(
    pattern: Pattern, detector: Detector | None, evidence: Evidence, outcome: _Outcome,
    on_finding: Callable[[Reported], None] | None, heard: tuple[Result, ...],
) -> None:
    verdict = reconciled(pattern.name, _judge(pattern, detector, evidence), heard)
    if isinstance(verdict, Finding):
        reported = with_trials(_reported(pattern, verdict, evidence), heard)
        wrong = shortcomings(reported, detector, evidence.run)
        if not wrong:
            outcome.findings.append(reported)
            if on_finding is not None:
                on_finding(reported)
            return
        verdict = NotEvaluable(tuple(f"refused by the self-check: {why}" for why in wrong))
    if isinstance(verdict, NotEvaluable):
        outcome.undecided.append(Undecided(pattern, verdict.missing))
    else:
        outcome.clear.append(pattern)


def _judge(pattern: Pattern, detector: Detector | None, evidence: Evidence) -> Verdict:
    if detector is None:
        return NotEvaluable((_without_detector(pattern),))
    try:
        facts = evidence.gather(detector.needs, detector.optional)
        if isinstance(facts, NotEvaluable):
            return facts
        verdict: Verdict = evidence.wait_for(lambda: detector.judge(**facts))
        return verdict
    except Cancelled:
        raise
    except Exception as error:  # one detector's bug must not cost the user the other findings
        return NotEvaluable((f"its detector failed ({type(error).__name__}: {error})",))


def _traced(known: tuple[Reported, ...], evidence: Evidence) -> tuple[Reported, ...]:
    """With when their Gaussians were born; a failure there must not cost the user what was found."""
    try:
        told: tuple[Reported, ...] = evidence.wait_for(lambda: with_onsets(evidence.run, known, evidence.span, evidence.beat))
        return told
    except Cancelled:
        raise
    except Exception as error:
        why = NotEvaluable((f"following the rows (it failed: {type(error).__name__}: {error})",))
        return tuple(replace(found, began=why if found.finding.gaussians is not None else None) for found in known)


def _without_detector(pattern: Pattern) -> str:
    if pattern.probe:
        return f"the {pattern.probe} probe: no file settles it"
    return f"no file reveals it: {pattern.manual}" if pattern.manual else "a detector for this pattern"


def _reported(pattern: Pattern, finding: Finding, evidence: Evidence) -> Reported:
    return Reported(
        pattern, finding, finding.severity or pattern.severity, finding.cause or pattern.cause,
        fitted_fixes(pattern, finding, evidence.run), finding.iterations or evidence.span, (),
    )

"""What probes found out, weighed against what files say about the same pattern."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath

from diagnostics.diagnosis import Reported
from diagnostics.probes.answer import Judged, Result, Tried
from diagnostics.verdict import EvidenceRow, Finding, Fix, NotEvaluable, Verdict
from runs.run import Run

DOUBTED = 0.5  # a finding from files that a probe does not confirm is at most so sure: it may be either's mistake


def latest(results: Iterable[Result]) -> tuple[Result, ...]:
    """The last of each probe, in the order in which they were first asked; every fix trial stays."""
    kept: dict[tuple[str, ...], Result] = {}
    for result in results:
        tried = tuple(f"{each.code} {each.setting} {each.proposed} {each.do}" for each in result.answer.tried)
        kept[result.probe, *tried] = result
    return tuple(kept.values())


def foreign_to(run: Run, result: Result) -> str:
    """Why a result cannot be about this run, in a sentence; empty where nothing speaks against it."""
    if _folder(result.run) != run.path.name:
        return f"this result of the {result.probe} probe is of another run ({result.run}), ask the probe about this one"
    counts = {checkpoint.iteration: checkpoint.count for checkpoint in run.checkpoints}
    places = [said.finding.gaussians for said in result.answer.judged if said.finding is not None]
    if any(place is not None and counts.get(place.iteration) != place.of for place in places):
        return f"the run has changed since the {result.probe} probe was asked, ask it again"
    return ""


def _folder(path: str) -> str:
    """Its last part, whatever machine wrote it: a run may have been moved since."""
    return PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name


def reconciled(pattern: str, verdict: Verdict, heard: Sequence[Result]) -> Verdict:
    """The verdict of the files, with what probes say about the same pattern.

    A probe decides what files leave open, and its finding stands where files found nothing. Where both find it, the numbers
    stand side by side. Where only files do, the finding stays, and is doubted.
    """
    for result, said in _about(pattern, heard):
        verdict = _weighed(verdict, said, result)
    return verdict


def _about(pattern: str, heard: Sequence[Result]) -> Iterator[tuple[Result, Judged]]:
    return ((result, said) for result in heard for said in result.answer.judged if said.pattern == pattern)


def _weighed(verdict: Verdict, said: Judged, result: Result) -> Verdict:
    if said.missing:
        return _still_open(verdict, said, result)
    if said.finding is None:
        return _doubted(verdict, result) if isinstance(verdict, Finding) else None
    return _agreed(verdict, said.finding) if isinstance(verdict, Finding) else said.finding


def _still_open(verdict: Verdict, said: Judged, result: Result) -> Verdict:
    """What neither files nor the probe could decide; what files decided stays decided."""
    if not isinstance(verdict, NotEvaluable):
        return verdict
    return NotEvaluable(tuple(dict.fromkeys((*verdict.missing, *(f"{why} (the {result.probe} probe)" for why in said.missing)))))


def _doubted(finding: Finding, result: Result) -> Finding:
    row = EvidenceRow(f"the {result.probe} probe", f"does not confirm it: {result.answer.says}")
    return replace(finding, confidence=min(finding.confidence, DOUBTED), evidence=(*finding.evidence, row))


def _agreed(finding: Finding, probed: Finding) -> Finding:
    """The files' sentence and places; the probe's numbers, and its cause where it tells more."""
    return replace(
        finding, evidence=(*finding.evidence, *probed.evidence), cause=probed.cause or finding.cause,
        fixes=(*probed.fixes, *finding.fixes), facts={**probed.facts, **finding.facts},
        gaussians=finding.gaussians or probed.gaussians, cameras=finding.cameras or probed.cameras,
        confidence=max(finding.confidence, probed.confidence),
    )


def with_trials(reported: Reported, heard: Sequence[Result]) -> Reported:
    """Fixes that were tried say how it went; only what helped there counts as validated."""
    tried = [each for result in heard for each in result.answer.tried if each.code == reported.pattern.code]
    return replace(reported, fixes=tuple(_told(fix, tried) for fix in reported.fixes)) if tried else reported


def _told(fix: Fix, tried: Sequence[Tried]) -> Fix:
    mine = next((each for each in tried if _is_the_same(fix, each)), None)
    return fix if mine is None else replace(fix, tried=mine.says, validated=mine.helped is True)


def _is_the_same(fix: Fix, tried: Tried) -> bool:
    """The very change: another value of the setting was not tried; a fix without a setting is told by its words."""
    if fix.setting:
        return (tried.setting, tried.proposed) == (fix.setting, fix.proposed)
    return bool(tried.do) and tried.do == fix.do

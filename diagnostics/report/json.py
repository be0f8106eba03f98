"""A diagnosis as JSON: schema 1 of the command line's contract; later versions only add keys."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from diagnostics.accuracy import track_record
from diagnostics.diagnosis import Began, Diagnosis, ExplainedAway, Reported, Undecided
from diagnostics.probes.answer import Judged, Result
from diagnostics.probes.json import to_json as probe_to_json
from diagnostics.report.plain import plain
from diagnostics.report.probe_words import Settled, found_by, settled
from diagnostics.report.story import story
from diagnostics.report.undecided import reason_of
from diagnostics.verdict import EvidenceRow, Fix, GaussianPlace, NotEvaluable
from runs.run import Run

SCHEMA = 1


def to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """Plain dicts, lists, strings and finite numbers in a stable order; what is not finite or not known is None.

    A missing number is None and never 0: "gaussians" of a finding that points at no Gaussians is None.
    """
    return {
        "schema": SCHEMA,
        "product": f"splatdoctor {_version()}",
        "run": _run(diagnosis.run),
        "range": list(diagnosis.span),
        "findings": [_finding(reported, diagnosis.probed) for reported in diagnosis.findings],
        "clear": [pattern.code for pattern in diagnosis.clear],
        "not_evaluable": [_undecided(undecided) for undecided in diagnosis.not_evaluable],
        "notes": [{"file": note.file, "says": note.says} for note in diagnosis.notes],
        "story": list(story(diagnosis)),
        "explained_away": [_explained_away(one) for one in diagnosis.explained_away],
        "probed": [_probed(result) for result in diagnosis.probed],
    }


def _version() -> str:
    try:
        return version("splatdoctor")
    except PackageNotFoundError:
        return "not installed"


def _run(run: Run) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "trainer": run.trainer.name,
        "trainer_confidence": plain(float(run.trainer.confidence)),
        "iterations": list(run.iterations),
        "gaussians": [checkpoint.count for checkpoint in run.checkpoints],
        "settings": {name: plain(run.settings[name].value) for name in sorted(run.settings)},
        "settings_not_stored": sorted(name for name in run.settings if not run.settings[name].stored),
    }


def _finding(reported: Reported, probed: Sequence[Result] = ()) -> dict[str, Any]:
    pattern, finding = reported.pattern, reported.finding
    return {
        "code": pattern.code, "name": pattern.name, "severity": reported.severity, "kind": pattern.kind,
        "confidence": plain(float(finding.confidence)), "says": finding.says,
        "evidence": [_evidence(row) for row in finding.evidence],
        "iterations": list(reported.iterations),
        "gaussians": _gaussians(finding.gaussians),
        "cameras": list(finding.cameras),
        "cause": reported.cause,
        "fixes": [_fix(fix) for fix in reported.fixes],
        "sources": [{"title": source.title, "url": source.url} for source in pattern.sources],
        "consequence_of": list(reported.consequence_of),
        "track_record": _track_record(pattern.code),
        "layer": pattern.layer, "uncertain": pattern.uncertain,
        "harmless": reported.harmless, "timing": reported.timing, "began": _began(reported.began),
        "look_alikes": [{"code": one.code, "title": one.title, "how": one.how, "found": one.found} for one in reported.resembles],
        "seed_says": pattern.seed_says, "we_say": pattern.we_say,
        "found_by": found_by(reported, probed),
    }


def _began(began: Began | NotEvaluable | None) -> dict[str, Any] | None:
    """None where the finding points at no Gaussians; where they could not be followed, only what is missing."""
    if began is None:
        return None
    if isinstance(began, NotEvaluable):
        return {"says": None, "missing": list(began.missing)}
    return {
        "says": began.says, "means": began.means, "confidence": plain(began.confidence), "source": began.source,
        "iteration": began.iteration, "unknown": began.unknown, "missing": [],
        "births": [{"count": one.count, "from": one.first, "to": one.last, "says": one.says} for one in began.births],
    }


def _explained_away(one: ExplainedAway) -> dict[str, Any]:
    return {"by": one.by, "why": one.why, "finding": _finding(one.reported)}


def _track_record(code: str) -> dict[str, Any] | None:
    """How often the pattern was right in our lab; None where it was never tried."""
    record = track_record(code)
    if record is None:
        return None
    return {"found": record.found, "expected": record.expected, "false_alarms": record.false_alarms,
            "healthy_runs": record.healthy_runs}


def _evidence(row: EvidenceRow) -> dict[str, Any]:
    return {
        "what": row.what, "value": plain(row.value), "limit": plain(row.limit), "unit": row.unit,
        "iteration": plain(row.iteration), "source": row.source,
    }


def _gaussians(place: GaussianPlace | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"count": place.count, "fraction": plain(place.fraction), "iteration": place.iteration}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "do": fix.do, "expect": fix.expect, "setting": fix.setting, "from": plain(fix.current), "to": plain(fix.proposed),
        "from_is_default": fix.default, "flag": fix.flag, "risk": fix.risk, "falsified_by": fix.falsified_by,
        "seen_at": plain(fix.seen_at), "tried": fix.tried, "validated": fix.validated,
    }


def _probed(result: Result) -> dict[str, Any]:
    """The result as `splatdoctor probe --json` writes it, with codes of patterns, and with the titles of its pictures alone."""
    answer = result.answer
    told = probe_to_json(replace(result, answer=replace(answer, shots=())))
    judged = [_judged(written, each, said)
              for written, each, said in zip(told["judged"], answer.judged, settled(result), strict=True)]
    return {**told, "judged": judged, "shots": [{"title": shot.title, "camera": shot.camera} for shot in answer.shots]}


def _judged(written: Mapping[str, Any], judged: Judged, said: Settled) -> dict[str, Any]:
    """Gaussians by their number, as everywhere in this file."""
    told = {**written, "code": said.code or None, "outcome": said.outcome}
    if judged.finding is not None:
        told["finding"] = {**written["finding"], "gaussians": _gaussians(judged.finding.gaussians)}
    return told


def _undecided(undecided: Undecided) -> dict[str, Any]:
    pattern = undecided.pattern
    return {"code": pattern.code, "name": pattern.name, "missing": list(undecided.missing),
            "decided_by": {"missing": "data", "asked": "probe", "probe": "probe", "manual": "eye"}[reason_of(undecided)]}

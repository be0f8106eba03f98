"""The runner: nothing kills a diagnosis, nothing unfit is shown, and root causes come first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

from diagnostics.catalogue import CatalogueFix, Pattern, Source
from diagnostics.diagnose import diagnose, whole_span
from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.evidence import Cancelled, Evidence
from diagnostics.registry import FACTS, Detector, detects, fact
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, Kind, NotEvaluable, Severity, Verdict
from runs.gaussians import Gaussians
from tests.support.runs import made_run
from tests.support.training import healthy_run

ROW = EvidenceRow("something measured", 3, 1, "count", 5, "a file")


def pattern(name: str, *, severity: Severity = "minor", **changes: Any) -> Pattern:
    whole = {"symptom": "S", "cause": "C", "limits": {}, "fixes": (CatalogueFix("D", "E"),), "sources": (Source("A paper", ""),)}
    return Pattern(name, name.upper(), "T", severity, "training", **(whole | changes))


def fires(at: int = 5, **changes: Any) -> Finding:
    return Finding(**({"says": "3 of something", "evidence": (ROW,), "iterations": (at, at + 1)} | changes))


def detector(name: str, verdict: Verdict | Exception, limits: Mapping[str, float] | None = None) -> Detector:
    def judge() -> Verdict:
        if isinstance(verdict, Exception):
            raise verdict
        return verdict
    return Detector(name, (), (), limits or {}, judge)


def run_of(verdicts: Mapping[str, Verdict | Exception], patterns: Mapping[str, Pattern] | None = None) -> Diagnosis:
    catalogue = patterns or {name: pattern(name) for name in verdicts}
    judges = {name: detector(name, verdict) for name, verdict in verdicts.items()}
    return diagnose(made_run(), (0, 10), catalogue=catalogue, detectors=judges)


def test_every_pattern_gets_exactly_one_verdict() -> None:
    """The user must see what was looked at and found well, and what could not be looked at."""
    diagnosis = run_of({"a": fires(), "b": None, "c": NotEvaluable(("series test/psnr",))})
    assert [f.pattern.name for f in diagnosis.findings] == ["a"]
    assert [p.name for p in diagnosis.clear] == ["b"]
    assert [(u.pattern.name, u.missing) for u in diagnosis.not_evaluable] == [("c", ("series test/psnr",))]


def test_a_detector_that_fails_costs_only_its_own_pattern() -> None:
    """One bug must not cost the user the other findings, and must not pass as "clear"."""
    diagnosis = run_of({"a": ZeroDivisionError("by nothing"), "b": fires()})
    assert [f.pattern.name for f in diagnosis.findings] == ["b"]
    assert diagnosis.not_evaluable[0].missing == ("its detector failed (ZeroDivisionError: by nothing)",)


def test_births_that_cannot_be_traced_cost_no_finding() -> None:
    """What was found stands, and says why nobody knows since when."""
    def broken() -> Gaussians:
        raise ZeroDivisionError("by nothing")

    run = healthy_run()
    saves = tuple(replace(save, read=broken, _shared=WeakValueDictionary()) for save in run.checkpoints)
    place = GaussianPlace(np.arange(3), saves[-1].iteration, saves[-1].count)
    diagnosis = diagnose(replace(run, checkpoints=saves), catalogue={"a": pattern("a")},
                         detectors={"a": detector("a", fires(gaussians=place))})
    told = diagnosis.findings[0].began
    assert isinstance(told, NotEvaluable)
    assert "ZeroDivisionError" in told.missing[0]


@pytest.mark.parametrize(("finding", "why"), [
    (fires(evidence=()), "no measured number"),
    (fires(evidence=(EvidenceRow("a file", "missing"),)), "no measured number"),
    (fires(evidence=(EvidenceRow("a ratio", float("nan")),)), "no measured number"),
    (fires(iterations=None), "names no place"),
    (fires(says=" "), "says nothing"),
    (fires(confidence=1.5), "confidence"),
])
def test_the_self_check_refuses_an_unfit_finding(finding: Finding, why: str) -> None:
    """Without numbers and a place a finding is an opinion; it is kept back and its reason told."""
    diagnosis = run_of({"a": finding})
    assert diagnosis.findings == ()
    assert why in diagnosis.not_evaluable[0].missing[0]


@pytest.mark.parametrize(("place", "kind", "shown"), [
    ({"gaussians": GaussianPlace(np.arange(1), 5, 10)}, "training", True),
    ({"gaussians": GaussianPlace(np.arange(0), 5, 10)}, "training", False),
    ({"cameras": ("a.jpg",)}, "training", True), ({}, "file", True), ({}, "training", False),
    ({"evidence": (replace(ROW, source=""),)}, "file", False),
])
def test_any_one_place_is_enough(place: dict[str, Any], kind: Kind, shown: bool) -> None:
    """One Gaussian, one camera, or the file that a row of evidence names; a file says nothing about where a training failed."""
    diagnosis = run_of({"a": fires(iterations=None, **place)}, {"a": replace(pattern("a"), kind=kind)})
    assert bool(diagnosis.findings) == shown


@pytest.mark.parametrize(("changes", "why"), [
    ({"fixes": ()}, "no fix"), ({"sources": ()}, "no source"), ({"cause": ""}, "no cause"),
    ({"fixes": (CatalogueFix("raise {nothing}", "E"),)}, "no fix"),
])
def test_the_self_check_refuses_unfit_prose(changes: dict[str, object], why: str) -> None:
    """A finding without cause, cure or source helps nobody; a fix that quotes an unknown number is no fix."""
    diagnosis = run_of({"a": fires()}, {"a": pattern("a", **changes)})
    assert why in diagnosis.not_evaluable[0].missing[0]


def test_the_self_check_refuses_a_limit_without_reason() -> None:
    """A number nobody can question is not shown."""
    judge = detector("a", fires(), {"ratio": 3.0})
    diagnosis = diagnose(made_run(), (0, 1), catalogue={"a": pattern("a")}, detectors={"a": judge})
    assert "the limit 'ratio' carries no reason" in diagnosis.not_evaluable[0].missing[0]


def test_root_causes_come_first_then_the_worst_then_the_earliest() -> None:
    """The user starts to repair at the top of the list."""
    patterns = {
        "effect": pattern("effect", severity="critical"),
        "late": pattern("late", severity="major"), "early": pattern("early", severity="major"),
        "cause": pattern("cause", severity="minor", leads_to=("between",)),
        "between": pattern("between", leads_to=("effect",)),
    }
    found = {"effect": fires(6), "late": fires(9), "early": fires(iterations=(2, 10)), "cause": fires(1), "between": None}
    diagnosis = run_of(found, patterns)
    assert [f.pattern.name for f in diagnosis.findings] == ["early", "late", "cause", "effect"]
    assert diagnosis.findings[-1].consequence_of == ("CAUSE",)


def test_a_cause_does_not_begin_after_its_effect_ended() -> None:
    """What happened at iteration 8 does not explain what was over at 3."""
    patterns = {"a": pattern("a", leads_to=("b",)), "b": pattern("b")}
    found = run_of({"a": fires(8), "b": fires(2)}, patterns).findings
    assert {f.pattern.name: f.consequence_of for f in found} == {"a": (), "b": ()}


def test_findings_come_as_they_are_found_and_progress_ends_at_one() -> None:
    """The window fills while the diagnosis runs."""
    seen: list[Reported] = []
    told: list[float] = []
    names = ("a", "b", "c")
    diagnose(made_run(), (0, 1), catalogue={n: pattern(n) for n in names}, detectors={n: detector(n, fires()) for n in names},
             on_finding=seen.append, progress=lambda fraction, _: told.append(fraction))
    assert [f.pattern.name for f in seen] == ["a", "b", "c"]
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_cancel_stops_between_two_patterns() -> None:
    """A user who presses Cancel does not wait for the rest."""
    asked = iter([False, True])
    with pytest.raises(Cancelled):
        diagnose(made_run(), (0, 1), catalogue={n: pattern(n) for n in "ab"}, detectors={}, cancelled=lambda: next(asked))


def test_a_manual_pattern_says_how_to_see_it() -> None:
    """What no file can reveal is neither clear nor found."""
    diagnosis = run_of({}, {"a": pattern("a", manual="look at the fans")})
    assert diagnosis.not_evaluable[0].missing == ("no file reveals it: look at the fans",)


def test_the_whole_span_covers_saves_and_logs() -> None:
    """The default range loses nothing, and a run without any iteration does not fail."""
    assert whole_span(healthy_run()) == (1, 2000)
    assert whole_span(made_run()) == (0, 0)


def test_a_fact_is_computed_once_and_its_failure_is_told() -> None:
    """Ten detectors that ask for one slow fact wait once; a fact that fails is missing, not fatal."""
    calls: list[str] = []

    @fact(missing="the moon")
    def moon_for_test() -> int:
        calls.append("asked")
        raise ValueError("clouds")

    evidence = Evidence(made_run(), (0, 1))
    answers = [evidence.get("moon_for_test") for _ in range(3)]
    del FACTS["moon_for_test"]
    assert calls == ["asked"]
    assert answers[0].missing == ("the moon (computing moon_for_test failed: ValueError: clouds)",)


def test_a_detector_cannot_ask_for_a_fact_nobody_provides() -> None:
    """A slip in a parameter's name is told at import, not at the user's desk."""
    with pytest.raises(TypeError, match="asks for facts that nobody provides: opacitys"):
        @detects("never-registered")
        def judge(opacitys: object) -> Verdict:
            raise AssertionError(opacitys)

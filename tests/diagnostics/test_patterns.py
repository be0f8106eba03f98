"""Every pattern: its sick run is found, its healthy twin is clear, and without a needed fact it says which one is missing."""

import math

import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnose import diagnose, whole_span
from diagnostics.evidence import Evidence
from diagnostics.registry import DETECTORS, FACTS, GIVEN, Detector
from diagnostics.selfcheck import shortcomings
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from runs.run import Run
from tests.diagnostics.fixtures import collected
from tests.support.runs import made_run

SICK, HEALTHY = collected("SICK"), collected("HEALTHY")


def verdict(name: str, run: Run, without: str = "") -> Verdict:
    """The verdict of one detector, with one fact taken away."""
    detector = DETECTORS[name]
    known = {without: NotEvaluable((FACTS[without].missing,))} if without else {}
    facts = Evidence(run, whole_span(run), _known=known).gather(detector.needs, detector.optional)
    return facts if isinstance(facts, NotEvaluable) else detector.judge(**facts)


def needs() -> list[tuple[str, str]]:
    """Pairs of pattern and fact; patterns without a fixture are told by another test."""
    known = ((name, detector) for name, detector in DETECTORS.items() if name in SICK)
    return [(name, need) for name, detector in known for need in detector.needs if need not in GIVEN]


def test_every_detector_has_a_sick_run_and_a_healthy_twin() -> None:
    """A detector that was never seen to fire, or to stay silent, proves nothing."""
    assert set(SICK) == set(DETECTORS)
    assert set(HEALTHY) == set(DETECTORS)


@pytest.mark.parametrize("name", sorted(SICK))
def test_the_sick_run_is_found_and_may_be_shown(name: str) -> None:
    """The whole point of a pattern; and what is found must pass the self-check, or the user would never see it."""
    found = next((f for f in diagnose(SICK[name]()).findings if f.pattern.name == name), None)
    assert found is not None
    assert shortcomings(found, DETECTORS[name], SICK[name]()) == ()
    assert all(not isinstance(row.value, float) or math.isfinite(row.value) for row in found.finding.evidence)


@pytest.mark.parametrize("name", sorted(HEALTHY))
def test_the_healthy_twin_is_clear(name: str) -> None:
    """A false alarm on a healthy run costs the user's trust; the twin looks as much like the sick one as it can."""
    assert verdict(name, HEALTHY[name]()) is None


@pytest.mark.parametrize(("name", "need"), needs())
def test_without_a_needed_fact_it_says_which(name: str, need: str) -> None:
    """"Not evaluable" helps only where it tells the user what to provide."""
    answer = verdict(name, SICK[name](), without=need)
    assert isinstance(answer, NotEvaluable)
    assert FACTS[need].missing in answer.missing


@pytest.mark.parametrize("name", sorted(SICK))
def test_an_empty_run_is_never_ill(name: str) -> None:
    """From nothing follows nothing: no finding, no failure, and each reason is a sentence."""
    answer = verdict(name, made_run())
    assert not isinstance(answer, Finding)
    assert answer is None or all(why.strip() for why in answer.missing)


def test_no_detector_fails_on_any_fixture() -> None:
    """A detector that raises is caught, so only this test would notice."""
    catalogue = load_catalogue()
    for name, run in {**SICK, **HEALTHY}.items():
        failed = [why for u in diagnose(run(), catalogue=catalogue).not_evaluable for why in u.missing if "failed" in why]
        assert not failed, name


@pytest.mark.parametrize("detector", DETECTORS.values(), ids=lambda d: d.name)
def test_limits_have_values_that_can_be_told(detector: Detector) -> None:
    """A limit is a number that the catalogue gives a reason for."""
    assert all(isinstance(value, (int, float)) for value in detector.limits.values())

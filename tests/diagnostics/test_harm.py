"""Harm: who is told that a setting which helps is a fault will undo it, and who is told that a fault is harmless will keep it."""

from dataclasses import replace
from typing import Any

import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnosis import Reported
from diagnostics.harm import MAY_HELP, with_harm
from diagnostics.report.story import causes
from runs.run import Run
from tests.diagnostics.report.support import PATTERN, diagnosis, reported
from tests.support.runs import made_run

RISING = {200: 20.0, 600: 24.0, 1000: 26.5}


def run_of(**series: dict[int, float]) -> Run:
    return made_run(series={name.replace("_", "/"): values for name, values in series.items()})


def found(**changes: Any) -> Reported:
    given = {"name": "position-rate-off-schedule", "code": "OF-08"} | changes
    severity, consequence_of = given.pop("severity", "minor"), given.pop("consequence_of", ())
    return reported(replace(PATTERN, **given), severity=severity, consequence_of=consequence_of)


def harmless(finding: Reported, run: Run, *others: Reported) -> str:
    return with_harm(run, [finding, *others], 1000)[0].harmless


def test_a_deviation_with_quality_at_its_best_is_told_with_the_number() -> None:
    """A rate that does not decay gains a decibel in our lab: that is no fault."""
    told = harmless(found(), run_of(test_psnr=RISING))
    assert told.startswith("No harm shows: test/psnr ended at its best (26.50 dB at iteration 1,000)")
    assert told.endswith("only a second run can tell.")


@pytest.mark.parametrize("values", [
    {200: 20.0, 600: 24.0, 1000: 23.5},  # it fell
    {200: 20.0, 1000: 26.5},  # two values are no course
    {200: 20.0, 400: 24.0, 600: 26.5},  # how it ended was not measured
    {200: 20.0, 600: 24.0, 1000: float("nan")},
])
def test_nothing_is_called_harmless_without_a_curve_that_shows_it(values: dict[int, float]) -> None:
    """Not known is not harmless."""
    assert harmless(found(), run_of(test_psnr=values)) == ""
    assert harmless(found(), run_of()) == ""


def test_held_out_views_speak_before_training_views() -> None:
    """Training views improve while a model over-fits."""
    assert harmless(found(), run_of(test_psnr={200: 20.0, 600: 24.0, 1000: 22.0}, train_psnr=RISING)) == ""


@pytest.mark.parametrize("changes", [
    {"name": "wrong-camera-poses"}, {"name": "gradients-vanish"}, {"name": "prunes-too-many"}, {"severity": "critical"},
    {"consequence_of": ("N-01",)},
])
def test_a_rising_curve_makes_no_fault_harmless(changes: dict[str, Any]) -> None:
    """Quality rises to the end with frozen colours too, only lower."""
    assert harmless(found(**changes), run_of(test_psnr=RISING)) == ""


def test_what_may_help_are_patterns_that_exist() -> None:
    """A name that was changed would silently call its pattern a fault again."""
    assert set(load_catalogue()) >= MAY_HELP


def test_what_led_to_another_finding_did_harm() -> None:
    """The other finding is the harm."""
    assert harmless(found(), run_of(test_psnr=RISING), reported(consequence_of=("OF-08",))) == ""


def test_the_summary_does_not_call_it_a_cause() -> None:
    """It stands by itself, after the faults."""
    deviation, = with_harm(run_of(test_psnr=RISING), [found()], 1000)
    fault, other = causes(diagnosis(reported(), deviation))
    assert fault.startswith("Floaters (AF-01)")
    assert other.startswith("Otherwise than usual, and not called a fault: OF-08, floaters (60 of 400")
    assert "26.50 dB" in other

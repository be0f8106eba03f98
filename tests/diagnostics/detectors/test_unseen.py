"""Meltdown of the unseen: told only where risk and effect come together."""

import pytest

from diagnostics.verdict import NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.unseen import EARLY, houses, melts, trained

NAME = "unseen-meltdown"


def test_visits_and_fading_are_told() -> None:
    """A photo shows 2.8 of 550 units of the street, so a Gaussian lies in 0.5 % of them."""
    finding = found(NAME, melts())
    assert "1,100 photos" in finding.says
    assert finding.evidence[1].value == pytest.approx(0.5, abs=0.1)
    assert finding.evidence[2].value == pytest.approx(0.3, abs=0.03)
    assert finding.iterations == (EARLY, 30000)


@pytest.mark.parametrize("run", [
    trained(houses(0.6, 0.6), houses(0.5, 0.15, 0.2), photos=900), trained(houses(0.6, 0.6), houses(0.18, 0.15, 0.2)),
    trained(houses(0.6, 0.6), houses(0.6, 0.2, 0.4)),
    trained(houses(0.6, 0.6), houses(0.5, 0.15, 0.2), densification_interval=1000),
], ids=["fewer photos", "all fade alike", "scales grow", "refined rarely enough"])
def test_each_sign_alone_is_not_enough(run: Run) -> None:
    """Many photos alone are no fault, nor is fading without them."""
    assert verdict(NAME, run) is None


@pytest.mark.parametrize("settings", [{"strategy": "default"}, {"opacity_reg": 0.0, "scale_reg": 0.0}])
def test_without_regularisers_nothing_melts(settings: dict[str, object]) -> None:
    """Whatever faded then, it was not this."""
    assert isinstance(verdict(NAME, trained(houses(0.6, 0.6), houses(0.5, 0.15, 0.2), **settings)), NotEvaluable)

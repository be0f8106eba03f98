"""Fog from a wrong gradient: only with a loss on geometry, only where rotations really go on, and only where quality sinks."""

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures import fog as runs


def test_the_loss_is_named_and_the_span_is_that_of_the_saves() -> None:
    finding = found("fog-from-a-wrong-gradient", runs.turns_more_and_more())
    assert "lambda_normal" in finding.says
    assert finding.iterations == (runs.SAVES[0], runs.SAVES[-1])


def test_without_such_a_loss_turning_is_no_sign() -> None:
    """In INRIA's trainer the rate of the rotations never decays, so they outlast positions by design."""
    answer = verdict("fog-from-a-wrong-gradient", runs.trained((0.0, 0.5, 2.0, 6.0), sinking_db=1.0, loss=0.0))
    assert isinstance(answer, NotEvaluable)


def test_quality_that_holds_clears_it() -> None:
    assert verdict("fog-from-a-wrong-gradient", runs.trained((0.0, 0.5, 2.0, 6.0), sinking_db=0.0)) is None


def test_a_constant_rate_of_rotations_is_by_design() -> None:
    """Positions slow down by their rate; rotations that go on as before turn more against the way, and are no fault."""
    assert verdict("fog-from-a-wrong-gradient", runs.trained((0.0, 2.0, 3.9, 5.7), sinking_db=1.0)) is None

"""Which saves show what training came to."""

import pytest

from diagnostics.evidence import Evidence
from diagnostics.facts.settled import kept_faint
from diagnostics.verdict import NotEvaluable
from tests.support.runs import cloud, made_run
from tests.support.training import RESETS, healthy_run


@pytest.mark.parametrize(("iteration", "settled"), [
    (700, False), (RESETS[-1] + 60, False), (1099, False), (1200, True), (2000, True),
])
def test_after_the_last_densification_and_outside_dips(iteration: int, settled: bool) -> None:
    """Densification is planned for 1,100 at the latest, and the dip after the reset at 1,000 lasts 167 iterations."""
    run = healthy_run(checkpoints={iteration: cloud(50)}, states={})
    answer = Evidence(run, (1, iteration)).get("settled")
    assert answer is True if settled else isinstance(answer, NotEvaluable)


def test_without_a_schedule_nobody_knows() -> None:
    """A bare file may be of any iteration of anything."""
    answer = Evidence(made_run(checkpoints={7000: cloud(50)}), (1, 7000)).get("settled")
    assert isinstance(answer, NotEvaluable)


def test_a_trainer_without_a_table_keeps_nobody_on_purpose() -> None:
    assert kept_faint(None, 7000) is None

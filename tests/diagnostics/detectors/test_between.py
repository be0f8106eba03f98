"""Made-up colours and popping: what is inherent to the method, or seen by cameras, is left alone."""

import pytest

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures import between as runs
from tests.support.runs import cloud
from tests.support.training import LAST, healthy_run


def test_made_up_colours_are_told_with_the_gaussians() -> None:
    """A place to look at, and a doubt: no published limit exists."""
    finding = found("colour-bleeding", runs.bleeds_from_above())
    assert finding.gaussians is not None
    assert finding.gaussians.count > 300
    assert finding.confidence < 0.7


def test_without_harmonics_nothing_can_bleed() -> None:
    answer = verdict("colour-bleeding", healthy_run(checkpoints={LAST: cloud(900, seed=2, sh_degree=0)}))
    assert isinstance(answer, NotEvaluable)
    assert "harmonics" in answer.missing[0]


def test_popping_is_a_remark() -> None:
    """Every model of this method pops a little: it is never told as a fault of training by itself."""
    finding = found("popping", runs.overlapping())
    assert finding.severity is None
    assert len(finding.cameras) == 3
    assert finding.evidence[0].value > 5 * finding.evidence[0].limit


@pytest.mark.parametrize("name", ["colour-bleeding", "popping"])
def test_a_renderer_that_is_not_ours_is_not_judged(name: str) -> None:
    """Splats along rays of pixels do not pop, and their pictures cannot be drawn here."""
    run = healthy_run(checkpoints={LAST: runs.swinging(runs.UPWARDS)}, settings={"antialiasing": True})
    assert isinstance(verdict(name, run), NotEvaluable)

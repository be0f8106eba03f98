"""Evaluation: a dip that only the score shows, and views that stay behind."""

import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.alerts import visits
from tests.diagnostics.fixtures.evaluation import AT_ALL_VIEWS, EVALUATIONS, all_views_every_third, one_view_left_behind
from tests.support.training import healthy_run, quality

ARTEFACT, UNEQUAL = "evaluation-artefact", "views-converge-unequally"


def test_the_measurement_dips_and_nothing_else_is_blamed() -> None:
    """nerfstudio #2709: it must say "measurement", with the other number of views; not a reset, not an oscillation."""
    finding = found(ARTEFACT, all_views_every_third())
    assert "the measurement dips, not the training" in finding.says
    assert "of 40 views, the others of 1" in finding.says
    assert finding.facts["cadence"] == 300
    reported = diagnose(all_views_every_third()).findings
    assert {one.pattern.kind for one in reported if one.pattern.code == "N-22"} == {"measurement"}
    assert not {one.pattern.code for one in reported} & {"DF-07", "CF-02", "CF-03", "M-04"}


def test_dips_at_no_common_interval_are_not_the_evaluations() -> None:
    """Chance does not keep to multiples."""
    psnr = {i: quality(i) - 0.8 - 4.0 * (i in (700, 1300, 1700)) for i in EVALUATIONS}
    assert verdict(ARTEFACT, healthy_run(series={"test/psnr": psnr})) is None


def test_without_a_course_of_training_nothing_is_decided() -> None:
    """Whether the model dips too is the whole question."""
    psnr = {i: quality(i) - 0.8 - 4.0 * (i in AT_ALL_VIEWS) for i in EVALUATIONS}
    none = dict.fromkeys(("train/psnr", "view/psnr", "loss/l1"))
    assert isinstance(verdict(ARTEFACT, healthy_run(series={**none, "test/psnr": psnr})), NotEvaluable)


def test_gaussians_that_go_at_the_dips_make_them_real() -> None:
    """A prune at every third evaluation costs the model something."""
    psnr = {i: quality(i) - 0.8 - 4.0 * (i in AT_ALL_VIEWS) for i in EVALUATIONS}
    counts = {i: 800.0 if i in AT_ALL_VIEWS else 1000.0 for i in EVALUATIONS}
    assert verdict(ARTEFACT, healthy_run(series={"test/psnr": psnr, "num_gaussians": counts})) is None


@pytest.mark.parametrize(("lost", "says"), [(2.5, False), (3.6, True)])
def test_how_far_behind_a_view_must_be(lost: float, says: bool) -> None:
    """Sound trainings had views with up to 2.3 times the median loss."""
    assert (verdict(UNEQUAL, healthy_run(series=visits(0.01, lost=lost))) is not None) == says


def test_the_view_is_named() -> None:
    """Where to look is all that this pattern can say."""
    assert found(UNEQUAL, one_view_left_behind()).cameras == ("view_011.png",)


def test_few_visits_tell_nothing() -> None:
    """A log of the last iterations only."""
    answer = verdict(UNEQUAL, one_view_left_behind(), span=(1960, 2000))
    assert isinstance(answer, NotEvaluable)

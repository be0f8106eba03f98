"""Convergence: a gap is normal, a fall is not, and a dip after a reset is neither."""

import pytest

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.convergence import few_views, three_views
from tests.support.runs import ring_cameras
from tests.support.training import healthy_run

NAME = "test-falls-while-train-rises"


def test_the_best_state_is_named_with_its_number() -> None:
    """The user keeps the save at the best evaluation: 20.44 dB, not 18.60."""
    finding = found(NAME, few_views())
    assert finding.facts == {"best_iteration": 467, "best_psnr": 20.44, "end_psnr": 18.60}
    assert finding.evidence[2].value == pytest.approx(25.51)


def test_a_dip_at_the_end_is_the_resets() -> None:
    """The last evaluation falls into a reset's recovery: the one before it counts."""
    run = healthy_run(series={"test/psnr": {300: 24.0, 900: 27.0, 1050: 22.0}, "train/psnr": {300: 25.0, 900: 28.0, 1050: 29.0}})
    assert verdict(NAME, run) is None


def test_both_falling_is_another_fault() -> None:
    """A divergence takes the training views with it."""
    run = healthy_run(series={"test/psnr": {400: 24.0, 2000: 20.0}, "train/psnr": {400: 25.0, 2000: 21.0}})
    assert verdict(NAME, run) is None


def test_one_evaluation_is_not_enough() -> None:
    """Nothing falls in a single number."""
    run = healthy_run(series={"test/psnr": {2000: 20.0}, "train/psnr": {2000: 21.0}})
    assert isinstance(verdict(NAME, run), NotEvaluable)


def test_train_and_test_are_read_at_the_same_iterations() -> None:
    """The evaluation at 1,000 lies on a reset: train PSNR of that iteration must not be held against an older test PSNR."""
    run = healthy_run(series={"test/psnr": {300: 25.9, 900: 25.2, 1000: 25.9}, "train/psnr": {300: 27.7, 900: 27.5, 1000: 28.4}})
    assert verdict(NAME, run) is None


def test_a_curve_that_still_climbs_out_of_a_dip_is_not_judged() -> None:
    """Train views come back first; where test views end, the next evaluation tells."""
    dip = {"test/psnr": {400: 26.0, 600: 21.0, 700: 25.0}, "train/psnr": {400: 27.0, 600: 22.0, 700: 27.8}}
    assert isinstance(verdict(NAME, healthy_run(series=dip)), NotEvaluable)
    over = {name: values | {800: values[700]} for name, values in dip.items()}
    assert found(NAME, healthy_run(series=over)).evidence[0].iteration == 800


def test_the_gap_of_a_few_views_is_told_with_its_views() -> None:
    """Nothing falls and the training views look perfect: only the gap and the few views tell that they are learned by heart."""
    finding = found("sparse-views", three_views())
    assert finding.cameras == tuple(camera.name for camera in ring_cameras(3))
    assert finding.evidence[1].value == pytest.approx(7.4)


@pytest.mark.parametrize(("views", "gap_db", "says"), [(9, 5.5, True), (10, 5.5, False), (9, 4.5, False)])
def test_a_gap_alone_and_few_views_alone_are_normal(views: int, gap_db: float, says: bool) -> None:
    """The 3DGS paper's own scenes have gaps of 8 dB, and a simple object needs few views."""
    series = {"test/psnr": {1000: 22.0, 2000: 24.0}, "train/psnr": {1000: 24.0, 2000: 24.0 + gap_db}}
    assert (verdict("sparse-views", healthy_run(series=series, cameras=ring_cameras(views))) is not None) == says

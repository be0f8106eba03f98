"""Convergence: a gap is normal, a fall is not, and a dip after a reset is neither."""

import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.convergence import few_views, three_views
from tests.support.runs import made_run, ring_cameras
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


def late(test_loss: float, train_change: float) -> dict[str, dict[int, float]]:
    """Both rise until 1,400; from there held-out views lose so much by 2,000, and training views change by so much."""
    share = {i: max(0.0, (i - 1400) / 600) for i in range(100, 2001, 100)}
    level = {i: 20 + min(i, 1400) / 200 for i in share}
    return {"test/psnr": {i: level[i] - test_loss * share[i] for i in share},
            "train/psnr": {i: level[i] + 1 + train_change * share[i] for i in share}}


@pytest.mark.parametrize(("test_loss", "train_change", "says"), [
    (0.8, -0.8, True), (0.8, 0.2, True), (0.4, -0.4, False), (0.8, 0.8, False),
])
def test_a_late_decline_takes_training_views_with_it(test_loss: float, train_change: float, says: bool) -> None:
    """Where they gain, it is over-fitting and another pattern's; less than half a decibel is noise."""
    answer = verdict("late-degradation", healthy_run(series=late(test_loss, train_change)))
    assert (answer is not None) == says


def test_without_training_views_the_decline_says_what_it_cannot_tell() -> None:
    """Over-fitting would look the same."""
    none = dict.fromkeys(("train/psnr", "view/psnr", "loss/l1"))
    finding = found("late-degradation", healthy_run(series={**late(1.0, 0.0), **none}))
    assert "over-fitting would look the same" in finding.says
    assert finding.confidence == 0.5


def test_what_was_best_at_the_start_never_learned() -> None:
    """A best in the first third is no late degradation."""
    falling = {i: 25 - i / 1000 for i in range(100, 2001, 100)}
    assert verdict("late-degradation", healthy_run(series={"test/psnr": falling, "train/psnr": falling})) is None


def test_a_public_run_that_was_frozen_by_design_is_clear() -> None:
    """gaussian-splatting #156: 7,000 to 50,000 iterations, and any finding would be a false alarm."""
    series = {"train/psnr": {7000: 23.82, 30_000: 27.11}, "loss/total_ema": {7000: 0.0937, 30_000: 0.0586, 50_000: 0.0541},
              "num_gaussians": {30_000: 5_775_269.0, 50_000: 5_775_269.0}}
    diagnosis = diagnose(made_run(series=series, settings={"densify_until_iter": 15_000, "iterations": 50_000}))
    assert diagnosis.findings == ()

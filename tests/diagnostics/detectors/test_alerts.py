"""Alarms on curves: what a reset excuses, what it does not, and which losses may be compared with each other."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from runs.run import Trainer
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.alerts import dips_at_resets, falls_at_a_reset, no_interval, swings, visits
from tests.support.runs import changed
from tests.support.training import LAST, healthy_run, moved, quality, start

FALLS, SWINGS, ALWAYS = "quality-falls-for-good", "loss-oscillates", "densifies-at-every-iteration"


def test_a_fall_on_a_reset_that_stays_is_a_divergence() -> None:
    """Deformable-3DGS #29: 12,000 is 4 x 3,000 on purpose; the range and the way back must come out, and no blame on it."""
    finding = found(FALLS, falls_at_a_reset())
    assert finding.iterations == (11_000, 12_000)
    assert finding.evidence[0].value == pytest.approx(25.0)
    codes = {reported.pattern.code for reported in diagnose(falls_at_a_reset()).findings}
    assert "M-04" in codes
    assert not codes & {"DF-07", "CF-01", "CF-05", "N-18"}


def test_the_way_back_is_named_and_fits_the_trainer() -> None:
    """Roll back to 11,000 whatever the trainer; the deformation's rate is suspected only where there is one."""
    fixes = [fix.do for fix in diagnose(falls_at_a_reset()).findings[0].fixes]
    assert any("before iteration 11,000" in do for do in fixes)
    assert not any("deformation" in do for do in fixes)
    deforming = replace(falls_at_a_reset(), trainer=Trainer("deformable-3dgs", 0.9, "made up"))
    reported = next(f for f in diagnose(deforming).findings if f.pattern.code == "M-04")
    assert any("deformation" in fix.do for fix in reported.fixes)


def test_the_same_dips_that_recover_are_resets() -> None:
    """Five decibels down at every reset, and back a thousand iterations later: the recipe."""
    assert verdict(FALLS, dips_at_resets()) is None


def test_one_low_value_at_the_end_is_not_judged() -> None:
    """The next evaluation tells whether it was a dip."""
    psnr = {i: quality(i) - 8.0 * (i == LAST) for i in range(100, LAST + 1, 100)}
    assert isinstance(verdict(FALLS, healthy_run(series={"train/psnr": psnr})), NotEvaluable)


def test_what_stays_faint_after_a_reset_is_the_other_patterns() -> None:
    """Two findings for one symptom would be one too many: opacities tell which of the two it is."""
    psnr = {i: quality(i) if i <= 1000 else 13.0 for i in range(100, LAST + 1, 100)}
    faint = changed(moved(), logit_opacities=np.full(moved().count, -4.6))
    bright = changed(moved(), logit_opacities=np.full(moved().count, 2.0))
    assert verdict(FALLS, healthy_run(series={"train/psnr": psnr}, checkpoints={200: start(), LAST: faint})) is None
    assert found(FALLS, healthy_run(series={"train/psnr": psnr}, checkpoints={200: start(), LAST: bright})).facts["save"] == 200


def test_a_loss_alone_tells_a_fall_too() -> None:
    """A log without evaluations: the median over many views stands in, and its slow edge is no excuse."""
    loss = {i: 10 ** (-(quality(i) if i < 1500 else 12.0) / 20) for i in range(1, LAST + 1)}
    none = dict.fromkeys(("train/psnr", "test/psnr", "view/psnr"))
    finding = found(FALLS, healthy_run(series={**none, "loss/l1": loss}))
    assert finding.iterations is not None
    assert finding.iterations[0] < 1500 <= finding.iterations[1] + 5


@pytest.mark.parametrize(("swing", "says"), [(0.03, False), (0.06, True)])
def test_the_border_of_a_view_that_jumps(swing: float, says: bool) -> None:
    """Twice the swing is the distance of a visit from the middle of its neighbours; 8 % is the limit."""
    assert (verdict(SWINGS, healthy_run(series=visits(swing))) is not None) == says


def test_evaluations_of_fixed_views_tell_it_as_well() -> None:
    """Where no log tells whose loss it is."""
    psnr = {i: quality(i) + 2.0 * ((i // 50) % 2) for i in range(50, LAST + 1, 50)}
    finding = found(SWINGS, healthy_run(series={"train/psnr": psnr, "loss/l1": None}))
    assert finding.evidence[0].value == pytest.approx(2.0, abs=0.1)


def test_without_the_end_of_densification_nothing_oscillates() -> None:
    """While Gaussians come and go, every view's loss jumps."""
    run = healthy_run(series=visits(0.15), settings={"densify_until_iter": None})
    assert isinstance(verdict(SWINGS, run), NotEvaluable)
    assert found(SWINGS, swings()).iterations == (1100, LAST)


@pytest.mark.parametrize(("every", "says"), [(1, True), (2, False), (10, False)])
def test_how_close_births_may_come(every: int, says: bool) -> None:
    """One public recipe densifies at every second iteration on purpose; most do every 100."""
    born = dict.fromkeys(range(200, 1200, every), 3.0)
    run = healthy_run(series={"densify/cloned": born, "densify/split": None, "densify/pruned": None})
    assert (verdict(ALWAYS, run) is not None) == says


def test_events_that_bear_nobody_do_not_count() -> None:
    """A trainer may log zeros at every iteration."""
    zeros = {i: float(i % 100 == 0) for i in range(1, 1200)}
    assert verdict(ALWAYS, healthy_run(series={"densify/cloned": zeros, "densify/split": None})) is None


def test_a_sparse_count_does_not_tell_births() -> None:
    """Counts every hundred iterations rise from one to the next in any sound run."""
    none = dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned"))
    run = healthy_run(series={**none, "num_gaussians": {i: 4.0 * i for i in range(100, LAST, 10)}})
    answer = verdict(ALWAYS, run)
    assert not isinstance(answer, NotEvaluable) or answer.missing
    assert found(ALWAYS, no_interval()).facts["every"] == "1"

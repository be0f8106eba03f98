"""Numbers of Gaussians: judged against the photos and the cap, never by themselves."""

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.budget import CAP, capped_below_start, dead_at_cap, mcmc, nobody_is_moved, runaway
from tests.support.densified import with_opacities
from tests.support.runs import changed, cloud, made_run, points_of, ring_cameras, state_of
from tests.support.training import DENSIFICATIONS, LAST, SETTINGS, healthy_run, start


def test_more_unknowns_than_measurements_are_told_with_both_numbers() -> None:
    """1,800 Gaussians of 23 numbers in front of 12 photos of 256 pixels: the user can check it by hand."""
    finding = found("densification-runs-away", runaway())
    assert finding.evidence[0].value == pytest.approx(1800 * 23 / (12 * 256 * 3))
    assert finding.evidence[1].value == pytest.approx(1800 / 400)
    assert finding.iterations == (200, 401)
    assert "1,800 Gaussians, 4.5 times those of the start" in finding.says


def test_growth_that_the_photos_can_pay_for_is_left_alone() -> None:
    """Published runs grow eighty times and are sound: the same run before photos of four times the pixels."""
    run = runaway()
    cameras = ring_cameras(12, size_px=(64, 64))
    assert verdict("densification-runs-away", healthy_run(checkpoints={200: start(), LAST: run.checkpoints[-1].gaussians},
                                                          cameras=cameras)) is None


def test_growth_that_is_too_fast_is_told_before_the_photos_are_used_up() -> None:
    """A short run, or a cap, may end before there are more unknowns than measurements: the rate tells where it goes."""
    logged, cameras = runaway(), ring_cameras(12, size_px=(40, 40))
    parts = {"cameras": cameras, "checkpoints": {200: start(), LAST: logged.checkpoints[-1].gaussians}, "states": {}}
    births = {"densify/cloned": dict.fromkeys(DENSIFICATIONS[:3], 500.0), "densify/split": None}
    fast = healthy_run(series={**births, "num_gaussians": logged.series["num_gaussians"]}, settings={"cap_max": 1800}, **parts)
    finding = found("densification-runs-away", fast)
    assert finding.evidence[0].limit == 0.4
    assert "only the cap of 1,800 ended it" in finding.says
    slow = {"densify/cloned": dict.fromkeys(DENSIFICATIONS, 60.0), "densify/split": None}
    assert verdict("densification-runs-away", healthy_run(
        series={**slow, "num_gaussians": logged.series["num_gaussians"]}, **parts)) is None


def test_where_births_are_not_logged_two_counts_tell_the_rate() -> None:
    """From 400 to 1,800 in ten densifications is 16 % at each; in three it is 65 %."""
    many = cloud(1800, seed=2)
    silent = dict.fromkeys(("num_gaussians", "densify/cloned", "densify/split", "densify/pruned", "opacity_reset"))
    parts = {"series": silent, "cameras": ring_cameras(12, size_px=(40, 40)), "states": {},
             "checkpoints": {100: start(), LAST: many}}
    assert verdict("densification-runs-away", healthy_run(**parts)) is None
    finding = found("densification-runs-away", healthy_run(settings={"densification_interval": 300}, **parts))
    assert finding.evidence[2].value == pytest.approx((1800 / 400) ** (1 / 3) - 1)


def test_a_dense_start_is_no_runaway() -> None:
    """A laser scan is the user's choice, not densification's."""
    many = cloud(1800, seed=2)
    counts = dict.fromkeys(range(1, LAST + 1), 1700.0)
    run = healthy_run(series={"num_gaussians": counts}, cameras=ring_cameras(12, size_px=(16, 16)),
                      input_points=points_of(cloud(1700, seed=2)), checkpoints={LAST: many}, states={LAST: state_of(many, LAST)})
    assert verdict("densification-runs-away", run) is None


def test_few_photos_cannot_tell() -> None:
    """Of three photos any count has more unknowns than measurements; that is the photos' fault."""
    assert isinstance(verdict("densification-runs-away", runaway(views=3)), NotEvaluable)


def test_the_cap_explains_that_nothing_grows() -> None:
    """The user must be led to the cap, not to the gradient threshold."""
    findings = diagnose(capped_below_start()).findings
    assert [f.pattern.code for f in findings][:1] == ["N-37"]
    assert "The cap of 300 lies below the 400 Gaussians of the start" in findings[0].finding.says


@pytest.mark.parametrize("cap", [400, 401, 2000])
def test_a_cap_that_leaves_room_or_is_met_exactly_is_no_fault(cap: int) -> None:
    """Starting at the cap is a way to use MCMC."""
    assert verdict("cap-below-initial-count", mcmc(cap=cap)) is None


def test_growth_beyond_the_start_rules_the_cap_out() -> None:
    """A cap that does not bind is another's setting."""
    assert verdict("cap-below-initial-count", mcmc(cap=300, counts={1: 400.0, LAST: 500.0})) is None


def test_the_dead_at_the_cap_are_counted_and_shown() -> None:
    """The effective number is what remains."""
    finding = found("dead-mass-at-cap", dead_at_cap(share=0.6))
    assert finding.gaussians is not None
    assert finding.gaussians.count == round(0.6 * CAP)
    assert finding.evidence[0].value == pytest.approx(0.6, abs=0.01)
    assert finding.severity == "major"
    assert found("dead-mass-at-cap", dead_at_cap(share=0.4)).severity is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25])
def test_a_part_of_dead_ones_belongs_to_the_method(share: float) -> None:
    """The regulariser works until the end, relocation does not."""
    assert verdict("dead-mass-at-cap", dead_at_cap(share=share)) is None


def test_while_it_refines_dead_ones_are_in_flight() -> None:
    """In the middle of refinement they are about to be moved."""
    dead = with_opacities(cloud(CAP, seed=2), np.arange(500), 0.002)
    assert verdict("dead-mass-at-cap", mcmc(checkpoints={200: start(), 900: dead}, states={}), (1, 1000)) is None


def test_relocation_that_moves_nobody_is_found_by_who_stays() -> None:
    """A few dead ones weigh nothing, but the same ones at every save mean that relocation is not at work."""
    finding = found("dead-mass-at-cap", nobody_is_moved())
    assert "outlived the refinements" in finding.says
    assert finding.severity is None


def test_those_that_are_moved_and_die_again_are_not_said_to_stay() -> None:
    """A regulariser that is too strong kills whom relocation has just moved: that is no fault of relocation."""
    dead = nobody_is_moved().checkpoints[-1].gaussians
    elsewhere = changed(dead, sh0=dead.sh0[::-1], means=dead.means[::-1])
    run = mcmc(last=elsewhere, checkpoints={200: start(), 900: dead, LAST: elsewhere})
    assert verdict("dead-mass-at-cap", run) is None


def test_refinements_that_only_a_default_plans_move_nobody() -> None:
    """The same saves, but when this run refined was not stored: it may have ended long before."""
    some = {checkpoint.iteration: checkpoint.gaussians for checkpoint in nobody_is_moved().checkpoints}
    run = made_run(settings={"strategy": "mcmc", "cap_max": CAP}, defaults=dict(SETTINGS), checkpoints=some)
    assert verdict("dead-mass-at-cap", run) is None


def test_below_the_cap_nothing_is_said() -> None:
    """Dead mass without a cap is another pattern's."""
    assert verdict("dead-mass-at-cap", mcmc(cap=2000, last=with_opacities(cloud(900, seed=2), np.arange(600), 0.002))) is None

"""Reach, death and skies: what a method keeps on purpose, and what cannot be known, is not called a fault."""

import numpy as np

from diagnostics.verdict import NotEvaluable
from runs.run import Trainer
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures import support as runs
from tests.diagnostics.fixtures.growth import RESET_LOGIT
from tests.support.runs import changed, look_from
from tests.support.training import LAST, healthy_run, moved

TRUNCATED = Trainer("truncgradgs", 0.9, "no_motion_mask in cfg_args")


def test_those_out_of_reach_are_told_by_row() -> None:
    place = found("support-collapsed", runs.out_of_reach()).gaussians
    assert place is not None
    assert np.array_equal(place.rows, np.arange(180))


def test_dead_ones_are_told_as_a_saving() -> None:
    """They harm no picture, so the finding is a remark, and its advice tells what it saves."""
    finding = found("permanently-dead", runs.dead())
    assert finding.severity is None
    assert (finding.facts["dead"], finding.gaussians and finding.gaussians.count) == ("180", 180)


def test_before_the_last_prune_nobody_is_dead_for_good() -> None:
    """The next densification removes them."""
    run = healthy_run(checkpoints={1100: runs.faded(0.001)})
    assert isinstance(verdict("permanently-dead", run, (1, 1100)), NotEvaluable)


def test_truncated_gradients_keep_faint_ones_on_purpose() -> None:
    """Until iteration 24,500 of 30,000 nothing is pruned there, by design (TruncGradGS, train.py)."""
    kept = healthy_run(checkpoints={LAST: runs.faded(0.0045, 1e-4)}, trainer=TRUNCATED)
    answer = verdict("support-collapsed", kept)
    assert isinstance(answer, NotEvaluable)
    assert any("24,500" in why for why in answer.missing)


def test_truncated_gradients_keep_the_reset_opacity_on_purpose() -> None:
    """Those that wait at 0.01 for a pull are no fault while quality holds; of another trainer's they are told."""
    stuck = changed(moved(), logit_opacities=np.where(np.arange(900) % 5 == 0, RESET_LOGIT, moved().logit_opacities))
    assert not isinstance(verdict("opacity-reset-regression", healthy_run(checkpoints={200: moved(), LAST: stuck})), NotEvaluable)
    kept = healthy_run(checkpoints={200: moved(), LAST: stuck}, trainer=TRUNCATED)
    assert isinstance(verdict("opacity-reset-regression", kept), NotEvaluable)


def test_a_sky_needs_cameras_that_would_show_a_parallax() -> None:
    """Under few cameras everything lies under small angles (NF-03)."""
    sky = runs.sky_at_all_distances().checkpoints[-1].gaussians
    run = healthy_run(checkpoints={LAST: sky}, cameras=tuple(look_from((3.0, 0.1 * i, 0.0), f"{i}.png") for i in range(4)))
    assert isinstance(verdict("sky-without-parallax", run), NotEvaluable)


def test_a_far_floor_is_no_sky() -> None:
    """What lies low in the pictures is ground, however far."""
    sky = runs.sky_at_all_distances().checkpoints[-1].gaussians
    means = sky.means.copy()
    means[900:, 1] = np.abs(means[900:, 1]) * 8  # y points down
    assert verdict("sky-without-parallax", healthy_run(checkpoints={LAST: changed(sky, means=means)})) is None

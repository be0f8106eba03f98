"""Breaks where a setting begins or ends something, and all that only looks like one: resets, growth, coarse logs."""

import numpy as np
import pytest

from diagnostics.verdict import NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.crash import EVALUATION, breaks_at_warm_up, error, with_quality
from tests.support.runs import made_run
from tests.support.training import LAST, RESETS, healthy_run, healthy_series, quality

NAME = "fails-at-a-phase-boundary"


def falls_at(iteration: int, every: int = 1, **settings: int) -> Run:
    fallen = with_quality(lambda i: quality(i) if i <= iteration else 18.0, every)
    return healthy_run(settings=settings, series=fallen)


def test_the_key_is_named_with_its_distance() -> None:
    """What a user wants to know is which setting to move."""
    finding = found(NAME, breaks_at_warm_up())
    assert finding.facts["key"] == "warm_up"
    assert "warm_up = 1300" in finding.says
    assert [row.value for row in finding.evidence] == [pytest.approx(12.7, abs=0.3), pytest.approx(13, abs=13)]


def test_far_from_every_boundary_it_is_no_matter_of_phases() -> None:
    """Settings of the healthy run begin or end at 100 and 1,200."""
    assert verdict(NAME, falls_at(1500)) is None


def test_a_fall_at_a_reset_belongs_to_the_reset() -> None:
    """Even where a setting names the same iteration."""
    assert verdict(NAME, falls_at(RESETS[1], warm_up=RESETS[1])) is None


def test_a_log_that_is_too_coarse_names_no_key() -> None:
    """Views logged every 40 iterations place the fall of their median to 1,000."""
    assert verdict(NAME, falls_at(1290, 40, warm_up=1300)) is None


def test_a_loss_that_becomes_nan_at_a_start_is_told() -> None:
    """LichtFeld-Studio #1225: NaN at the start of sparsity."""
    loss = {i: value if i < 1305 else np.nan for i, value in healthy_series()["loss/l1"].items()}
    finding = found(NAME, healthy_run(settings={"sparsity_start_iter": 1300}, series={"loss/l1": loss}))
    assert finding.facts["key"] == "sparsity_start_iter"
    assert "stopped being a number" in finding.says


def test_a_crash_at_a_boundary_is_told() -> None:
    """What begins there may need what is not there."""
    run = healthy_run(settings={"start_refine": LAST}, events=(EVALUATION, error("traceback", "KeyError: 'normal'")))
    assert found(NAME, run).facts["key"] == "start_refine"


def test_memory_and_counts_that_jump_for_good_are_breaks() -> None:
    """A count that grows is design; one that is halved in one step is not."""
    memory = {i: 4000.0 if i < 1300 else 9000.0 for i in range(10, LAST + 1, 10)}
    run = healthy_run(settings={"warm_up": 1300}, series={"vram": memory})
    assert "memory rose from 4,000 to 9,000" in found(NAME, run).says
    counts = {i: 900.0 if i < 1300 else 300.0 for i in range(1, LAST + 1)}
    run = healthy_run(settings={"warm_up": 1300}, series={"num_gaussians": counts})
    assert "the count fell from 900 to 300" in found(NAME, run).says


def test_a_count_that_is_halved_by_a_densification_is_another_pattern() -> None:
    """Densifications come at round iterations, as boundaries do: that they coincide tells nothing."""
    counts = {i: 900.0 if i <= 600 else 300.0 for i in range(1, LAST + 1)}
    run = healthy_run(settings={"warm_up": 600}, series={"num_gaussians": counts})
    assert verdict(NAME, run) is None


def test_defaults_that_were_not_stored_explain_nothing() -> None:
    """This run may have had another value."""
    answer = verdict(NAME, made_run(defaults={"densify_until_iter": 1300}, series={"train/psnr": {1: 1.0}}))
    assert isinstance(answer, NotEvaluable)


def test_evaluations_that_do_not_agree_clear_a_fall_of_single_views() -> None:
    """Harder views may come late; on the fixed ones nothing was lost."""
    fallen = with_quality(lambda i: quality(i) if i <= 1300 else 18.0)
    sound = {i: quality(i) for i in range(100, LAST + 1, 100)}
    assert verdict(NAME, healthy_run(settings={"warm_up": 1300}, series={**fallen, "train/psnr": sound})) is None


def test_a_colour_degree_that_begins_with_a_densification_explains_nothing() -> None:
    """The densification is as near, and pruning is the likelier cause; after the last one the degree stands alone."""
    assert verdict(NAME, falls_at(600, sh_interval=300)) is None
    assert found(NAME, falls_at(1400, sh_degree_interval=700)).facts["at"] == 1400


def test_what_nobody_sees_is_no_break() -> None:
    """Losses of views under a mask that covers nearly all lie at 60 dB and more, and jump among themselves."""
    psnr = with_quality(lambda i: 90.0 if i <= 1300 else 60.0)
    assert verdict(NAME, healthy_run(settings={"warm_up": 1300}, series=psnr)) is None


def test_the_healthy_training_has_no_break() -> None:
    """It densifies from 100 to 1,200, and dips by 6 dB at each reset."""
    assert verdict(NAME, healthy_run()) is None

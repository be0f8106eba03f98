"""Saves that do not fit together: what is a fault, what is by design, and whom the log cannot judge."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.verdict import NotEvaluable
from runs.run import Run, Trainer
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.saves import (
    DEFORMABLE,
    exposures_lost,
    other_degree,
    rows_lost_on_the_way,
    state_after_the_densification,
    statistics_of_other_rows,
)
from tests.support.runs import state_of
from tests.support.training import LAST, healthy_run, moved

DURING, COUNT, DEGREE, MODULE = "saved-during-densification", "count-mismatch", "sh-degree-mismatch", "extra-module-lost"


def test_the_part_that_does_not_fit_is_named() -> None:
    """Who resumes must know what to drop."""
    finding = found(DURING, statistics_of_other_rows())
    assert finding.facts["parts"] == "denom"


def test_what_a_reader_left_out_for_its_rows_is_told_too() -> None:
    """Readers drop such a part and say so, so it is not among the statistics any more."""
    state = replace(state_of(moved(), LAST), missing=("denom (stored for another number of Gaussians)",))
    assert found(DURING, healthy_run(states={LAST: state})).facts["parts"] == "denom"


@pytest.mark.parametrize("name", [DURING, COUNT])
def test_ply_and_state_around_a_densification_are_no_fault(name: str) -> None:
    """In INRIA's trainer the PLY is written before it, the state after it."""
    assert verdict(name, state_after_the_densification()) is None


def test_lost_rows_are_counted_against_log_and_state() -> None:
    """810 of 900: the reader must see both witnesses."""
    finding = found(COUNT, rows_lost_on_the_way())
    assert "810 Gaussians" in finding.says
    assert finding.facts["said"] == "900"
    assert {row.source for row in finding.evidence} >= {"metrics.jsonl", "chkpnt2000.pth"}


def test_a_percent_more_or_less_is_let_pass() -> None:
    """Some logs count before a removal that the file is written after."""
    for rows, fires in ((895, False), (880, True)):
        run = healthy_run(checkpoints={LAST: moved().take(np.arange(rows))}, states={})
        assert (verdict(COUNT, run) is not None) == fires


@pytest.mark.parametrize("trainer", ["brush", "lichtfeld", "unknown"])
def test_trainers_that_may_drop_rows_are_not_judged(trainer: str) -> None:
    """An export without the invisible is no damaged file."""
    run = replace(rows_lost_on_the_way(), trainer=Trainer(trainer, 0.9, "made up"))
    assert isinstance(verdict(COUNT, run), NotEvaluable)


def test_a_sparse_log_does_not_accuse() -> None:
    """Two counts, thousands of iterations apart, say nothing about a save in between."""
    run = healthy_run(
        series={"num_gaussians": {1: 400.0, 1900: 900.0}}, checkpoints={1000: moved(700, 3)}, states={})
    assert isinstance(verdict(COUNT, run), NotEvaluable)


def test_degrees_are_told_with_their_numbers() -> None:
    """3 numbers against 12: what the assertion in the loader will count."""
    finding = found(DEGREE, other_degree())
    assert "degree 0 (3 numbers per Gaussian)" in finding.says
    assert "the setting sh_degree says 1 (12)" in finding.says


def test_an_active_degree_above_the_stored_one_is_worse() -> None:
    """A renderer would read coefficients that are not there."""
    state = replace(state_of(moved(), LAST), active_sh_degree=3)
    assert found(DEGREE, healthy_run(states={LAST: state})).severity == "major"


def test_distilled_harmonics_are_by_design() -> None:
    """LightGaussian reduces the degree; its files are right."""
    run = replace(other_degree(), trainer=Trainer("lightgaussian", 0.9, "made up"))
    assert isinstance(verdict(DEGREE, run), NotEvaluable)


def test_what_is_missing_is_named_with_its_place() -> None:
    """The user has to copy one file."""
    assert found(MODULE, exposures_lost()).facts["where"] == "exposure.json"


def moving() -> Run:
    return replace(healthy_run(), trainer=DEFORMABLE)


def test_a_moving_scene_without_its_networks_is_told_how_many_saves_stand_still() -> None:
    """Three saves, no network beside any of them."""
    assert "3 of 3 saves" in found(MODULE, moving()).says


def test_the_coarse_stage_of_4d_gaussians_needs_no_network() -> None:
    """It draws the canonical set as it is."""
    run = moving()
    coarse = tuple(replace(c, label=f"coarse {c.iteration}") for c in run.checkpoints)
    assert verdict(MODULE, replace(run, checkpoints=coarse)) is None


def test_of_an_unknown_trainer_nobody_knows_what_else_it_trains() -> None:
    """It must be said, not guessed."""
    assert isinstance(verdict(MODULE, replace(healthy_run(), trainer=Trainer("brush", 0.9, "made up"))), NotEvaluable)


@pytest.mark.parametrize("name", [DURING, COUNT, DEGREE, MODULE])
def test_the_healthy_training_is_clear(name: str) -> None:
    """At its last save."""
    assert verdict(name, healthy_run()) is None

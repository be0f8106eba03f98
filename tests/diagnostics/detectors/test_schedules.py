"""Schedules: events too close, too late or missing; tight schedules of short runs are left alone."""

from dataclasses import replace

import numpy as np
import pytest

from runs.settings import Settings
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.schedules import STEPS, degree_stays_zero, faded_at, reset_every, resets_never_show
from tests.support.runs import changed
from tests.support.training import LAST, RESETS, healthy_run, moved

NAME = "schedules-overlap-or-hide"


@pytest.mark.parametrize(("interval", "severity"), [(50, "major"), (100, "major"), (150, "minor")])
def test_resets_without_time_to_recover_are_found(interval: int, severity: str) -> None:
    """One densification apart cost 1 dB in the calibration, and a third of the Gaussians."""
    finding = found(NAME, reset_every(interval))
    assert finding.severity == severity
    assert f"every {interval} iterations" in finding.says


@pytest.mark.parametrize("interval", [200, 250, 300, 400, 500, 1000])
def test_short_schedules_are_left_alone(interval: int) -> None:
    """Half and twice the usual interval, with a loss that answers each reset."""
    assert verdict(NAME, reset_every(interval)) is None


def test_resets_that_the_loss_does_not_know_are_found() -> None:
    """Logged or only planned: what took all opacity away would show."""
    assert "None of 2 planned opacity resets shows" in found(NAME, resets_never_show()).says
    logged = healthy_run(series={"loss/l1": faded_at(())})
    assert found(NAME, logged).severity == "minor"


@pytest.mark.parametrize("rise", [1.7, 3.0, 15.0])
def test_any_reset_that_shows_is_enough(rise: float) -> None:
    """In a run that was fog anyway L1 rose by 40 % only."""
    assert verdict(NAME, healthy_run(series={"loss/l1": faded_at(RESETS[:1], rise=rise)})) is None


def test_a_picture_that_was_never_learned_cannot_fade() -> None:
    """A run that collapsed before its resets has another fault than its schedule."""
    flat = {i: 0.2 + 0.01 * np.sin(i) for i in STEPS}
    assert verdict(NAME, healthy_run(series={"loss/l1": flat})) is None


def test_mcmc_plans_no_resets() -> None:
    """Its settings may still hold the interval of the other strategy."""
    run = healthy_run(series={"loss/l1": faded_at(()), "opacity_reset": None}, settings={"strategy": "mcmc", "cap_max": 1000})
    assert verdict(NAME, run) is None


def test_a_reset_just_before_the_end_is_told_once_the_run_has_ended() -> None:
    """While the run goes on it may still recover."""
    late = {"opacity_reset": dict.fromkeys((500, 1000, 1950), 1.0), "loss/l1": faded_at((500, 1000, 1950))}
    finding = found(NAME, healthy_run(series=late))
    assert finding.iterations == (1950, LAST)
    assert verdict(NAME, healthy_run(series=late, settings={"iterations": 2 * LAST})) is None


@pytest.mark.parametrize("log", [True, False])
def test_a_colour_degree_that_never_rises_is_found(log: bool) -> None:
    """By the log, or by the training state where nothing is logged."""
    finding = found(NAME, degree_stays_zero(log=log))
    assert "stopped at degree 0" in finding.says
    assert finding.severity == "major"


def test_all_degrees_from_the_start_are_no_fault() -> None:
    """It changed nothing in the calibration."""
    assert verdict(NAME, healthy_run(series={"sh_degree": dict.fromkeys(STEPS, 1.0)})) is None


def test_a_short_run_has_not_reached_its_first_degree() -> None:
    """The interval of 1,000 iterations is not stored, and the run ended before it."""
    short = dict.fromkeys(range(1, 901), 0.0)
    assert verdict(NAME, healthy_run(series={"sh_degree": short}, states={}), (1, 900)) is None


def test_higher_degrees_are_due_only_where_a_file_holds_the_interval() -> None:
    """Forks add degrees at their own pace."""
    two = changed(moved(), sh_rest=np.zeros((moved().count, 8, 3), np.float32))
    series = {"sh_degree": {i: float(i > 1000) for i in range(1, LAST + 1)}}
    assert verdict(NAME, healthy_run(series=series, checkpoints={LAST: two}, states={})) is None
    late = replace(healthy_run().state_files[0].state, iteration=LAST)
    stored = healthy_run(series=series, checkpoints={LAST: two}, states={LAST: late}, settings={"sh_interval": 300})
    assert found(NAME, stored).severity == "minor"


def test_a_fog_cannot_fade() -> None:
    """A start in empty space leaves hardly any opaque Gaussian; a reset takes nothing away there."""
    thin = changed(moved(), logit_opacities=np.full(moved().count, -4.0))
    series = {"loss/l1": faded_at(()), "opacity_reset": None}
    assert verdict(NAME, healthy_run(series=series, checkpoints={400: thin, LAST: moved()})) is None
    assert verdict(NAME, healthy_run(series=series, checkpoints={400: moved(), LAST: moved()})) is not None


def test_a_window_that_ends_before_it_begins_is_found() -> None:
    """Two settings that were scaled apart; as long as the end is not reached nothing has gone wrong."""
    run = healthy_run(settings={"densify_from_iter": 1300, "densify_until_iter": 1200})
    assert "never happens" in found(NAME, run).says
    assert verdict(NAME, run, (1, 600)) is None


def test_resets_that_only_a_default_plans_are_not_missed() -> None:
    """INRIA's trainer stores no interval: this run may have been given another, or none."""
    unstored = ("opacity_reset_interval", "densify_from_iter", "densify_until_iter")
    planned = {name: healthy_run().settings[name].value for name in unstored}
    run = healthy_run(series={"loss/l1": faded_at(()), "opacity_reset": None}, settings=dict.fromkeys(unstored), defaults=planned)
    by_name = {name: setting for name, setting in run.settings.items() if setting.value is not None}
    bare = replace(run, sources=replace(run.sources, settings=lambda: Settings(by_name).with_defaults(planned)))
    assert verdict(NAME, bare) is None

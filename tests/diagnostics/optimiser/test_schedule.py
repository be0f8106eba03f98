"""A schedule that is off by one iteration trains another recipe than the one that is named."""

import numpy as np
import pytest

from diagnostics.optimiser import schedule
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import INRIA_NAMES
from render.raster.parameters import GROUPS

INRIA = OptimiserSettings()


def test_position_rate_falls_a_hundredfold_in_equal_factors() -> None:
    rates = [schedule.position_rate(iteration, INRIA) for iteration in (0, 15_000, 30_000, 40_000)]
    assert rates == pytest.approx([1.6e-4, 1.6e-5, 1.6e-6, 1.6e-6])


def test_position_rate_of_zero_stays_zero() -> None:
    """Frozen means are a fault of the lab; log-linear interpolation would not survive it."""
    assert schedule.position_rate(10, OptimiserSettings(position_lr_init=0.0, position_lr_final=0.0)) == 0


def test_learning_rates_are_of_the_six_groups_and_only_the_means_scale_with_extent() -> None:
    near, far = (schedule.learning_rates(1, INRIA, extent) for extent in (1.0, 10.0))
    assert set(near) == set(GROUPS) == set(INRIA_NAMES)
    assert far["means"] == pytest.approx(10 * near["means"])
    assert {name: far[name] for name in GROUPS if name != "means"} == {name: near[name] for name in GROUPS if name != "means"}
    assert near["sh_rest"] == pytest.approx(near["sh0"] / 20)


def test_sh_degree_rises_at_multiples_of_the_interval_up_to_the_last() -> None:
    degrees = [schedule.sh_degree(iteration, INRIA) for iteration in (1, 999, 1_000, 1_999, 2_000, 3_000, 29_000)]
    assert degrees == [0, 0, 1, 1, 2, 3, 3]


def test_inrias_run_densifies_144_times_and_resets_four_times() -> None:
    """In the reference: 600, 700, … 14,900, and 3000, 6000, 9000, 12000; a white background adds iteration 500."""
    every = range(1, 30_001)
    events = [iteration for iteration in every if schedule.densifies(iteration, INRIA)]
    assert (events[0], events[-1], len(events)) == (600, 14_900, 144)
    assert [it for it in every if schedule.resets_opacities(it, INRIA)] == [3_000, 6_000, 9_000, 12_000]
    white = OptimiserSettings(white_background=True)
    assert [it for it in every if schedule.resets_opacities(it, white)][:2] == [500, 3_000]
    mcmc = OptimiserSettings(strategy="mcmc", cap_max=1_000)
    assert not any(schedule.resets_opacities(it, mcmc) for it in every)


def test_each_view_comes_once_per_round_in_a_new_order() -> None:
    rounds = [[schedule.view_index(it, 7, seed=2) for it in range(1 + 7 * k, 8 + 7 * k)] for k in range(3)]
    assert all(sorted(order) == list(range(7)) for order in rounds)
    assert len({tuple(order) for order in rounds}) > 1
    assert rounds[0] != [schedule.view_index(it, 7, seed=3) for it in range(1, 8)]


def test_background_follows_the_settings() -> None:
    rng = np.random.default_rng(0)
    assert schedule.background(INRIA, rng).tolist() == [0, 0, 0]
    assert schedule.background(OptimiserSettings(white_background=True), rng).tolist() == [1, 1, 1]
    drawn = schedule.background(OptimiserSettings(random_background=True), rng)
    assert len(set(drawn.tolist())) == 3
    assert ((drawn >= 0) & (drawn < 1)).all()

"""A resume that differs from the uninterrupted training is itself a failure pattern; ours must not have it."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import INRIA_NAMES
from render.raster.parameters import GROUPS
from runs.checkpoints import TrainingState
from tests.diagnostics.optimiser.made_up import quick, tiny_scene


def stopped(at: int, settings: OptimiserSettings) -> tuple[TrainingState, Optimiser]:
    """The state at `at`, and the uninterrupted training at its end."""
    optimiser = Optimiser(tiny_scene(), settings)
    optimiser.run(at)
    state = optimiser.captured()
    optimiser.run()
    return state, optimiser


@pytest.mark.parametrize("at", [33, 40, 50, 95], ids=["between", "densified", "reset", "late"])
def test_resumed_equals_uninterrupted_to_the_last_bit(at: int) -> None:
    state, whole = stopped(at, quick())
    resumed = Optimiser(tiny_scene(), quick(), resume_from=state)
    assert resumed.iteration == at
    resumed.run()
    for name in GROUPS:
        np.testing.assert_array_equal(getattr(resumed.parameters, name), getattr(whole.parameters, name))
        assert resumed.adam.moments[name].step == whole.adam.moments[name].step
        np.testing.assert_array_equal(resumed.adam.moments[name].square, whole.adam.moments[name].square)


def test_mcmc_resumes_to_the_last_bit() -> None:
    settings = quick(strategy="mcmc", cap_max=40)
    state, whole = stopped(33, settings)
    resumed = Optimiser(tiny_scene(), settings, resume_from=state)
    resumed.run()
    np.testing.assert_array_equal(resumed.parameters.means, whole.parameters.means)


def test_a_state_has_the_names_and_shapes_of_inrias_tuple() -> None:
    state, _ = stopped(33, quick())
    count = state.gaussians.count
    assert list(state.adam) == ["xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation"] == list(INRIA_NAMES.values())
    shapes = {name: group.exp_avg.shape for name, group in state.adam.items() if group.exp_avg is not None}
    assert shapes == {"xyz": (count, 3), "f_dc": (count, 1, 3), "f_rest": (count, 3, 3), "opacity": (count, 1),
                      "scaling": (count, 3), "rotation": (count, 4)}
    assert {group.step for group in state.adam.values()} == {33}
    assert set(state.statistics) == {"max_radii2D", "xyz_gradient_accum", "denom"}
    assert state.spatial_lr_scale == pytest.approx(tiny_scene().extent)
    assert state.missing == ()


def test_statistics_are_zero_right_after_a_densification() -> None:
    """As in INRIA's checkpoints at multiples of the interval."""
    state, _ = stopped(40, quick())
    assert not any(values.any() for values in state.statistics.values())


def test_a_state_is_a_copy() -> None:
    optimiser = Optimiser(tiny_scene(), quick())
    optimiser.run(10)
    state = optimiser.captured()
    before = state.gaussians.means.copy()
    optimiser.run(20)
    np.testing.assert_array_equal(state.gaussians.means, before)


def test_without_moments_adam_starts_anew() -> None:
    """The fault that resume probes look for: step counters at zero and another course of training."""
    state, whole = stopped(95, quick())
    resumed = Optimiser(tiny_scene(), quick(), resume_from=replace(state, adam={}))
    assert {memory.step for memory in resumed.adam.moments.values()} == {0}
    resumed.run()
    assert resumed.adam.moments["means"].step == 120 - 95 - 1
    assert not np.array_equal(resumed.parameters.means, whole.parameters.means)


def test_without_usable_statistics_they_start_at_zero() -> None:
    """3dgs-mcmc stores them for another number of Gaussians."""
    state, _ = stopped(33, quick())
    wrong = replace(state, statistics={"denom": np.ones(state.gaussians.count + 1, np.float32)})
    assert not Optimiser(tiny_scene(), quick(), resume_from=wrong).tally.views.any()

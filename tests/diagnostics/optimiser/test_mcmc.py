"""Relocation must not change the picture, or MCMC would shake what it has trained; and N must stay under its cap."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit

from diagnostics.optimiser import mcmc
from diagnostics.optimiser.adam import Adam
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.strategies import relocate_and_add
from render.covariance import covariances
from render.raster.differentiable import render
from render.raster.parameters import GROUPS
from tests.diagnostics.optimiser.made_up import blobs, cameras, context

MCMC = {"strategy": "mcmc", "noise_lr": 5e5}


def relocated_slowly(opacity: float, scale: float, n: int) -> tuple[float, float]:
    """Equation 9 of the paper, term by term."""
    new = 1 - (1 - opacity) ** (1 / n)
    total = sum(math.comb(i - 1, k) * (-1) ** k * new ** (k + 1) / math.sqrt(k + 1) for i in range(1, n + 1) for k in range(i))
    return new, scale * opacity / total


@pytest.mark.parametrize("opacity", [0.01, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("copies", [1, 2, 3, 7, 20, 51])
def test_relocation_is_the_papers_double_sum(opacity: float, copies: int) -> None:
    new, scales = mcmc.relocated(np.array([opacity]), np.array([[0.2, 0.3, 0.4]]), np.array([copies]))
    expected, factor = relocated_slowly(opacity, 1.0, copies)
    assert new[0] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(scales[0], factor * np.array([0.2, 0.3, 0.4]), rtol=1e-9)


def test_one_copy_changes_nothing_and_further_ones_count_as_51() -> None:
    new, scales = mcmc.relocated(np.array([0.4]), np.ones((1, 3)), np.array([1]))
    assert (new[0], scales[0, 0]) == (pytest.approx(0.4), pytest.approx(1.0))
    many = mcmc.relocated(np.array([0.4]), np.ones((1, 3)), np.array([1_000]))
    np.testing.assert_array_equal(many[0], mcmc.relocated(np.array([0.4]), np.ones((1, 3)), np.array([51]))[0])


def test_copies_stacked_let_as_much_light_through_as_one_did() -> None:
    opacities, copies = np.array([0.2, 0.5, 0.95]), np.array([2, 5, 9])
    new, _ = mcmc.relocated(opacities, np.ones((3, 3)), copies)
    np.testing.assert_allclose((1 - new) ** copies, 1 - opacities)


def moved(dead: int = 10, cap: int = 0, count: int = 60) -> tuple[Adam, dict[str, float]]:
    parameters = blobs(count)
    parameters.logit_opacities[:dead] = logit(0.004)
    adam = Adam(parameters, 1e-15)
    for memory in adam.moments.values():
        memory.mean[:], memory.square[:], memory.step = 1, 1, 7
    return adam, dict(relocate_and_add(adam, context(parameters, cap_max=cap or count, **MCMC), Recipe()))


def test_relocation_leaves_the_picture_and_the_number() -> None:
    """Dead Gaussians reappear on live ones, and 20 pictures differ by less than an eight-bit step on average."""
    before = blobs(60)
    before.logit_opacities[:10] = logit(0.004)
    adam, events = moved()
    assert events == {"relocated": 10, "added": 0}
    assert adam.parameters.count == 60
    assert expit(adam.parameters.logit_opacities).min() > 0.005
    apart = [np.abs(render(before, camera).rgb - render(adam.parameters, camera).rgb).mean() for camera in cameras(20)]
    assert max(apart) < 1 / 255 * 2
    naive = before.take(np.arange(60))
    chosen = np.random.default_rng(0).integers(10, 60, 10)
    for name in GROUPS:
        getattr(naive, name)[:10] = getattr(naive, name)[chosen]
    assert np.mean(apart) < 0.5 * np.mean([np.abs(render(before, c).rgb - render(naive, c).rgb).mean() for c in cameras(20)])


def test_those_that_were_drawn_lose_their_moments_and_the_dead_keep_theirs() -> None:
    """As gsplat's `relocate`: only the sampled rows are forgotten."""
    adam, _ = moved()
    forgotten = ~adam.moments["means"].mean.any(axis=1)
    assert 1 <= forgotten.sum() <= 10
    assert not forgotten[:10].any()
    assert all(memory.step == 7 for memory in adam.moments.values())


def test_shared_opacities_stay_above_the_dead() -> None:
    """Else what was just relocated would be dead at once, and be relocated again for ever."""
    parameters = blobs(20)
    parameters.logit_opacities[:] = logit(0.0051)
    parameters.logit_opacities[:10] = logit(0.001)
    relocate_and_add(Adam(parameters, 1e-15), context(parameters, cap_max=20, **MCMC), Recipe())
    assert expit(parameters.logit_opacities.astype(np.float64)).min() == pytest.approx(0.005, rel=1e-5)


def test_growth_is_five_percent_up_to_the_cap() -> None:
    adam, events = moved(dead=0, cap=1_000, count=100)
    assert (events["added"], adam.parameters.count) == (5, 105)
    assert not adam.moments["means"].mean[100:].any()
    adam, events = moved(dead=0, cap=102, count=100)
    assert (events["added"], adam.parameters.count) == (2, 102)
    assert moved(dead=0, cap=60, count=100)[0].parameters.count == 100


def test_when_all_are_dead_nothing_is_relocated() -> None:
    adam, events = moved(dead=20, count=20)
    assert events["relocated"] == 0
    assert adam.parameters.count == 20


def test_noise_follows_the_covariance_of_transparent_gaussians_only() -> None:
    parameters = blobs(1).take(np.zeros(20_000, np.int64))
    parameters.logit_opacities[:] = logit(0.005)  # the noise is halved here
    shift = mcmc.noise(context(parameters, cap_max=1, **MCMC), parameters, 1e-4)
    spread = covariances(np.exp(parameters.log_scales[:1]), parameters.quats_wxyz[:1])[0]
    expected = (0.5 * 1e-4 * 5e5) ** 2 * spread @ spread.T
    np.testing.assert_allclose(np.cov(shift.T), expected, atol=0.03 * np.abs(expected).max())
    parameters.logit_opacities[:] = logit(0.5)
    assert np.abs(mcmc.noise(context(parameters, cap_max=1, **MCMC), parameters, 1e-4)).max() < 1e-15


def test_regularisers_add_their_mean_and_its_slope() -> None:
    settings = OptimiserSettings(opacity_reg=0.3, scale_reg=0.2)
    parameters = blobs(7).astype(np.float64)
    gradients = SimpleNamespace(**{name: np.zeros_like(getattr(parameters, name)) for name in GROUPS})
    added = mcmc.regularise(parameters, gradients, settings)

    def value() -> float:
        return float(0.3 * expit(parameters.logit_opacities).mean() + 0.2 * np.exp(parameters.log_scales).mean())

    assert added == pytest.approx(value())
    for array, slope in ((parameters.logit_opacities, gradients.logit_opacities), (parameters.log_scales, gradients.log_scales)):
        array.flat[2] += 1e-6
        assert (value() - added) / 1e-6 == pytest.approx(slope.flat[2], rel=1e-4)
        array.flat[2] -= 1e-6


def test_default_settings_regularise_nothing() -> None:
    parameters = blobs(3)
    gradients = SimpleNamespace(**{name: np.zeros_like(getattr(parameters, name)) for name in GROUPS})
    assert mcmc.regularise(parameters, gradients, OptimiserSettings()) == 0
    assert not gradients.logit_opacities.any()

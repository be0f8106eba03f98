"""Clone, split, prune and reset as published: each deviation is a fault that the lab plants on purpose."""

import numpy as np
import pytest
from scipy.special import expit, logit

from diagnostics.optimiser import growth
from diagnostics.optimiser.adam import Adam
from diagnostics.optimiser.growth import Tally
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.strategies import densify
from render.covariance import covariances
from render.raster.parameters import GROUPS
from tests.diagnostics.optimiser.made_up import blobs, context, some_parameters

EXTENT, THRESHOLD = 2.0, 1e-3


def tally_with(pressure: list[float], views: int = 1) -> Tally:
    count = len(pressure)
    return Tally(np.array(pressure, np.float32) * views, np.full(count, views, np.float32), np.zeros(count, np.float32))


def test_statistic_is_the_gradient_by_ndc() -> None:
    """The picture is two NDC units wide: one NDC unit is half its width in pixels, whatever its shape."""
    norms = growth.statistic(np.array([[0.01, 0.0], [0.0, 0.01], [0.03, 0.04]], np.float32), (200, 100))
    np.testing.assert_allclose(norms, [1.0, 0.5, np.hypot(3.0, 2.0)], rtol=1e-6)


def test_tally_is_a_mean_over_the_views_that_saw_it() -> None:
    tally = Tally.zeros(3)
    tally.add(np.array([1, 2, 9], np.float32), np.array([3, 5, 0], np.float32))
    tally.add(np.array([3, 7, 9], np.float32), np.array([2, 0, 0], np.float32))
    np.testing.assert_array_equal(tally.mean, [2, 2, 0])
    np.testing.assert_array_equal(tally.views, [2, 1, 0])
    np.testing.assert_array_equal(tally.max_radii_px, [3, 5, 0])


def test_a_nan_statistic_never_grows() -> None:
    assert tally_with([np.nan, 1.0]).mean.tolist() == [0.0, 1.0]


def test_clones_are_exact_copies() -> None:
    parameters = some_parameters()
    copies = growth.clone(context(parameters), parameters, np.array([3, 1]))
    for name in GROUPS:
        np.testing.assert_array_equal(getattr(copies, name), getattr(parameters, name)[[3, 1]])


def test_halves_are_sixteen_tenths_smaller_and_lie_in_their_parent() -> None:
    parent = blobs(1, seed=3)
    rows = np.zeros(20_000, np.int64)
    children = growth.split(context(parent), parent, rows)
    assert children.count == 40_000
    np.testing.assert_allclose(np.exp(children.log_scales), np.repeat(np.exp(parent.log_scales), 40_000, 0) / 1.6, rtol=1e-5)
    expected = covariances(np.exp(parent.log_scales), parent.quats_wxyz)[0]
    np.testing.assert_allclose(np.cov(children.means.T), expected, atol=0.03 * np.abs(expected).max())
    for name in ("quats_wxyz", "logit_opacities", "sh0", "sh_rest"):
        assert (getattr(children, name) == getattr(parent, name)).all()


def test_prune_takes_the_transparent_and_from_the_first_reset_on_the_huge() -> None:
    parameters = blobs(4)
    parameters.logit_opacities[:] = logit([0.0049, 0.0051, 0.9, 0.9])
    parameters.log_scales[:] = np.log(0.1)
    parameters.log_scales[3, 1] = np.log(0.21)  # > 0.1 × extent
    early, late = (context(parameters, iteration, EXTENT) for iteration in (3_000, 3_001))
    assert growth.prune(early, parameters).tolist() == [True, False, False, False]
    assert growth.prune(late, parameters).tolist() == [True, False, False, True]


def test_reset_bounds_opacity_and_leaves_lower_ones() -> None:
    parameters = some_parameters()
    logits = logit(np.array([0.5, 0.011, 0.009, 1e-4], np.float32))
    after = growth.reset_opacities(context(parameters), logits)
    np.testing.assert_allclose(expit(after), np.minimum(expit(logits), 0.01), rtol=1e-5)


def grown(pressure: list[float], *, cap: int = 0, recipe: Recipe | None = None) -> tuple[Adam, dict[str, float]]:
    """Six Gaussians, the first three small, the others large; all moments 1 before."""
    parameters = blobs(6)
    parameters.logit_opacities[:] = 2.0
    parameters.log_scales[:3], parameters.log_scales[3:] = np.log(0.01), np.log(0.1)
    adam = Adam(parameters, 1e-15)
    for memory in adam.moments.values():
        memory.mean[:], memory.square[:], memory.step = 1, 1, 7
    events = densify(adam, tally_with(pressure), context(parameters, 100, EXTENT, densify_grad_threshold=THRESHOLD, cap_max=cap),
                     recipe or Recipe())
    return adam, dict(events)


def test_small_hot_ones_are_cloned_large_hot_ones_replaced_by_two() -> None:
    """In INRIA's row order: what stays, clones, first halves, second halves."""
    before = blobs(6)
    adam, events = grown([2e-3, 0, 1e-3, 2e-3, 0, 2e-3])
    assert (events["cloned"], events["split"], events["pruned"], events["hot"]) == (2, 2, 0, pytest.approx(4 / 6))
    after = adam.parameters
    assert after.count == 6 + 2 + 2
    np.testing.assert_array_equal(after.sh0, before.sh0[[0, 1, 2, 4, 0, 2, 3, 5, 3, 5]])
    np.testing.assert_array_equal(after.means[:6], before.means[[0, 1, 2, 4, 0, 2]])
    for memory in adam.moments.values():
        assert (memory.mean[:4] == 1).all()
        assert not memory.mean[4:].any()
        assert not memory.square[4:].any()
        assert memory.step == 7  # shared by all rows, newborn or not


def test_nothing_hot_changes_nothing() -> None:
    adam, events = grown([0.0] * 6)
    assert adam.parameters.count == 6
    assert events == {"cloned": 0, "split": 0, "pruned": 0, "grad_med": 0.0, "hot": 0.0}


def test_under_a_cap_those_of_the_highest_pressure_grow() -> None:
    adam, events = grown([2e-3, 5e-3, 1e-3, 2e-3, 9e-3, 2e-3], cap=8)
    assert (events["cloned"], events["split"]) == (1, 1)
    assert adam.parameters.count == 8
    assert grown([2e-3] * 6, cap=6)[0].parameters.count == 6
    assert grown([2e-3] * 6, cap=3)[0].parameters.count == 6  # a cap does not prune


def test_everything_may_be_pruned() -> None:
    """A training whose last Gaussian goes is a fault to be reported, not a crash."""
    adam, events = grown([0.0] * 6, recipe=Recipe(prune=lambda _, parameters: np.ones(parameters.count, bool)))
    assert adam.parameters.count == 0
    assert events["pruned"] == 6

"""What a cut degree changes, with its noise, and whose bands it was: the numbers that a verdict rests on."""

from functools import partial

import numpy as np
import pytest

from diagnostics.optimiser.views import View
from diagnostics.probes.sh_cost import costliest, costs
from diagnostics.probes.sh_scores import Scores, effect_of
from render.raster import differentiable
from render.raster.parameters import Parameters
from runs.arrays import F64
from runs.cameras import look_at
from tests.support.runs import changed, cloud

CAMERA = look_at(np.array([0.0, 0.0, -3.0]), np.zeros(3), size_px=(24, 20))
CORRECTION: F64 = np.array([[0.9, 0.1, 0, 0.02], [0, 1.1, 0, -0.01], [0.05, 0, 0.8, 0.0]])


def model() -> Parameters:
    """Fifty Gaussians whose colours stay above black with and without their bands: there no colour is cut off."""
    plain = cloud(50, seed=4, opacity=0.7)
    rest = np.random.default_rng(5).normal(0, 0.1, (50, 3, 3)).astype(np.float32)
    return Parameters.of(changed(plain, sh0=np.clip(plain.sh0, -0.5, 1.5), sh_rest=rest), np.float64)


def view() -> View:
    return View(CAMERA, np.random.default_rng(6).random((20, 24, 3)).astype(np.float32))


def test_a_mean_has_the_standard_error_of_its_views() -> None:
    effect = effect_of([1.0, 2.0, 3.0])
    assert (effect.mean_db, effect.error_db, effect.views) == pytest.approx((2.0, 3 ** -0.5, 3))
    assert effect.margin_db(0.975) == pytest.approx(4.303 * 3 ** -0.5, rel=1e-3)  # Student's table, two degrees of freedom
    assert str(effect) == "+2.00 ± 0.58 dB"


def test_one_view_leaves_everything_open() -> None:
    assert effect_of([1.0]).margin_db(0.975) == float("inf")
    assert str(effect_of([1.0])) == "+1.00 dB"


def test_views_are_compared_with_themselves() -> None:
    """One hard view among easy ones must not drown a change that all of them share."""
    scores = Scores(("a", "b", "c"), np.array([[30.5, 30.2, 30.0], [15.6, 15.1, 15.0], [40.4, 40.3, 40.0]]))
    assert scores.best_cut == 0
    assert scores.effect(0).mean_db == pytest.approx(0.5)
    assert scores.effect(0).error_db == pytest.approx(0.1 / 3 ** 0.5)


@pytest.mark.parametrize("correction", [None, CORRECTION])
def test_what_gaussians_cost_adds_up_to_what_the_cut_changes(correction: F64 | None) -> None:
    """Also under the trainer's own colour correction, and where only part of the picture counts."""
    counted = np.arange(24) >= np.full((20, 1), 12)
    matrix = np.eye(3, 4) if correction is None else correction

    def error(degree: int) -> float:
        rgb = differentiable.render(model(), CAMERA, sh_degree=degree).rgb
        return float((((rgb @ matrix[:, :3] + matrix[:, 3] - view().photo) ** 2)[counted]).sum())

    found = costs(model(), view(), 0, partial(differentiable.render), background=(0.0, 0.0, 0.0), counted=counted,
                  correction=correction)
    assert found.sum() == pytest.approx(error(1) - error(0), rel=1e-6)
    assert (found > 0).any()
    assert (found < 0).any()


def test_only_gaussians_with_bands_cost_anything() -> None:
    bare = model()
    bare.sh_rest[:30] = 0
    found = costs(bare, view(), 0, partial(differentiable.render), background=(0.0, 0.0, 0.0))
    assert not found[:30].any()
    assert found[30:].any()


def test_the_costliest_are_the_fewest_that_make_the_share() -> None:
    cost = np.array([1.0, -5.0, 6.0, 3.0, 0.0])
    assert costliest(cost, 0.5).tolist() == [2]
    assert costliest(cost, 0.8).tolist() == [2, 3]
    assert costliest(np.array([-1.0, 0.0]), 0.5).tolist() == []

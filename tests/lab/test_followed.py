"""Lineage against the trainer that knows the truth: who stayed, and whose child each newborn is, in trainings of ours."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.optimiser.optimiser import Optimiser
from tests.lab.corpus import cases, plan_of
from tests.support.claimed import claims
from tests.support.followed import Score, densification_score, relocation_score
from tests.support.witness import watched, witnessed

HEALTHY = [case for case in cases("mini") if not case.sick]


def scores(name: str, **changes: object) -> list[Score]:
    """Of each of three densifications: right after it, and once a whole interval was learned."""
    plan = plan_of(next(case for case in HEALTHY if case.name == name))
    settings = replace(plan.settings, **changes)  # type: ignore[arg-type]
    recipe, witness = witnessed(plan.recipe)
    step = settings.densification_interval
    events = [settings.densify_from_iter + step * k for k in (1, 2, 3)]
    moments = sorted({moment for event in events for moment in (event - 1, event, event + step - 1)})
    seen = watched(Optimiser(plan.data, settings, recipe), witness, tuple(moments))
    score = relocation_score if settings.strategy == "mcmc" else densification_score
    return [score(witness, seen[event - 1], seen[later]) for event in events for later in (event, event + step - 1)]


@pytest.mark.parametrize("scene", ["studio", "court", "garden", "statue"])
@pytest.mark.parametrize("percent_dense", [0.01, 0.05])
def test_one_densification_apart_nearly_every_row_is_known(scene: str, percent_dense: float) -> None:
    """Where and when an artifact was born is told by this; at 0.05 most newborns are clones, at 0.01 halves of splits."""
    found = scores(f"usual-{scene}-0" if scene in ("studio", "court") else f"usual-{scene}-4", percent_dense=percent_dense)
    assert min(score.survivors for score in found) >= 0.99
    assert all(score.births >= 0.95 for score in found if score.born >= 20)
    assert sum(score.born for score in found) > 100
    assert max(score.false for score in found) <= 5


def test_relocated_rows_are_told_from_those_that_noise_moved() -> None:
    """A relocation is no jump: no row is called relocated that is not, and most sources are known after an interval."""
    found = scores("mcmc-studio", opacity_cull=0.05, opacity_reg=0.05)
    relocations = [score for score in found if not np.isnan(score.survivors)]
    assert len(relocations) >= 2
    assert max(score.false for score in found) == 0
    assert all(score.survivors >= 0.85 for score in relocations)
    assert np.mean([score.births for score in found]) >= 0.9


@pytest.mark.parametrize(("name", "how"), [("usual-studio-0", "order"), ("mcmc-studio", "mcmc"), ("usual-garden-4", "likeness")])
def test_what_links_claim_is_right_as_often_as_they_say(name: str, how: str) -> None:
    """The inspector shows the confidence, so it must be one: over one densification and over several."""
    plan = plan_of(next(case for case in HEALTHY if case.name == name))
    recipe, witness = witnessed(plan.recipe)
    seen = watched(Optimiser(plan.data, plan.settings, recipe), witness, (199, 299, 399, 699))
    for first, last in ((199, 299), (299, 399), (199, 399), (199, 699)):
        found = claims(witness, seen[first], seen[last], how)
        assert found.itself > 100
        right = found.itself * found.itself_right + found.parents * np.nan_to_num(found.parents_right)
        assert right / (found.itself + found.parents) >= found.sure - 0.01
    if how == "order":
        assert claims(witness, seen[199], seen[299]).told > 0.8
        assert claims(witness, seen[199], seen[699]).told < 0.05

"""Our scores find planted floaters and copies where simple rules do not: the benchmark in small."""

from functools import cache

import numpy as np
import pytest

from benchmarks.floaters.baselines import BASELINES
from benchmarks.floaters.models import sound
from benchmarks.floaters.plants import FLOATERS, GHOSTS, MIXED, plant
from benchmarks.floaters.scoring import Judged, judge
from diagnostics.optimiser.train import train
from render.raster.parameters import Parameters
from tests.lab.plan import Plan

ITERATIONS = 300


@cache
def model() -> tuple[Plan, Parameters]:
    """A short training: 1,500 Gaussians and a little blurred, but nothing floats."""
    plan = sound("court", 0, "mini").settings_changed(iterations=ITERATIONS, position_lr_max_steps=ITERATIONS)
    return plan, train(plan.data, plan.settings)[0].parameters


def judged(kind: str) -> Judged:
    plan, trained = model()
    planted = plant(kind, plan.scene, trained, seed=1)
    return judge(plan, planted.parameters.gaussians(), planted.guilty, np.ones(len(planted.guilty), bool))


@pytest.mark.parametrize("kind", ["specks", "clusters", MIXED])
def test_floaters_are_ranked_before_what_any_simple_rule_ranks_first(kind: str) -> None:
    """Among others those that stand close together, which no rule of distances can find."""
    found = judged(kind).precision
    assert found["floater_score"] > 0.1 + 1.2 * max(found[name] for name in BASELINES)


@pytest.mark.parametrize("kind", list(GHOSTS))
def test_copies_are_ranked_before_what_any_simple_rule_ranks_first(kind: str) -> None:
    """A surface that is there twice looks like any other, one Gaussian at a time."""
    found = judged(kind).precision
    assert found["ghost_score"] > 4 * max(found[name] for name in BASELINES)


def test_single_strangers_look_like_everybody_else() -> None:
    """A kind that opacity or size gives away would test our scores on what is easy."""
    found = judged("unremarkable").precision
    chance = 0.03
    assert max(found["opacity"], found["scale"]) < 3 * chance


@pytest.mark.parametrize("kind", [*FLOATERS, *GHOSTS, MIXED])
def test_what_is_planted_is_known_row_by_row(kind: str) -> None:
    """A label that is off by one row would be measured as a miss."""
    plan, trained = model()
    planted = plant(kind, plan.scene, trained, seed=2)
    added = planted.parameters.count - trained.count
    assert 0.02 < added / trained.count < 0.06
    assert planted.guilty[trained.count:].all()
    assert planted.guilty[:trained.count].sum() == (added if kind == "coincident" else 0)
    assert all(np.isfinite(getattr(planted.parameters, name)).all() for name in ("means", "log_scales", "logit_opacities"))

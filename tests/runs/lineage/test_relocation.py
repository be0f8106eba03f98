"""Relocation: MCMC's rows keep their numbers and change their place; each copy finds its source."""

import numpy as np

from runs.gaussians import Gaussians
from runs.lineage.relocation import relocation
from tests.support.densified import learned
from tests.support.runs import changed, cloud

DEAD, SOURCES, ADDED = np.array([3, 70, 71, 200]), np.array([10, 400, 401, 402]), np.array([5, 410])


def relocated(before: Gaussians, *, amount: float) -> Gaussians:
    """Dead rows become copies of others, two rows are added, then everything learns a little."""
    rows = np.concatenate([np.arange(before.count), ADDED])
    rows[DEAD] = SOURCES
    return learned(before.take(rows), amount=amount)


def with_dead(before: Gaussians) -> Gaussians:
    logits = before.logit_opacities.copy()
    logits[DEAD] = -6.0
    return changed(before, logit_opacities=logits)


def test_copies_are_found_with_their_sources() -> None:
    """What MCMC moved is no jump of a Gaussian, and what it added has a parent."""
    before = with_dead(cloud(500, seed=8))
    for amount in (0.0, 0.05):
        found = relocation(before, relocated(before, amount=amount))
        assert found is not None
        np.testing.assert_array_equal(found.relocated, DEAD)
        np.testing.assert_array_equal(found.sources, SOURCES)
        np.testing.assert_array_equal(found.added, [500, 501])
        np.testing.assert_array_equal(found.added_sources, ADDED)
        assert len(found.moved) == 0


def test_what_noise_threw_about_is_not_relocated() -> None:
    """A nearly transparent Gaussian wanders with the noise; that is no relocation."""
    before = with_dead(cloud(500, seed=8))
    means = before.means.copy()
    means[DEAD] += 20 * before.scales.max()
    found = relocation(before, changed(before, means=means))
    assert found is not None
    assert len(found.relocated) == 0
    np.testing.assert_array_equal(found.moved, DEAD)


def test_a_trainer_that_prunes_does_not_relocate() -> None:
    """Rows that went mean another strategy, whose rows shift."""
    before = cloud(100, seed=8)
    assert relocation(before, before.take(np.arange(90))) is None

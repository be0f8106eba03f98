"""Heredity: newborns find their parents by what they inherit, also where they do not lie at their parent's place."""

import numpy as np
import pytest

from runs.gaussians import Gaussians
from runs.lineage.births import Births, births_of
from runs.lineage.trace import trace
from tests.support.densified import densified, learned
from tests.support.runs import cloud

CLONES, SPLITS = np.arange(0, 600, 10), np.arange(3, 600, 12)


def born(before: Gaussians, after: Gaussians) -> Births:
    lineage = trace(before, after)
    assert lineage is not None
    return births_of(lineage, before, after)


@pytest.mark.parametrize(("offset", "amount"), [(0.0, 0.0), (0.0, 0.03), (1.0, 0.02), (3.0, 0.0)])
def test_nearly_every_newborn_finds_its_parent(offset: float, amount: float) -> None:
    """Sizes and places of children mean something only beside those of the right parent."""
    before = cloud(600, seed=5)
    births = born(before, learned(densified(before, clones=CLONES, splits=SPLITS, offset=offset), amount=amount))
    truth = dict(enumerate(np.concatenate([CLONES, SPLITS, SPLITS]), start=600 - len(SPLITS)))
    right = [truth.get(int(child)) == parent for child, parent in zip(births.child, births.parent, strict=True)]
    assert np.mean(right) > 0.95
    clones = births.survives & np.isin(births.parent, CLONES)
    assert clones.sum() > 0.95 * len(CLONES)
    assert (births.siblings[np.isin(births.parent, SPLITS)] >= 2).mean() > 0.95


def test_without_newborns_there_are_no_births() -> None:
    """A pause in densification is no fault."""
    before = cloud(100, seed=5)
    births = born(before, before)
    assert (len(births.child), len(births.parent), len(births.survives), len(births.siblings)) == (0, 0, 0, 0)


def test_a_newborn_that_is_not_finite_is_left_out() -> None:
    """It has no place, so it has no parent either."""
    before = cloud(200, seed=5)
    after = densified(before, clones=np.arange(0, 200, 10), splits=np.array([], np.int64))
    after.means[-1] = np.nan
    assert len(born(before, after).child) == 19

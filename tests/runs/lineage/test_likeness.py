"""Likeness: rows without a common order find each other, and what cannot be told apart says so."""

import numpy as np

from runs.lineage.likeness import match
from tests.support.densified import learned
from tests.support.runs import changed, cloud

ROWS = 800


def test_shuffled_rows_find_themselves() -> None:
    """Exchange formats sort and quantise; a Gaussian must be found again in them."""
    before = cloud(ROWS, seed=1)
    order = np.random.default_rng(0).permutation(ROWS)
    pairs = match(before, learned(before, amount=0.05).take(order))
    assert len(pairs.before) > 0.97 * ROWS
    right = order[pairs.after] == pairs.before
    assert right.mean() > 0.99
    assert right[pairs.confidence > 0.7].all()


def test_twins_have_no_confidence() -> None:
    """Two Gaussians that are alike in all that is compared cannot be told apart."""
    one = cloud(50, seed=2)
    twins = one.take(np.repeat(np.arange(50), 2))
    assert (match(twins, twins).confidence == 0).all()
    assert (match(one, one).confidence == 1).all()


def test_what_is_not_there_is_not_matched() -> None:
    """A Gaussian that was pruned, and one that is not finite, have no counterpart."""
    before = cloud(ROWS, seed=3)
    means = before.means.copy()
    means[5] = np.nan
    pairs = match(changed(before, means=means), before.take(np.arange(10, ROWS)))
    np.testing.assert_array_equal(pairs.before, np.arange(10, ROWS))
    np.testing.assert_array_equal(pairs.after, np.arange(ROWS - 10))
    assert len(match(before, changed(before, means=before.means + 1e6)).before) == 0

"""Lineage: rows are followed through a densification, and what cannot be followed is said to be so."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.arrays import I64
from runs.gaussians import Gaussians
from runs.lineage.trace import trace
from tests.support.densified import densified, learned, with_opacities
from tests.support.runs import changed, cloud

NOBODY = np.zeros(0, np.int64)


def grown(gaussians: Gaussians, clones: I64, splits: I64, amount: float = 0.02) -> Gaussians:
    return learned(densified(gaussians, clones=clones, splits=splits), amount=amount)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000))
def test_survivors_are_followed_and_newborns_told_apart(seed: int) -> None:
    """A row number of today is useless unless one knows whose it was: nearly all are found, and none is mistaken."""
    before = cloud(600, seed=seed % 7)
    rng = np.random.default_rng(seed)
    clones, splits = np.split(np.sort(rng.permutation(600)[:90]), [60])
    lineage = trace(before, grown(before, clones, splits))
    assert lineage is not None
    stayed = np.setdiff1d(np.arange(600), splits)
    assert np.isin(lineage.before, stayed).mean() > 0.99
    assert np.mean(stayed[np.minimum(lineage.after, len(stayed) - 1)] == lineage.before) > 0.99
    assert len(lineage.before) > 0.95 * len(stayed)
    assert abs(lineage.newborn[0] - len(stayed)) <= 0.02 * len(stayed)  # the first newborns may look like the last survivors
    assert lineage.matched > 0.95
    assert set(lineage.gone) == set(range(600)) - set(lineage.before)


def test_nothing_happened() -> None:
    """Between two saves without a densification every row is its own successor."""
    before = cloud(300, seed=3)
    lineage = trace(before, learned(before))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.before, np.arange(300))
    np.testing.assert_array_equal(lineage.after, np.arange(300))
    assert (len(lineage.gone), len(lineage.newborn), lineage.matched) == (0, 0, 1.0)


def test_pruned_rows_are_gone() -> None:
    """Removal in the middle shifts all later rows; the gaps are found where they are."""
    before = with_opacities(cloud(300, seed=3), np.array([10, 11, 200]), 0.001)
    lineage = trace(before, grown(before, NOBODY, NOBODY))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.gone, [10, 11, 200])
    assert len(lineage.newborn) == 0


def test_shuffled_rows_are_not_followed() -> None:
    """A trainer that sorts its Gaussians must not be judged by row numbers."""
    before = cloud(600, seed=3)
    assert trace(before, before.take(np.random.default_rng(0).permutation(600))) is None


def test_a_stretch_that_changed_beyond_recognition_is_known_by_the_rows_around_it() -> None:
    """After a jump of some Gaussians the others are not lost."""
    before = cloud(600, seed=4)
    means = before.means.copy()
    means[200:230] += 100 * before.scales.max()
    lineage = trace(before, changed(before, means=means))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.before, np.arange(600))
    np.testing.assert_array_equal(lineage.after, np.arange(600))


def test_a_large_piece_may_go_at_once() -> None:
    """A prune by size or a crop takes thousands of neighbours in the file."""
    before = cloud(3000, seed=5)
    kept = np.concatenate([np.arange(700), np.arange(2500, 3000)])
    lineage = trace(before, learned(before.take(kept)))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.before, kept)
    assert len(lineage.newborn) == 0


def test_states_that_share_nothing_are_not_followed() -> None:
    """Another scene in the same folder has no lineage."""
    before = cloud(300, seed=3)
    assert trace(before, changed(before, means=before.means + 1e6)) is None
    assert trace(before, before.take(NOBODY)) is None
    assert trace(changed(before, means=np.full((300, 3), np.nan)), before) is None


def test_rows_that_are_not_finite_do_not_stop_the_others() -> None:
    """One NaN must not cost the lineage of all."""
    before = cloud(300, seed=3)
    means = before.means.copy()
    means[7] = np.nan
    lineage = trace(before, changed(before, means=means))
    assert lineage is not None
    assert len(lineage.before) == 300  # between two that were found, as many rows lie in both


@pytest.mark.parametrize("amount", [0.0, 0.05])
def test_where_nearly_all_is_split_halves_are_no_survivors(amount: float) -> None:
    """From few points almost every Gaussian is split at once; the first halves then stand in their parents' order."""
    before = cloud(60, seed=7)
    splits = np.delete(np.arange(60), [0, 2, 17, 40])
    lineage = trace(before, grown(before, NOBODY, splits, amount))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.before, [0, 2, 17, 40])
    np.testing.assert_array_equal(lineage.newborn, np.arange(4, 4 + 2 * len(splits)))


def test_halves_of_an_earlier_densification_stay() -> None:
    """What was born before the earlier save is alike in pairs too, and has survived."""
    before = grown(cloud(200, seed=7), NOBODY, np.arange(0, 200, 2))
    lineage = trace(before, grown(before, np.arange(10), NOBODY))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.before, np.arange(before.count))
    np.testing.assert_array_equal(lineage.newborn, before.count + np.arange(10))

"""Lineage: rows are followed through a densification, and what cannot be followed is said to be so."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.arrays import I64
from runs.gaussians import Gaussians
from runs.lineage import longest_rise, trace
from tests.support.densified import densified, learned, with_opacities
from tests.support.runs import changed, cloud

NOBODY = np.zeros(0, np.int64)


def grown(gaussians: Gaussians, clones: I64, splits: I64, amount: float = 0.02) -> Gaussians:
    return learned(densified(gaussians, clones=clones, splits=splits), amount=amount)


@given(st.lists(st.integers(-20, 20), max_size=30))
def test_the_longest_rise_rises_and_none_is_longer(values: list[int]) -> None:
    """Everything believed about rows rests on it; the slow way tries every end."""
    chain = longest_rise(np.array(values, np.int64))
    assert (np.diff(chain) > 0).all()
    assert (np.diff(np.array(values)[chain]) > 0).all()
    longest: list[int] = []
    for index, value in enumerate(values):
        longest.append(1 + max((longest[k] for k in range(index) if values[k] < value), default=0))
    assert len(chain) == max(longest, default=0)


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


def test_of_large_states_runs_of_neighbours_tell_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million rows are not all searched: what is told of the searched ones is the same, and of the others it is looked up."""
    before = cloud(3000, seed=2)
    clones, splits = np.arange(0, 3000, 10), np.arange(3, 3000, 12)
    after = grown(before, clones, splits)
    whole = trace(before, after)
    monkeypatch.setattr("runs.lineage.SEARCHED", 600)
    monkeypatch.setattr("runs.lineage.NEIGHBOURS", 100)
    some = trace(before, after)
    assert whole is not None
    assert some is not None
    assert whole.known.all()
    assert 0.1 < some.known.mean() < 0.35
    assert np.isin(some.before, whole.before).mean() > 0.99
    gone = np.isin(np.flatnonzero(some.known), splits)
    assert len(some.gone) == pytest.approx(gone.sum(), abs=0.1 * gone.sum() + 3)
    truth = ~np.isin(np.arange(3000), splits)
    assert (some.survive(np.arange(3000)) == truth).mean() > 0.97
    assert abs(int(some.newborn[0]) - int(whole.newborn[0])) < 100


def test_nothing_happened() -> None:
    """Between two saves without a densification every row is its own successor."""
    before = cloud(300, seed=3)
    lineage = trace(before, learned(before))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.before, np.arange(300))
    np.testing.assert_array_equal(lineage.after, np.arange(300))
    assert (len(lineage.gone), len(lineage.newborn), lineage.order, lineage.matched) == (0, 0, 1.0, 1.0)


def test_pruned_rows_are_gone() -> None:
    """Removal in the middle shifts all later rows; the gaps are found where they are."""
    before = with_opacities(cloud(300, seed=3), np.array([10, 11, 200]), 0.001)
    lineage = trace(before, grown(before, NOBODY, NOBODY))
    assert lineage is not None
    np.testing.assert_array_equal(lineage.gone, [10, 11, 200])
    assert len(lineage.newborn) == 0


def test_shuffled_rows_keep_no_order() -> None:
    """A trainer that sorts its Gaussians must not be judged by row numbers: `order` says so."""
    before = cloud(600, seed=3)
    lineage = trace(before, before.take(np.random.default_rng(0).permutation(600)))
    assert lineage is not None
    assert lineage.order < 0.15


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

"""Parents by order: the heaviest rising choice is the heaviest, and newborns find their parents after much was learned."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.lineage.birth_order import heaviest_rise, parents_in_order
from tests.support.densified import densified, learned
from tests.support.runs import cloud

ROW = st.lists(st.tuples(st.integers(0, 5), st.floats(0, 9)), min_size=2, max_size=2)


@given(st.lists(ROW, min_size=1, max_size=5))
def test_no_rising_choice_is_heavier(rows: list[list[tuple[int, float]]]) -> None:
    """Everything believed about births rests on it; the slow way tries every choice."""
    candidates = np.array([[place for place, _ in row] for row in rows], np.int64)
    gain = np.array([[weight for _, weight in row] for row in rows])
    chosen = heaviest_rise(candidates, gain, 6)
    taken = [row for row in range(len(rows)) if chosen[row] >= 0]
    assert (np.diff(chosen[taken]) > 0).all()
    weight = sum(gain[row][(candidates[row] == chosen[row]) & (gain[row] > 0)].max() for row in taken)
    heaviest = 0.0
    for picks in product([None, 0, 1], repeat=len(rows)):
        places = [candidates[row, pick] for row, pick in enumerate(picks) if pick is not None]
        if (np.diff(places) > 0).all():
            heaviest = max(heaviest, sum(gain[row, pick] for row, pick in enumerate(picks) if pick is not None))
    assert weight == pytest.approx(heaviest)


@pytest.mark.parametrize("most", [10_000, 30])
def test_newborns_find_their_parents_after_much_was_learned(most: int) -> None:
    """Where learning blurs what is inherited, order still tells; of very many newborns some are asked, halves together."""
    before, clones, splits = cloud(600, seed=5), np.arange(0, 600, 10), np.arange(3, 600, 12)
    after = learned(densified(before, clones=clones, splits=splits), amount=0.08)
    stayed = np.setdiff1d(np.arange(600), splits)
    found = parents_in_order(before, stayed, splits, after, np.arange(len(stayed), after.count), most)
    assert found is not None
    rows, parents = found
    truth = np.concatenate([clones, splits, splits])[rows - len(stayed)]
    assert (parents == truth).mean() > 0.97
    assert len(rows) == 160 if most > 160 else 20 <= len(rows) <= 40
    halves = parents[np.isin(parents, splits)]
    assert (np.bincount(halves)[halves] == 2).all()


def test_newborns_of_no_single_densification_are_not_ordered() -> None:
    """After several densifications the order is another one: nothing is better than something wrong."""
    before = cloud(400, seed=6)
    strangers = cloud(80, seed=9)
    assert parents_in_order(before, np.arange(400), np.zeros(0, np.int64), strangers, np.arange(80), 1000) is None

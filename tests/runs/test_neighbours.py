"""Neighbours decide who stands alone: the order in which the tree is asked must not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.neighbours import nearest


@given(st.integers(2, 60), st.integers(0, 2**31), st.integers(2, 7))
def test_they_are_those_of_all_pairs(count: int, seed: int, wanted: int) -> None:
    """Against every distance, computed plainly."""
    points = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    wanted = min(wanted, count)
    distances, rows = nearest(points, wanted)
    plain = np.linalg.norm(points[:, None].astype(np.float64) - points[None], axis=2)
    assert np.array_equal(rows[:, 0], np.arange(count))
    assert distances == pytest.approx(np.sort(plain, axis=1)[:, :wanted], abs=1e-12)
    assert np.take_along_axis(plain, rows, axis=1) == pytest.approx(distances, abs=1e-12)


def test_copies_are_at_distance_zero() -> None:
    """Clones lie exactly on their parents at birth."""
    points = np.repeat(np.arange(5.0)[:, None] * [1.0, 2.0, 3.0], 2, axis=0)
    assert (nearest(points, 2)[0] == 0).all()

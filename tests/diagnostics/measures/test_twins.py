"""Twins are found bit by bit: near is not the same."""

import numpy as np

from diagnostics.measures.twins import twins


def test_only_the_very_same_place_makes_twins() -> None:
    """A clone that has moved by one rounding step has left its parent."""
    means = np.array([[0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 4, np.nextafter(np.float32(5), np.float32(6))]], np.float32)
    assert twins(means).tolist() == [True, True, False, False]


def test_rows_that_are_not_finite_are_nobody_s_twin() -> None:
    """Broken rows have a pattern of their own."""
    assert not twins(np.full((3, 3), np.nan, np.float32)).any()


def test_no_rows_have_no_twins() -> None:
    """An empty save must not fail."""
    assert len(twins(np.zeros((0, 3), np.float32))) == 0

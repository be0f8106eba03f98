"""A benchmark with a wrong measure proves nothing: average precision against values worked out by hand."""

import numpy as np
import pytest

from benchmarks.floaters.precision import average_precision


@pytest.mark.parametrize(("scores", "guilty", "expected"), [
    ([3, 2, 1, 0], [1, 1, 0, 0], 1.0),
    ([3, 2, 1, 0], [0, 0, 1, 1], (1 / 3 + 2 / 4) / 2),
    ([3, 2, 1, 0], [1, 0, 1, 0], (1 / 1 + 2 / 3) / 2),
    ([1, 1, 1, 1], [0, 1, 0, 0], 1 / 4),
    ([2, 1, 1, 0], [0, 1, 0, 1], (1 / 3 + 2 / 4) / 2),
    ([np.nan, 2, 1], [1, 0, 0], 1 / 3),
    ([np.inf, 2, -np.inf], [0, 1, 0], 1 / 2),
])
def test_values_worked_out_by_hand(scores: list[float], guilty: list[int], expected: float) -> None:
    """Precision at each guilty one, averaged; equals are one step, and what has no score ranks last."""
    assert average_precision(np.array(scores, float), np.array(guilty, bool)) == pytest.approx(expected)


def test_equal_scores_say_nothing_whatever_the_order_of_rows() -> None:
    """Planted rows come last in the file: a score that knows nothing must not gain or lose by that."""
    guilty = np.arange(1000) >= 970
    assert average_precision(np.zeros(1000), guilty) == pytest.approx(0.03)
    assert average_precision(np.zeros(1000), guilty[::-1]) == pytest.approx(0.03)


def test_where_nobody_is_guilty_nothing_is_known() -> None:
    """0 and 1 would both be invented."""
    assert np.isnan(average_precision(np.arange(3.0), np.zeros(3, bool)))

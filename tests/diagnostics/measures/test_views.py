"""Views among each other: dips below both neighbours, and who stays behind the median view."""

import numpy as np
import pytest

from diagnostics.measures.views import dips, standings
from runs.series import Series


def series(values: list[float]) -> Series:
    return Series("loss/l1", np.arange(len(values), dtype=np.int64), np.array(values), "", "log")


def test_only_inner_values_below_both_neighbours_dip() -> None:
    """A step down and a low end are no dips."""
    assert dips(series([5, 3, 5, 5, 3, 3, 5, 2]), 1.0) == [1]


def test_a_view_that_stays_behind_is_told_by_level_and_by_progress() -> None:
    """A hard view has the level without the lag."""
    falling = list(np.geomspace(0.2, 0.02, 12))
    losses = {f"view {i}": series([(1 + 0.02 * i) * value for value in falling]) for i in range(8)}
    losses["hard"] = series([4 * value for value in falling])
    losses["lost"] = series([0.2] * 12)
    found = {one.name: one for one in standings(losses, 6)}
    assert found["hard"].level == pytest.approx(4, rel=0.15)
    assert found["hard"].lag == pytest.approx(1, rel=0.05)
    assert found["lost"].lag > 5
    assert found["lost"].left == pytest.approx(1)


def test_views_that_were_hardly_seen_are_left_out() -> None:
    assert standings({"a": series([0.1] * 5)}, 6) == []

"""Rows with NaN or infinite values must be found, all of them and no others: they poison pictures and Adam alike."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runs.finite import drop_nonfinite_rows


@given(arrays(np.float32, st.tuples(st.integers(0, 12), st.integers(0, 9)), elements=st.floats(width=32)))
def test_finds_what_numpy_finds(values: np.ndarray) -> None:
    """Beside the fast path stands numpy's own, which a person can check; denormals and huge values are finite."""
    good = np.ones(len(values), bool)
    drop_nonfinite_rows(values, good)
    np.testing.assert_array_equal(good, np.isfinite(values).all(axis=1))


def test_rows_that_were_dropped_stay_dropped() -> None:
    """Columns are looked at one after the other into the same mask."""
    good = np.array([False, True])
    drop_nonfinite_rows(np.zeros((2, 4, 3), np.float32), good)
    assert good.tolist() == [False, True]

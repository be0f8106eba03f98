"""The depth sort: one splat out of order changes pictures."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from render.raster.kernels_sort import depth_order


@given(st.lists(st.floats(0.25, 2.0**100, width=32) | st.sampled_from([1.0, 2.0, 4.0]), max_size=300))
def test_order_is_that_of_a_stable_sort(depths: list[float]) -> None:
    """Equal depths keep their order, as trainers' radix sorts do."""
    values = np.array(depths, np.float32)
    np.testing.assert_array_equal(depth_order(values), np.argsort(values, kind="stable"))

"""Trainable Gaussians go in and out of runs: nothing may be lost, shared or misread on the way."""

import numpy as np
import pytest

from render.raster.parameters import GROUPS, Parameters
from tests.support.trainable import random_parameters


def test_gaussians_survive_the_way_there_and_back() -> None:
    """Checkpoints are resumed and saved through this."""
    parameters = random_parameters(7, dtype=np.float32)
    again = Parameters.of(parameters.gaussians())
    for name in GROUPS:
        np.testing.assert_array_equal(getattr(again, name), getattr(parameters, name))
        assert not np.shares_memory(getattr(again, name), getattr(parameters, name))
        assert getattr(again, name).flags.writeable


def test_taken_and_joined_rows_keep_their_order() -> None:
    """Optimiser moments are moved by the same indices."""
    parameters = random_parameters(6, degree=2)
    mask = np.array([True, False, True, False, False, True])
    joined = parameters.take(mask).joined(parameters.take(np.array([4, 1])), parameters.take(np.array([3])))
    for name in GROUPS:
        np.testing.assert_array_equal(getattr(joined, name), getattr(parameters, name)[[0, 2, 5, 4, 1, 3]])
    assert (joined.count, joined.sh_degree, joined.dtype) == (6, 2, np.float64)


@pytest.mark.parametrize(("name", "change", "says"), [
    ("log_scales", lambda a: a[:4], r"log_scales must be a contiguous float64 array \[5, 3\], not float64 \[4, 3\]"),
    ("sh0", lambda a: a.astype(np.float32), r"sh0 must be a contiguous float64 array \[5, 3\], not float32"),
    ("quats_wxyz", np.asfortranarray, "quats_wxyz must be a contiguous"),
    ("sh_rest", lambda a: a[:, :4].copy(), "4 SH coefficients beyond DC fit no degree from 0 to 4"),
    ("means", lambda a: a.astype(int), "float32 or float64, not int64"),
], ids=["rows", "dtype", "order", "coefficients", "integers"])
def test_arrays_that_do_not_fit_together_are_refused(name: str, change: object, says: str) -> None:
    """Kernels do not check bounds: a wrong shape would read foreign memory."""
    arrays = {group: getattr(random_parameters(5), group) for group in GROUPS}
    arrays[name] = change(arrays[name])  # type: ignore[operator]
    with pytest.raises(ValueError, match=says):
        Parameters(**arrays)

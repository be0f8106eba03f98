"""The small parts of the training kernels, each against the formula it stands for."""

import numpy as np
import pytest

from render.harmonics import basis
from render.raster.kernels_falloff import falloff
from render.raster.kernels_harmonics import sh_pull
from render.raster.lanes import add_lanes
from runs.arrays import F64, Array
from runs.kernels import lane_kernel


@lane_kernel
def falloffs(exponents: Array, results: Array) -> None:
    for i in range(len(exponents)):
        results[i] = falloff(exponents[i])


@lane_kernel
def add(buffer: Array, target: int, source: int, factor: float) -> None:
    add_lanes(buffer, np.uint64(target), np.uint64(source), buffer.dtype.type(factor))


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 3e-6), (np.float64, 1e-15)])
def test_falloff_is_exp(dtype: type, bound: float) -> None:
    """The proofs run with one form and training with the other."""
    exponents = np.linspace(-8, 0, 4001).astype(dtype)
    results = np.empty_like(exponents)
    falloffs(exponents, results)
    np.testing.assert_allclose(results, np.exp(exponents.astype(np.float64)), rtol=bound)
    falloffs(np.array([-1e30, -9.0], dtype), results)
    assert (results[:2] < 1 / 255).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lanes_are_added_wherever_they_lie(dtype: type) -> None:
    """Written in vector instructions by hand: neighbours must stay as they are."""
    buffer = np.arange(64, dtype=dtype)
    expected = buffer.copy()
    expected[3:11] += 2.5 * expected[41:49]
    add(buffer, 3, 41, 2.5)
    np.testing.assert_array_equal(buffer, expected)


def test_pull_is_the_derivative_of_the_terms_along_the_sphere() -> None:
    """The viewing direction's share of the gradient of the means, degrees 0 to 4."""
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(20, 3)):
        unit, step, pulls = direction / np.linalg.norm(direction), rng.normal(size=3), rng.normal(size=25)
        along = step - unit * (unit @ step)
        for degree in range(5):
            used = (degree + 1) ** 2
            assert np.dot(sh_pull(pulls, degree, *unit), along) == pytest.approx(pulls[:used] @ derivatives(unit, along)[:used])


def derivatives(unit: F64, along: F64) -> F64:
    """Central differences of the 25 terms in the direction `along`."""
    ahead, behind = (unit + sign * 1e-5 * along for sign in (1, -1))
    both = basis(np.stack([ahead / np.linalg.norm(ahead), behind / np.linalg.norm(behind)]), 4)
    return np.asarray((both[0] - both[1]) / 2e-5)

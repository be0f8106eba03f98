"""Quantities: what colours, lists and detectors read off each Gaussian."""

from typing import Any

import numpy as np
import pytest

from runs.arrays import Array
from runs.gaussians import Gaussians
from runs.quantities import QUANTITIES


def gaussians(count: int = 1, **columns: Any) -> Gaussians:
    given: dict[str, Array] = {
        "means": np.random.default_rng(0).normal(size=(count, 3)), "log_scales": np.zeros((count, 3)),
        "quats_wxyz": np.tile([1.0, 0, 0, 0], (count, 1)), "logit_opacities": np.zeros(count), "sh0": np.zeros((count, 3)),
    }
    return Gaussians.from_arrays(**(given | columns))


def of(name: str, **columns: Any) -> np.ndarray:
    stored = gaussians(len(next(iter(columns.values()))), **columns)
    return QUANTITIES[name].compute(stored)


@pytest.mark.parametrize(("scales", "elongation", "flatness", "rank"), [
    ((1, 1, 1), 1, 1, 3), ((1, 10, 1), 10, 1, 1.116), ((3, 1, 1), 3, 1, 1.82), ((1, 1, 0.001), 1, 1000, 2),
])
def test_shape_tells_needles_from_discs(scales: tuple[float, ...], elongation: float, flatness: float, rank: float) -> None:
    """s_max/s_min calls a legitimate disc a needle; these three do not (ranks: eRank-GS)."""
    stored = np.log([scales])
    assert of("elongation", log_scales=stored)[0] == pytest.approx(elongation, rel=1e-5)
    assert of("flatness", log_scales=stored)[0] == pytest.approx(flatness, rel=1e-5)
    assert of("effective_rank", log_scales=stored)[0] == pytest.approx(rank, abs=5e-3)


def test_sizes_are_in_world_units() -> None:
    """4/3·π·s₁s₂s₃ and the largest s."""
    stored = np.log([[0.1, 0.2, 0.5]])
    assert of("max_scale", log_scales=stored)[0] == pytest.approx(0.5)
    assert of("volume", log_scales=stored)[0] == pytest.approx(4 / 3 * np.pi * 0.01)


def test_neighbour_distance_equals_brute_force() -> None:
    """Mean over the three nearest others; an exact copy is at distance 0."""
    points = np.random.default_rng(1).normal(size=(60, 3)).astype(np.float32)
    points[1] = points[0]
    distances = np.sort(np.linalg.norm(points[:, None] - points[None], axis=2), axis=1)[:, 1:4]
    np.testing.assert_allclose(of("neighbour_distance", means=points), distances.mean(axis=1), rtol=1e-5)


def test_few_or_broken_neighbours() -> None:
    """One Gaussian has no neighbour, two have one each, and a NaN row is nobody's neighbour."""
    assert np.isnan(of("neighbour_distance", means=np.zeros((1, 3))))[0]
    np.testing.assert_allclose(
        of("neighbour_distance", means=np.array([[0, 0, 0], [0, 3, 4], [np.nan, 0, 0]])), [5, 5, np.nan])


def test_sh_energy_is_the_spread_of_the_colour_over_directions() -> None:
    """One degree-1 coefficient c on one channel: √(c²·mean(Y²)/3) with mean(Y²) = 1/4π; the DC term does not count."""
    rest = np.zeros((1, 3, 3))
    rest[0, 1, 2] = 0.7
    found = of("sh_energy", sh_rest=rest, sh0=np.full((1, 3), 9.0))
    assert found[0] == pytest.approx(np.sqrt(0.49 / (4 * np.pi) / 3))
    assert of("sh_energy", sh0=np.ones((1, 3)))[0] == 0


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_answers_for_broken_and_empty_input(name: str) -> None:
    """Failed trainings store NaN, infinity and absurd scales; colouring them must neither warn nor fail."""
    quantity = QUANTITIES[name]
    assert quantity.name == name
    broken = gaussians(4, log_scales=np.array([[0, 0, 0], [np.nan, 0, 0], [200, 0, -200], [np.inf, 0, 0]]),
                       logit_opacities=np.array([0, np.nan, 999, -999]), sh_rest=np.full((4, 3, 3), np.inf))
    for stored in (broken, gaussians(0)):
        values = quantity.compute(stored)
        assert (values.dtype, values.shape) == (np.float32, (stored.count,))
    assert np.isfinite(quantity.compute(gaussians(5))).all()

"""Origins: a colour is only compared with that of the point which a Gaussian really came from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.origins import nearest_origins, origins_by_row

POINTS = np.random.default_rng(0).uniform(-1, 1, (200, 3))
SPACING = 0.12  # of 200 points in a cube of 8 units, about


@given(scale=st.floats(1e-4, 1e4), shift=st.floats(-100, 100), seed=st.integers(0, 100))
def test_points_that_moved_a_little_are_found_again_in_any_unit(scale: float, shift: float, seed: int) -> None:
    """No limit may be in world units."""
    rng = np.random.default_rng(seed)
    xyz, order = scale * (POINTS + shift), rng.permutation(len(POINTS))
    means = xyz + rng.normal(0, 0.02 * SPACING * scale, xyz.shape)
    by_row, nearest = origins_by_row(means, xyz, 0.2), nearest_origins(means[order], xyz, 1.2)
    assert by_row is not None
    assert by_row.tolist() == list(range(200))
    assert nearest is not None
    assert nearest.tolist() == order.tolist()


def test_rows_in_another_order_are_not_taken_for_the_same() -> None:
    """A file sorted by another program has as many rows and none at its place."""
    assert origins_by_row(POINTS[::-1], POINTS, 0.2) is None
    assert origins_by_row(POINTS[:40], POINTS, 0.2) is None


@pytest.mark.parametrize("means", [POINTS + 3, 50 * POINTS, POINTS[:, [1, 2, 0]] / 50], ids=["beside", "wider", "narrower"])
def test_other_clouds_have_no_origin(means: np.ndarray) -> None:
    """A random start is not made of the model's points."""
    assert nearest_origins(means, POINTS, 1.2) is None


def test_a_few_points_are_not_near_to_many_gaussians() -> None:
    """Measured in the spacing of the few, everything would be near."""
    assert nearest_origins(POINTS, POINTS[:10], 1.2) is None
    assert nearest_origins(POINTS[:1], POINTS[:1] + 1, 1.2) is None

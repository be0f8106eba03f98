"""Covariance: the shape of every splat comes from here."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from render.covariance import covariances, rotations

quaternion = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)
scales = st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3)


@given(quaternion)
def test_quaternion_is_read_real_part_first(quat: list[float]) -> None:
    """Reading xyzw instead turns every splat, and still looks like a scene."""
    expected = Rotation.from_quat(quat, scalar_first=True).as_matrix()
    np.testing.assert_allclose(rotations(np.array([quat]))[0], expected, atol=1e-9)


@given(quaternion, scales)
def test_axes_of_the_covariance_are_the_rotated_scales(quat: list[float], sizes: list[float]) -> None:
    """Σ rᵢ = sᵢ² rᵢ for each column rᵢ of the rotation: the strongest statement about R S Sᵀ Rᵀ."""
    axes = rotations(np.array([quat]))[0]
    covariance = covariances(np.array([sizes]), np.array([quat]))[0]
    np.testing.assert_allclose(covariance @ axes, axes * np.square(sizes), atol=1e-9 * max(sizes) ** 2)

"""Similarities between two records of the same cameras."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.measures.alignment import fit_similarity, rotation_angle_deg


def rotation(seed: int) -> np.ndarray:
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_a_known_similarity_is_found_again(seed: int, scale: float) -> None:
    """Trainers move, turn and scale the world; that alone must not look like wrong poses."""
    rng = np.random.default_rng(seed)
    source, shift = rng.normal(size=(8, 3)), rng.normal(size=3)
    found = fit_similarity(source, scale * source @ rotation(seed).T + shift)
    assert found.scale == pytest.approx(scale)
    np.testing.assert_allclose(found.rotation, rotation(seed), atol=1e-9)
    np.testing.assert_allclose(found.apply(source), scale * source @ rotation(seed).T + shift, atol=1e-9 * scale + 1e-9)


def test_a_mirrored_world_is_not_taken_for_a_turned_one() -> None:
    """A reflection is a fault of the export and must leave a residual."""
    source = np.random.default_rng(0).normal(size=(10, 3))
    found = fit_similarity(source, source * [1, 1, -1])
    assert np.linalg.det(found.rotation) == pytest.approx(1)
    assert np.abs(found.apply(source) - source * [1, 1, -1]).max() > 0.1


def test_coinciding_points_have_no_scale() -> None:
    """Dividing by their variance would give infinite numbers that look measured."""
    with pytest.raises(ValueError, match="coincide"):
        fit_similarity(np.ones((4, 3)), np.ones((4, 3)))


def test_the_angle_between_rotations_is_in_degrees() -> None:
    """The finding tells degrees."""
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert rotation_angle_deg(np.eye(3), turn) == pytest.approx(90)
    assert rotation_angle_deg(turn, turn) == pytest.approx(0, abs=1e-5)

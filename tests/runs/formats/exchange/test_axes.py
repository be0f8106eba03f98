"""Turning a scene must turn places, shapes and colour by direction together, or lighting is wrong in a way no one sees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from render.harmonics import basis
from runs.arrays import F64
from runs.formats.exchange.axes import HALF_TURN_X, bands, flip_means, flip_quats, flip_signs, quaternion, turn_quats, turn_sh

DEGREES = range(5)


def directions(count: int = 40) -> F64:
    vectors = np.random.default_rng(1).normal(size=(count, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), mirror=st.booleans(), degree=st.integers(1, 4))
def test_colour_seen_from_the_turned_direction_stays(seed: int, mirror: bool, degree: int) -> None:
    """The basis that we render with is the witness: no formula is shared with the recursion."""
    matrix = Rotation.random(random_state=seed).as_matrix() * (-1 if mirror else 1)
    rest = np.random.default_rng(seed).normal(size=(7, (degree + 1) ** 2 - 1, 3)).astype(np.float32)
    before = np.einsum("dk,nkc->ndc", basis(directions(), degree)[:, 1:], rest)
    after = np.einsum("dk,nkc->ndc", basis(directions() @ matrix.T, degree)[:, 1:], turn_sh(rest, matrix))
    np.testing.assert_allclose(after, before, atol=2e-5)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("signs", [(1.0, -1.0, -1.0), (-1.0, -1.0, 1.0), (-1.0, 1.0, 1.0), (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)])
def test_signs_are_those_of_the_polynomials(signs: tuple[float, ...], degree: int) -> None:
    terms = basis(directions(), degree)[:, 1:]
    np.testing.assert_allclose(basis(directions() * signs, degree)[:, 1:], terms * flip_signs(signs, degree), atol=1e-12)


@pytest.mark.parametrize("degree", DEGREES)
def test_bands_multiply_as_their_rotations_do(degree: int) -> None:
    """A representation: turning twice is turning once by the product, and turning back is the transpose."""
    first, second = (Rotation.random(random_state=seed).as_matrix() for seed in (1, 2))
    for a, b, both in zip(bands(first, degree), bands(second, degree), bands(second @ first, degree), strict=True):
        np.testing.assert_allclose(b @ a, both, atol=1e-12)
        np.testing.assert_allclose(a @ a.T, np.eye(len(a)), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_quaternions_are_scipys(seed: int) -> None:
    first, second = Rotation.random(3, random_state=seed), Rotation.random(random_state=seed + 1)
    wxyz = first.as_quat()[:, [3, 0, 1, 2]].astype(np.float32)
    found = turn_quats(wxyz, second.as_matrix())
    expected = (second * first).as_matrix()
    np.testing.assert_allclose(Rotation.from_quat(found[:, [1, 2, 3, 0]]).as_matrix(), expected, atol=1e-5)
    assert abs(np.linalg.norm(quaternion(second.as_matrix())) - 1) < 1e-12


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_no_turn_and_half_turns_have_a_quaternion(angle: float) -> None:
    """Where formulas by the trace divide by zero."""
    for axis in np.eye(3):
        matrix = Rotation.from_rotvec(angle * axis).as_matrix()
        found = Rotation.from_quat(quaternion(matrix)[[1, 2, 3, 0]]).as_matrix()
        np.testing.assert_allclose(found, matrix, atol=1e-12)


@pytest.mark.parametrize("signs", [HALF_TURN_X, (-1.0, 1.0, 1.0)])
def test_flips_keep_shapes(signs: tuple[float, ...]) -> None:
    """The covariance of a flipped splat is the flipped covariance, also for a mirror."""
    quats = np.random.default_rng(3).normal(size=(9, 4)).astype(np.float32)
    axes = np.diag([1.0, 2.0, 3.0])
    turned = Rotation.from_quat(flip_quats(quats, signs)[:, [1, 2, 3, 0]]).as_matrix()
    plain = Rotation.from_quat(quats[:, [1, 2, 3, 0]]).as_matrix()
    mirror = np.diag(signs)
    expected = mirror @ plain @ axes @ plain.transpose(0, 2, 1) @ mirror
    np.testing.assert_allclose(turned @ axes @ turned.transpose(0, 2, 1), expected, atol=1e-5)
    np.testing.assert_array_equal(flip_means(np.ones((2, 3), np.float32), signs), [signs] * 2)

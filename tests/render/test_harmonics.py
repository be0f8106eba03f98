"""Spherical harmonics: a wrong sign or constant tints every picture, and only from some directions."""

import numpy as np
import pytest

from render import harmonics


def sphere(points: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Directions and weights that integrate polynomials up to degree 2·points - 1 exactly over the sphere."""
    z, weight = np.polynomial.legendre.leggauss(points)
    phi = np.arange(2 * points) * np.pi / points
    z, phi = np.repeat(z, len(phi)), np.tile(phi, len(z))
    ring = np.sqrt(1 - z**2)
    return np.stack([ring * np.cos(phi), ring * np.sin(phi), z], axis=1), np.repeat(weight, 2 * points) * np.pi / points


def test_basis_is_orthonormal_up_to_degree_four() -> None:
    """Orthonormality fixes every constant; a single wrong digit breaks it."""
    directions, weights = sphere()
    terms = harmonics.basis(directions, 4)
    np.testing.assert_allclose(terms.T @ (weights[:, None] * terms), np.eye(25), atol=1e-12)


@pytest.mark.parametrize(("coefficient", "axis", "value"), [
    (1, (0, 1, 0), -harmonics.C1), (2, (0, 0, 1), harmonics.C1), (3, (1, 0, 0), -harmonics.C1),
    (4, (np.sqrt(0.5), np.sqrt(0.5), 0), harmonics.C2[0] / 2), (6, (0, 0, 1), 2 * harmonics.C2[2]),
    (15, (1, 0, 0), harmonics.C3[6]), (12, (0, 0, 1), 2 * harmonics.C3[3]),
])
def test_signs_and_order_are_those_of_the_trainers(coefficient: int, axis: tuple[float, ...], value: float) -> None:
    """Orthonormality does not fix signs or order; stored coefficients rely on both (INRIA, gsplat)."""
    assert harmonics.basis(np.array([axis]), 3)[0, coefficient] == pytest.approx(value)


def test_colour_is_half_plus_the_sum_and_never_negative() -> None:
    """Trainers clamp below at 0 and not above at 1."""
    direction = np.array([[0.0, 0, 1]])
    sh = np.zeros((1, 4, 3))
    sh[0, 0] = [2.0, 0, -4]
    np.testing.assert_allclose(harmonics.colours(sh, direction, 1), [[0.5 + 2 * harmonics.C0, 0.5, 0]])


def test_degree_caps_what_is_read() -> None:
    """The degree switch of the viewport must ignore higher coefficients, not fail on them."""
    rng = np.random.default_rng(0)
    sh, directions = rng.normal(size=(5, 16, 3)), np.tile([[0.6, 0, 0.8]], (5, 1))
    np.testing.assert_array_equal(harmonics.colours(sh, directions, 1), harmonics.colours(sh[:, :4], directions, 1))


def test_an_undefined_degree_is_refused() -> None:
    """A silent fall-back would draw wrong colours."""
    with pytest.raises(ValueError, match="degree 5"):
        harmonics.basis(np.array([[0.0, 0, 1]]), 5)

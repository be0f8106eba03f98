"""Stored spaces told from their numbers alone."""

import numpy as np
import pytest

from diagnostics.measures import spaces
from runs.arrays import Array

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("stored", "told"), [
    (RNG.uniform(0, 1, 500), True), (RNG.normal(0, 1, 500), False), (np.zeros(500), False), (RNG.uniform(0.45, 0.55, 500), False),
    (RNG.uniform(0, 0.5, 500), False),
    (np.array([np.nan, np.inf]), False), (np.append(RNG.uniform(0, 1, 500), np.inf), True),
])
def test_opacities_spread_over_the_unit_range(stored: Array, told: bool) -> None:
    """Logits are negative somewhere; one opacity for all is a start, whatever its logit."""
    assert spaces.in_unit_range(stored) is told


def test_a_scene_of_pale_colours_is_no_scene_of_plain_ones() -> None:
    """Coefficients within 0.3 to 0.9 are pale colours; plain colours are dark too."""
    assert not spaces.are_colours(RNG.uniform(0.3, 0.9, (500, 3)))
    assert spaces.are_colours(RNG.uniform(0, 1, (500, 3)))


def test_bytes_are_told_from_large_coefficients() -> None:
    """Harmonics of bright lamps reach 20 and are negative elsewhere."""
    assert spaces.are_bytes(RNG.integers(0, 256, (500, 3)))
    assert not spaces.are_bytes(RNG.normal(0, 10, (500, 3)))
    assert not spaces.are_bytes(RNG.uniform(0, 1, (500, 3)))


def test_random_quaternions_have_no_largest_component() -> None:
    """A quarter each, whatever the sign."""
    assert spaces.largest_component(RNG.normal(size=(4000, 4))) == pytest.approx([0.25] * 4, abs=0.03)


def test_columns_that_are_all_the_same_are_no_rotation() -> None:
    """(1, 0, 0, 0) in every row is what constant columns look like."""
    assert spaces.unit_share(np.tile([1.0, 0, 0, 0], (100, 1))) == 0
    turned = RNG.normal(size=(100, 4))
    assert spaces.unit_share(turned / np.linalg.norm(turned, axis=1, keepdims=True)) == 1

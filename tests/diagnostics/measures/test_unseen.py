"""Colours at unseen directions: degree 0 makes nothing up, and what cameras see is told apart."""

import numpy as np
import pytest

from diagnostics.measures.unseen import DIRECTIONS, sphere, unseen_colours
from runs.arrays import F32
from tests.support.runs import ring_cameras

MEANS = np.zeros((1, 3), np.float32)


def harmonics(y: float = 0.0, x: float = 0.0) -> F32:
    """One Gaussian, grey 0.5, of degree 1."""
    sh = np.zeros((1, 4, 3), np.float32)
    sh[0, 1], sh[0, 3] = y, x
    return sh


def nothing() -> None:
    """A beat that lets go on."""


def test_directions_are_even() -> None:
    """Their mean is the middle, and none is nearer to its neighbour than half of an even share."""
    directions = sphere()
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1)
    assert np.abs(directions.mean(axis=0)).max() < 0.02
    angles = np.degrees(np.arccos(np.clip(directions @ directions.T - 2 * np.eye(DIRECTIONS), -1, 1)))
    assert angles.min() > 18


def test_without_harmonics_nothing_is_made_up() -> None:
    found = unseen_colours(MEANS, harmonics()[:, :1], 0, ring_cameras(), nothing)
    assert (found.unseen[0], found.seen[0], found.beyond[0]) == (0, 0, 0)


def test_a_swing_off_the_ring_is_unseen_and_one_along_it_is_seen() -> None:
    """The ring stands around the vertical axis."""
    upwards, sideways = (unseen_colours(MEANS, sh, 1, ring_cameras(), nothing) for sh in (harmonics(y=2.0), harmonics(x=2.0)))
    assert upwards.unseen[0] > 2 * upwards.seen[0]
    assert sideways.seen[0] > sideways.unseen[0]
    assert upwards.beyond[0] > 0.3


def test_who_is_in_no_picture_has_no_colours_to_compare() -> None:
    found = unseen_colours(np.array([[0, 1e4, 0]], np.float32), harmonics(y=2.0), 1, ring_cameras(), nothing)
    assert np.isnan(found.unseen[0])
    assert np.isnan(found.beyond[0])


@pytest.mark.parametrize("degree", [0, 1])
def test_a_stop_is_asked_for_at_every_camera(degree: int) -> None:
    beats: list[int] = []
    unseen_colours(MEANS, harmonics(), degree, ring_cameras(5), lambda: beats.append(1))
    assert len(beats) == 5

"""Points from rays alone: they tell a cloud that stands elsewhere from cameras that do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.frusta import project
from diagnostics.measures.triangulation import rays_through, triangulated
from runs.arrays import F64, I64
from tests.support.runs import ring_cameras

RING = ring_cameras(6)


def rays(places: F64) -> tuple[F64, F64, I64]:
    """Origins, directions and points of all rays from the ring through exact keypoints."""
    seen = [project(places, camera) for camera in RING]
    directions = [rays_through(camera, np.stack([s.x_px, s.y_px], axis=1)) for camera, s in zip(RING, seen, strict=True)]
    origins = [np.broadcast_to(camera.centre, places.shape) for camera in RING]
    return np.concatenate(origins), np.concatenate(directions), np.tile(np.arange(len(places)), len(RING))


@given(st.integers(0, 10_000))
def test_exact_keypoints_give_the_exact_places(seed: int) -> None:
    """Anything else would accuse sound clouds."""
    places = np.random.default_rng(seed).uniform(-0.8, 0.8, (20, 3))
    np.testing.assert_allclose(triangulated(*rays(places), 20), places, atol=1e-9)


def test_two_rays_or_parallel_ones_place_nothing() -> None:
    """A point that no geometry fixes must not count."""
    origins, directions, point = rays(np.zeros((1, 3)))
    assert np.isnan(triangulated(origins[:2], directions[:2], point[:2], 1)).all()
    ahead = np.tile([0.0, 0, 1], (5, 1))
    assert np.isnan(triangulated(np.random.default_rng(0).normal(size=(5, 3)), ahead, np.zeros(5, np.int64), 1)).all()

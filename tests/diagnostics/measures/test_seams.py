"""Seams: the doubled plane is found on any axis, at any scale; a cloud without close pairs holds none."""

import numpy as np
import pytest

from diagnostics.measures.seams import CLOSE, SLAB, seam_of
from runs.arrays import F64

RNG = np.random.default_rng(5)
CLOUD = RNG.uniform(-1, 1, (5000, 3))


def doubled(axis: int, at: float, scale: float) -> F64:
    """Everything within half a slab of the plane stands twice."""
    inside = np.abs(CLOUD[:, axis] - at) < SLAB / 2
    return np.asarray(scale * np.concatenate([CLOUD, CLOUD[inside] + 1e-5]))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 500.0])
def test_the_plane_is_found_whatever_the_unit(axis: int, scale: float) -> None:
    seam = seam_of(doubled(axis, 0.3, scale), np.random.default_rng(0))
    assert seam.axis == axis
    assert seam.at / scale == pytest.approx(0.3, abs=SLAB * 2)
    assert seam.held > 0.9
    assert seam.inside > 0.5
    assert seam.outside < 0.02
    assert seam.thinner_side == pytest.approx(0.35, abs=0.05)


def test_an_even_lattice_has_no_close_pairs() -> None:
    lattice = np.stack(np.meshgrid(*(np.arange(12.0),) * 3), axis=-1).reshape(-1, 3)
    seam = seam_of(lattice, np.random.default_rng(0))
    assert (seam.held, len(seam.rows)) == (0, 0)


def test_rows_are_those_of_the_cloud() -> None:
    """What is pointed at must be a close pair, also where the cloud is only sampled."""
    cloud = doubled(0, 0.0, 1.0)
    seam = seam_of(cloud, np.random.default_rng(0))
    distances = np.abs(cloud[seam.rows][:, None] - cloud[None]).max(axis=2)
    assert (np.sort(distances, axis=1)[:, 1] < CLOSE).all()


def test_one_spot_is_no_plane() -> None:
    assert seam_of(np.zeros((2000, 3)), np.random.default_rng(0)).held == 0

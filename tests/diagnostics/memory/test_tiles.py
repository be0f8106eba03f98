"""Tile pairs of a view: the boxes of splats in tiles, inside the picture, and the sample that stands for all."""

import numpy as np
import pytest

from diagnostics.memory.tiles import ROWS, TILE, footprint, sampled, widest
from render.splats import Splats, prepare
from runs.cameras import Camera, look_at
from tests.support.runs import changed, cloud, ring_cameras


def splats(count: int, *, size: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Splats:
    means, scales = np.tile(np.array(at, np.float32), (count, 1)), np.full((count, 3), np.log(size))
    return prepare(changed(cloud(count), means=means, log_scales=scales))


def camera(size: tuple[int, int] = (640, 480)) -> Camera:
    return look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=size)


def test_a_small_splat_in_the_middle_touches_the_tiles_around_it() -> None:
    """Radius 3 × 0.05 × f / 4 pixels, at the corner of four tiles: (2 · ⌈r / 16⌉)²."""
    view = camera()
    radius = 3 * np.sqrt((0.05 * view.fx / 4) ** 2 + 0.3)
    told = footprint(splats(10, size=0.05), view)
    assert told.radius_px == pytest.approx(radius, rel=1e-3)
    assert told.pairs == pytest.approx(10 * (2 * np.ceil(radius / TILE)) ** 2)
    assert told.pairs / 10 <= (np.ceil(2 * radius / TILE) + 1) ** 2  # the coarse formula never says less
    assert told.large == 0


def test_a_huge_splat_touches_every_tile_and_no_more() -> None:
    """40 × 30 tiles of the picture, however large the splat."""
    told = footprint(splats(5, size=50.0), camera())
    assert (told.tiles, told.pairs, told.large) == (1200, 5 * 1200, 1.0)


def test_what_no_camera_sees_costs_nothing() -> None:
    """Behind the camera, and beside the picture."""
    for at in ((0.0, 0.0, -9.0), (500.0, 0.0, 0.0)):
        told = footprint(splats(5, size=0.01, at=at), camera())
        assert (told.pairs, told.radius_px) == (0, 0)


def test_a_sample_stands_for_all() -> None:
    """Every k-th splat, weighed by k: within 3 % of the whole."""
    whole = prepare(cloud(4 * ROWS, sh_degree=0))
    part = sampled(whole)
    assert len(part) == ROWS
    assert part.stored_count == 4 * ROWS
    assert footprint(part, camera()).pairs == pytest.approx(footprint(whole, camera()).pairs, rel=0.03)


def test_the_widest_view_is_the_one_that_counts() -> None:
    """One camera among many stands close; and without anything to see there is no answer."""
    close = look_at(np.array([0.0, 0.0, -1.5]), np.zeros(3), size_px=(96, 96), name="close")
    told = widest(splats(10, size=0.2), (*ring_cameras(5), close), lambda: None)
    assert told is not None
    assert told.camera == "close"
    assert widest(prepare(cloud(300)), (), lambda: None) is None

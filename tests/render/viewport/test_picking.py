"""The list under a pixel is evidence: it must be the very splats, in the very amounts, that the picture blends there."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from render.harmonics import colours
from render.projection import directions
from render.raster.reference import rasterise
from render.viewport.picking import Contributor, candidates, contributors, strongest
from tests.render.viewport.scenes import CAMERAS, mixed, outside
from tests.support.splats import placed_splats

BACKGROUND = (0.2, 0.5, 0.9)


@pytest.mark.parametrize("name", CAMERAS)
def test_the_list_rebuilds_the_pixel_of_the_reference_rasteriser(name: str) -> None:
    """Float64 against float64: any splat left out, doubled or out of order would show far above 1e-6."""
    camera, splats = CAMERAS[name], mixed(400)
    picture = rasterise(splats, camera, background=BACKGROUND)
    rgb = colours(splats.sh, directions(splats, camera), 3)
    rng = np.random.default_rng(1)
    for x, y in zip(rng.integers(0, camera.size_px[0], 60), rng.integers(0, camera.size_px[1], 60), strict=True):
        found = contributors(splats, camera, int(x), int(y))
        weights = np.array([c.weight for c in found])
        at = np.searchsorted(splats.rows, [c.row for c in found])
        rebuilt = weights @ rgb[at] + (1 - weights.sum()) * np.array(BACKGROUND)
        np.testing.assert_allclose(rebuilt, picture.rgb[y, x], atol=1e-6)
        assert picture.mode_splat[y, x] == (np.searchsorted(splats.rows, strongest(found).row) if found else -1)


def test_front_to_back_with_the_light_that_is_left() -> None:
    """The inspector shows these numbers: depth must rise and transmittance must be what the ones in front let through."""
    found = contributors(mixed(2000), outside(), 48, 40)
    assert len(found) > 5
    assert all(near.depth <= far.depth for near, far in pairwise(found))
    light = 1.0
    for one in found:
        assert one.transmittance == pytest.approx(light)
        assert one.weight == pytest.approx(one.alpha * light)
        light *= 1 - one.alpha
    assert light >= 1e-4  # where the rasterisers stop


def test_rows_are_those_of_the_file_although_hidden_rows_lie_between() -> None:
    """A selection names stored rows; the drawn splats are fewer, so an index into them would point at a stranger."""
    splats = mixed(400)
    shifted = replace(splats, rows=splats.rows * 3 + 2, stored_count=3 * splats.stored_count)
    plain, moved = (contributors(s, outside(), 50, 40) for s in (splats, shifted))
    assert [c.row * 3 + 2 for c in plain] == [c.row for c in moved]


def test_only_a_few_splats_are_looked_at_exactly() -> None:
    """The quick test is why picking among millions takes milliseconds."""
    splats = mixed(20_000, spread=2.0)
    small = replace(splats, scales=splats.scales * 0.05)
    assert 0 < len(candidates(small, outside(), 48, 40)) < 0.05 * len(small)


@pytest.mark.parametrize(("x", "y", "found"), [
    (0, 0, 1), (95, 0, 1), (0, 79, 1), (95, 79, 1), (-1, 5, 0), (5, -1, 0), (96, 5, 0), (5, 80, 0),
])
def test_every_pixel_of_the_picture_can_be_picked_and_none_beside_it(x: int, y: int, found: int) -> None:
    """A drag may end beside the widget, where a wall that fills the view would go on."""
    wall = placed_splats([0, 0, 0.0], scales=50.0, opacities=[0.9], colours=[1, 1, 1])
    assert len(contributors(wall, outside((96, 80)), x, y)) == found


def test_strongest_is_not_the_nearest() -> None:
    """A faint veil in front must not be what a click selects."""
    veil, wall = Contributor(1, 0.1, 1.0, 0.1, 1.0), Contributor(2, 0.9, 0.9, 0.81, 2.0)
    assert strongest([veil, wall]) is wall
    assert strongest([]) is None

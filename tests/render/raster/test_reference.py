"""The reference rasteriser is the oracle of everything drawn: checked against sums done by hand."""

import numpy as np
import pytest

from render.projection import ALPHA_MAX
from render.raster import cpu
from render.raster.reference import rasterise
from tests.support.splats import placed_splats, straight

RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
MIDDLE = (16, 16)  # row, column of the pixel on the optical axis


def test_one_splat_has_the_gaussian_profile_of_its_projection() -> None:
    """alpha(Δ) = o·exp(-Δ²/2σ²), σ² = (f·s/z)² + 0.3, zero below 1/255."""
    splats = placed_splats([0, 0, 2.0], scales=0.1, opacities=[0.6], colours=RED)
    row = rasterise(splats, straight()).rgb[16, :, 0]
    variance = (40 * 0.1 / 2) ** 2 + 0.3
    expected = 0.6 * np.exp(-((np.arange(33) - 16.0) ** 2) / (2 * variance))
    np.testing.assert_allclose(row, np.where(expected >= 1 / 255, expected, 0), atol=1e-6)


def test_the_nearer_splat_covers_the_farther_whatever_their_order_in_the_file() -> None:
    """C = o₁c₁ + (1-o₁)o₂c₂ + (1-o₁)(1-o₂)·background."""
    far_first = placed_splats([[0, 0, 4.0], [0, 0, 2.0]], scales=1.0, opacities=[0.5, 0.8], colours=[RED, GREEN])
    picture = rasterise(far_first, straight(), background=(0.0, 0.0, 1.0), contributions=True)
    np.testing.assert_allclose(picture.rgb[MIDDLE], [0.2 * 0.5, 0.8, 0.2 * 0.5], atol=1e-6)
    assert picture.alpha[MIDDLE] == pytest.approx(0.9)
    assert picture.depth[MIDDLE] == pytest.approx((0.8 * 2 + 0.1 * 4) / 0.9)
    assert (picture.mode_depth[MIDDLE], picture.mode_splat[MIDDLE]) == (2.0, 1)
    assert picture.contributions is not None
    np.testing.assert_allclose(picture.contributions.weight_max, [0.1, 0.8], atol=1e-6)


def test_alpha_is_capped() -> None:
    """INRIA's 0.99: even an opaque splat lets one per cent through."""
    picture = rasterise(placed_splats([0, 0, 2.0], scales=1.0, opacities=[1 - 1e-7], colours=RED), straight())
    assert picture.alpha[MIDDLE] == pytest.approx(ALPHA_MAX)


def test_blending_stops_before_transmittance_falls_below_the_limit() -> None:
    """0.02² = 4e-4 is still blended; the third splat would leave 8e-6 and is dropped, as in INRIA's rasteriser."""
    means = [[0, 0, z] for z in (2.0, 3.0, 4.0)]
    splats = placed_splats(means, scales=2.0, opacities=[0.98, 0.98, 0.98], colours=np.ones((3, 3)))
    stopped = rasterise(splats, straight(), contributions=True)
    unstopped = rasterise(splats, straight(), contributions=True, t_stop=0.0)
    assert stopped.alpha[MIDDLE] == pytest.approx(1 - 0.02**2, abs=1e-7)
    assert unstopped.alpha[MIDDLE] == pytest.approx(1 - 0.02**3, abs=1e-7)
    assert stopped.contributions is not None
    assert unstopped.contributions is not None
    assert stopped.contributions.pixel_count[2] < unstopped.contributions.pixel_count[2]


def test_where_nothing_is_hit_there_is_no_depth() -> None:
    """A depth of 0 would be an invented number."""
    picture = rasterise(placed_splats([0, 0, 2.0], scales=0.01, opacities=[0.9], colours=RED), straight(), background=GREEN)
    assert np.isnan(picture.depth[0, 0])
    assert np.isnan(picture.mode_depth[0, 0])
    assert picture.mode_splat[0, 0] == -1
    np.testing.assert_array_equal(picture.rgb[0, 0], GREEN)


def test_contributions_are_counted_only_where_they_are_asked_for() -> None:
    """They cost more than the picture; `None` cannot be taken for "nothing contributed"."""
    splats = placed_splats([0, 0, 2.0], scales=0.1, opacities=[0.6], colours=RED)
    for draw in (rasterise, cpu.rasterise):
        assert draw(splats, straight()).contributions is None
        assert draw(splats, straight(), contributions=True).contributions is not None

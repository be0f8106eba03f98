"""Backgrounds, regional surfaces and witnesses: what pictures say beyond their PSNR."""

import numpy as np

from diagnostics.measures.backgrounds import composite, empty_pixels, over
from diagnostics.measures.surfaces import regional_depth
from diagnostics.measures.witnesses import ColourSpread, effective_views, hear
from render.raster.cpu import rasterise
from render.splats import prepare
from tests.support.runs import cloud, ring_cameras


def test_a_background_put_under_a_render_equals_rendering_before_it() -> None:
    """The verdict on backgrounds rests on this shortcut."""
    splats, camera = prepare(cloud(200)), ring_cameras(3)[0]
    on_black, on_white = rasterise(splats, camera), rasterise(splats, camera, background=(1, 1, 1))
    np.testing.assert_allclose(over(on_black.rgb, on_black.alpha, "white"), on_white.rgb, atol=1e-5)


def test_only_exact_background_pixels_are_empty() -> None:
    """Dark things are not an empty background; one 8-bit level of rounding is."""
    photo = np.array([[[0, 0, 0], [1, 0, 1], [4, 0, 0], [255, 255, 254]]], np.float32) / 255
    assert empty_pixels(photo, "black").tolist() == [[True, True, False, False]]
    assert empty_pixels(photo, "white").tolist() == [[False, False, False, True]]


def test_alpha_is_laid_over_the_background() -> None:
    """A photo with alpha has no colour of its own where it is transparent."""
    photo = np.array([[[1, 0, 0, 1], [1, 0, 0, 0]]], np.float32)
    np.testing.assert_allclose(composite(photo, "white"), [[[1, 0, 0], [1, 1, 1]]])
    np.testing.assert_allclose(composite(photo[..., :3], "white"), photo[..., :3])


def test_a_speck_does_not_hide_the_surface_behind_it() -> None:
    """An opaque speck is the strongest splat of its own pixels; the region's surface must be found behind it."""
    depth = np.full((96, 96), 3, np.float32)
    depth[40:43, 40:43] = 1
    np.testing.assert_allclose(regional_depth(depth), 3)


def test_large_things_and_emptiness_are_left_as_they_are() -> None:
    """A near object is a surface, and where nothing was hit nothing can be floated before."""
    depth = np.full((96, 96), np.nan, np.float32)
    depth[:, 48:], depth[10:13, 10:13] = 3, 1
    depth[30:70, 60:] = 1
    found = regional_depth(depth)
    assert found[50, 80] == 1
    assert found[11, 11] == 1
    assert np.isnan(found[50, 5])


def test_effective_views_count_even_sharing() -> None:
    """Four equal views are four; one view that carries all is one, whatever else sees a trace."""
    weights = np.array([[1.0, 9], [1, 0], [1, 0], [1, 0]])
    np.testing.assert_allclose(effective_views(weights.sum(0), (weights**2).sum(0)), [4, 1])
    assert effective_views(np.zeros(1), np.zeros(1)).tolist() == [0]


def test_witnesses_tell_hidden_splats_and_the_colour_of_the_photo() -> None:
    """Photo colours at a hidden splat belong to what hides it."""
    camera = ring_cameras(4)[0]
    means = np.stack([np.zeros(3), camera.centre * 0.5, -camera.centre]).astype(np.float32)  # on the axis: 1, 0.5, 2 radii
    surface = np.full((96, 96), np.linalg.norm(camera.centre), np.float32)
    said = hear(means, camera, surface, np.full((96, 96, 3), 0.25, np.float32))
    assert said.inside.all()
    assert said.behind.tolist() == [False, False, True]
    assert said.photo is not None
    np.testing.assert_allclose(said.photo, 0.25)


def test_colours_that_agree_have_no_spread_and_too_few_have_none_to_tell() -> None:
    """Two witnesses always agree about their mean; an unknown spread is not zero."""
    spread, seen = ColourSpread.empty(3), np.array([True, True, False])
    for value in (0.2, 0.2, 0.8):
        spread.add(seen, np.array([[0.4] * 3, [value] * 3, [9.0] * 3], np.float32))
    np.testing.assert_allclose(spread.deviation(3), [0, np.std([0.2, 0.2, 0.8]), np.nan], atol=1e-4)
    assert np.isnan(spread.deviation(4)).all()

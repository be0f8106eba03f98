"""The software picture is what machines without a GPU show: it must be the rasteriser's, in bytes, in every mode."""

import numpy as np
import pytest

from render.colouring import Scale, colour_map, to_rgb
from render.raster.cpu import rasterise
from render.viewport.appearance import Marks, splat_colours, view_colours
from render.viewport.backend import ViewRequest
from render.viewport.order import depth_order, reach
from render.viewport.software import SoftwareBackend, picture
from tests.render.viewport.scenes import mixed, outside

SPLATS, CAMERA = mixed(400), outside()
VALUES = np.linspace(0, 1, len(SPLATS), dtype=np.float32)
WHITE = (1.0, 1.0, 1.0)


def test_rgb_is_the_rasterisers_picture_in_bytes() -> None:
    """Nothing between the measuring instrument and the screen may change a colour."""
    rgb = rasterise(SPLATS, CAMERA, background=WHITE, sh_degree=1).rgb
    ours = picture(SPLATS, Marks(), ViewRequest(CAMERA, background=WHITE, sh_degree=1))
    np.testing.assert_array_equal(ours, np.clip(rgb * 255 + 0.5, 0, 255).astype(np.uint8))


def test_view_colours_are_those_that_the_rasteriser_blends() -> None:
    """Tinting goes through colours of its own; untinted it must give the same picture."""
    own = rasterise(SPLATS, CAMERA, colours=view_colours(SPLATS, CAMERA, 3)).rgb
    np.testing.assert_allclose(own, rasterise(SPLATS, CAMERA).rgb, atol=1e-5)


def test_depth_and_alpha_are_coloured_fields_of_the_picture() -> None:
    """Where nothing is, depth shows the background: a colour there would be an invented number."""
    drawn, scale = rasterise(SPLATS, CAMERA), Scale(1.0, 5.0)
    depth = picture(SPLATS, Marks(), ViewRequest(CAMERA, mode="depth", background=WHITE, field_scale=scale))
    assert (depth[drawn.alpha == 0] == 255).all()
    weight = drawn.alpha[..., None]
    mapped = to_rgb(np.nan_to_num(drawn.depth), scale, colour_map())
    assert np.abs(depth - (weight * mapped + (1 - weight) * 255)).max() <= 0.51
    alpha = picture(SPLATS, Marks(), ViewRequest(CAMERA, mode="alpha"))
    np.testing.assert_array_equal(alpha, to_rgb(drawn.alpha, Scale(0, 1), colour_map()))


def test_points_show_the_nearest_mean_of_each_pixel() -> None:
    """Dots are opaque: what lies behind must not shine through, whatever the order of the rows."""
    request = ViewRequest(CAMERA, points=True)
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(SPLATS))
    mixed_up = mixed(400)
    again = type(mixed_up)(
        rows=mixed_up.rows, stored_count=400, means=mixed_up.means[shuffled], scales=mixed_up.scales[shuffled],
        quats=mixed_up.quats[shuffled], opacities=mixed_up.opacities[shuffled], sh=mixed_up.sh[shuffled],
        sh_degree=3, hidden=mixed_up.hidden,
    )
    one = picture(SPLATS, Marks(), request)
    np.testing.assert_array_equal(one, picture(again, Marks(), request))
    coloured = splat_colours(SPLATS, Marks(), request)
    assert one.max() > 0
    known = {tuple(c) for c in np.clip(coloured * 255 + 0.5, 0, 255).astype(np.uint8).tolist()} | {(0, 0, 0)}
    assert {tuple(c) for c in one.reshape(-1, 3).tolist()} <= known


@pytest.mark.parametrize("mode", ["rgb", "scalar", "depth", "alpha"])
@pytest.mark.parametrize("points", [False, True])
def test_no_splats_is_a_picture_too(mode: str, points: bool) -> None:
    """A run whose Gaussians are all hidden must open."""
    none = mixed(0)
    shown = picture(none, Marks(), ViewRequest(CAMERA, mode=mode, points=points, background=WHITE))  # type: ignore[arg-type]
    assert (shown == 255).all()
    assert shown.shape == (80, 96, 3)


def test_the_backend_keeps_what_it_was_given() -> None:
    """The interface of GL and software is one: set, then draw, then read."""
    backend = SoftwareBackend()
    request = ViewRequest(CAMERA, mode="scalar", tint_strength=0.5)
    backend.draw(request)
    assert not backend.read().any()
    backend.set_gaussians(SPLATS)
    backend.set_scalar(VALUES, colour_map("inferno"), Scale(0.0, 1.0))
    backend.set_tint(VALUES > 0.5, (0.0, 1.0, 0.0))
    backend.upload_order(depth_order(SPLATS.means, reach(SPLATS), CAMERA))
    backend.draw(request)
    marks = Marks(VALUES, colour_map("inferno"), Scale(0.0, 1.0), VALUES > 0.5, (0.0, 1.0, 0.0))
    np.testing.assert_array_equal(backend.read(), picture(SPLATS, marks, request))
    backend.set_gaussians(SPLATS)
    backend.draw(ViewRequest(CAMERA, tint_strength=1.0))  # the tint is forgotten with the old splats: all grey
    grey = backend.read().astype(int)
    assert np.abs(grey - grey.mean(axis=-1, keepdims=True)).max() <= 1

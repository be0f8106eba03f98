"""What a splat does to a picture, for all splats in one pass, against rendering the scene once more without each of them."""

from dataclasses import replace

import numpy as np
import pytest

from render.raster.cpu import rasterise
from render.raster.measures import front_weight
from render.raster.removal import removal
from render.splats import Splats
from runs.arrays import F32
from runs.cameras import Camera
from tests.support.splats import inside, outside, random_splats

FAINT = np.float32(1e-6)  # below alpha 1/255 no rasteriser draws a splat


def without(splats: Splats, row: int) -> Splats:
    opacities = splats.opacities.copy()
    opacities[row] = FAINT
    return replace(splats, opacities=opacities)


def a_photo(camera: Camera) -> F32:
    width, height = camera.size_px
    return np.random.default_rng(3).random((height, width, 3), np.float32)


@pytest.mark.parametrize("camera", [outside((40, 30)), inside((40, 30))], ids=["outside", "inside"])
@pytest.mark.parametrize("background", [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0)], ids=["black", "white"])
def test_it_tells_what_rendering_without_the_splat_tells(camera: Camera, background: tuple[float, float, float]) -> None:
    """The definition, at the price of one rendering per splat. Half-transparent splats, so that no ray stops early."""
    splats, photo = random_splats(60, opaque=0.0), a_photo(camera)
    picture = rasterise(splats, camera, background=background, t_stop=0).rgb
    found = removal(splats, camera, picture, photo, np.zeros(photo.shape[:2], np.float32))
    for row in range(len(splats)):
        change = picture.astype(np.float64) - rasterise(without(splats, row), camera, background=background, t_stop=0).rgb
        assert found.effect[row] == pytest.approx((change**2).sum(), rel=2e-3, abs=2e-4)
        assert found.along[row] == pytest.approx((change * (picture - photo)).sum(), rel=2e-3, abs=2e-3)
    assert found.effect.max() > 0.1


def test_what_is_absent_is_judged_as_if_it_alone_were_added() -> None:
    """The definition once more: the others that are absent neither hide it nor shine through it."""
    splats, camera = random_splats(60, opaque=0.0), outside((40, 30))
    photo, absent = a_photo(camera), np.arange(60) % 3 == 0
    rest = replace(splats, opacities=np.where(absent, FAINT, splats.opacities))
    picture = rasterise(rest, camera, t_stop=0).rgb
    found = removal(splats, camera, picture, photo, np.zeros(photo.shape[:2], np.float32), absent=absent)
    for row in np.flatnonzero(absent):
        alone = np.where(np.arange(60) == row, splats.opacities, rest.opacities)
        with_it = rasterise(replace(rest, opacities=alone), camera, t_stop=0, contributions=True)
        assert with_it.contributions is not None
        change = with_it.rgb.astype(np.float64) - picture
        assert found.effect[row] == pytest.approx((change**2).sum(), rel=2e-3, abs=2e-4)
        assert found.along[row] == pytest.approx((change * (with_it.rgb - photo)).sum(), rel=2e-3, abs=2e-3)
        assert found.weight[row] == pytest.approx(with_it.contributions.weight_sum[row], rel=1e-4, abs=1e-4)
    kept = removal(rest, camera, picture, photo, np.zeros(photo.shape[:2], np.float32))
    np.testing.assert_allclose(found.along[~absent], kept.along[~absent], rtol=1e-5, atol=1e-5)


def test_the_front_weight_is_that_of_the_pass_for_it() -> None:
    """One pass must tell both, or a diagnosis renders every view once more."""
    splats, camera = random_splats(150, opaque=3.0), outside((40, 30))
    picture = rasterise(splats, camera, contributions=True)
    limits = np.asarray(0.95 * picture.mode_depth, np.float32)
    found = removal(splats, camera, picture.rgb, a_photo(camera), limits)
    assert picture.contributions is not None
    np.testing.assert_allclose(found.weight, picture.contributions.weight_sum, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found.front_weight, front_weight(splats, camera, picture, 0.05), rtol=1e-4, atol=1e-4)
    assert found.front_weight.any()


def test_nothing_depends_on_the_number_of_threads() -> None:
    """A verdict that changes with the machine is no verdict."""
    splats, camera = random_splats(5000), outside((64, 48))
    picture = rasterise(splats, camera, contributions=True)
    one, two = (removal(splats, camera, picture.rgb, a_photo(camera), picture.mode_depth, threads=n) for n in (1, 2))
    for name in ("weight", "front_weight", "along", "effect"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))

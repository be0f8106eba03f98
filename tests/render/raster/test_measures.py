"""Measurements over views decide what is a floater: each is checked against a slow twin or a scene built by hand."""

import numpy as np
import pytest

from render.projection import project
from render.raster.cpu import rasterise
from render.raster.measures import (
    DEPTH_MARGIN,
    SEEN_WEIGHT,
    brightness_ratio,
    capped,
    contributions_of,
    front_weight,
    split_weight,
    view_statistics,
)
from render.raster.reference import pixel_weights
from render.splats import Splats
from runs.cameras import Camera
from tests.support.splats import inside, outside, placed_splats, random_splats, straight


def slow_twin(splats: Splats, camera: Camera, margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Total, front and split weight [M] of each splat, pixel by pixel, from the definitions."""
    seen = project(splats, camera)
    order = np.flatnonzero(seen.visible)[np.argsort(seen.depths[seen.visible], kind="stable")]
    total, front, split = np.zeros((3, len(splats)))
    for y in range(camera.size_px[1]):
        for x in range(camera.size_px[0]):
            found = pixel_weights(seen, splats.opacities, order, x + 0.5, y + 0.5, 1e-4)
            if not found.splats.size:
                continue
            depths = seen.depths[found.splats]
            mode = depths[np.argmax(found.weights)]
            mean = found.weights @ depths / found.weights.sum()
            total[found.splats] += found.weights
            front[found.splats] += np.where(depths < (1 - margin) * mode, found.weights, 0)
            split[found.splats] += found.weights * (abs(mean - mode) > margin * mode)
    return total, front, split


@pytest.mark.parametrize("camera", [outside((40, 30)), inside((40, 30))], ids=["outside", "inside"])
def test_front_and_split_weight_equal_their_slow_twin(camera: Camera) -> None:
    """Fast passes with a depth limit per pixel against the definition, pixel by pixel."""
    splats = random_splats(150, opaque=3.0)
    picture = rasterise(splats, camera, contributions=True)
    total, front, split = slow_twin(splats, camera, DEPTH_MARGIN)
    flip = 0.02  # a pixel whose depth lies within rounding of the margin
    np.testing.assert_allclose(contributions_of(picture).weight_sum, total, rtol=1e-3, atol=flip)
    np.testing.assert_allclose(front_weight(splats, camera, picture), front, rtol=1e-3, atol=flip)
    np.testing.assert_allclose(split_weight(splats, camera, picture), split, rtol=1e-3, atol=flip)
    assert front.any()
    assert split.any()


def wall_with_floater() -> Splats:
    """Three opaque sheets at depth 4 that fill the view, a faint floater before them at 1.5, and one splat behind."""
    means = [[0, 0, 4.0], [0, 0, 4.01], [0, 0, 4.02], [0, 0, 1.5], [0, 0, 6.0]]
    scales = [[9, 9, 0.01]] * 3 + [[0.2, 0.2, 0.2]] * 2
    return placed_splats(means, scales=scales, opacities=[0.98, 0.98, 0.98, 0.2, 0.9], colours=np.ones((5, 3)))


def test_a_floater_has_its_weight_in_front_and_a_wall_has_not() -> None:
    """The cue in its purest form."""
    found = view_statistics(wall_with_floater(), [straight()])
    assert found.front_share[-2] == pytest.approx(1.0)
    assert np.nanmax(found.front_share[:-2]) == 0
    assert found.split_share[-2] > 0.5
    assert found.hole_share[0] == 0
    assert found.mean_alpha[0] > 0.99
    np.testing.assert_array_equal(found.seen_by, [1, 1, 1, 1, 0])  # a faint one is seen; behind three sheets, nothing is


@pytest.mark.parametrize(("opacity", "holes"), [(0.51, 0), (0.49, 1)])
def test_a_hole_lets_more_than_half_of_the_background_through(opacity: float, holes: int) -> None:
    """One sheet that fills the view."""
    sheet = placed_splats([0, 0, 4.0], scales=[[99, 99, 0.01]], opacities=[opacity], colours=[1, 1, 1])
    found = view_statistics(sheet, [straight()])
    assert found.hole_share[0] == holes
    assert found.mean_alpha[0] == pytest.approx(opacity, abs=1e-3)


def test_what_no_camera_sees_has_no_share_and_no_view() -> None:
    """Nothing is known about it: NaN, never 0."""
    found = view_statistics(wall_with_floater(), [straight()])
    assert found.weight_sum[-1] <= SEEN_WEIGHT
    assert found.seen_by[-1] == 0
    away = view_statistics(placed_splats([0, 0, -2.0], scales=0.1, opacities=[0.9], colours=[1, 1, 1]), [straight()])
    assert np.isnan(away.front_share[0])
    assert np.isnan(away.split_share[0])
    assert away.hole_share[0] == 1


def test_statistics_add_up_over_cameras() -> None:
    """Sums and maxima over single pictures, in the order of the cameras; a beat before every rendering."""
    splats, cameras, beats = random_splats(200), [outside(), inside(), straight()], []
    found = view_statistics(splats, cameras, beat=lambda: beats.append(1))
    each = [contributions_of(rasterise(splats, camera, contributions=True)) for camera in cameras]
    np.testing.assert_allclose(found.weight_sum, np.sum([one.weight_sum for one in each], axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found.weight_max, np.max([one.weight_max for one in each], axis=0))
    np.testing.assert_array_equal(found.seen_by, np.sum([one.weight_sum > SEEN_WEIGHT for one in each], axis=0))
    assert found.camera_names == tuple(camera.name for camera in cameras)
    assert len(beats) == 9


def test_no_cameras_say_nothing() -> None:
    """A run without cameras still opens."""
    found = view_statistics(random_splats(3), [])
    assert found.camera_names == ()
    assert np.isnan(found.front_share).all()


@pytest.mark.parametrize(("size", "shown"), [
    ((1000, 500), (512, 256)), ((300, 200), (300, 200)), ((300, 512), (300, 512)), ((5, 4000), (1, 512)),
])
def test_large_views_are_capped(size: tuple[int, int], shown: tuple[int, int]) -> None:
    """The field of view stays; only pixels become fewer."""
    camera = straight(size)
    small = capped(camera, 512)
    assert small.size_px == shown
    assert small.fx / small.size_px[0] == pytest.approx(camera.fx / size[0])
    assert (small is camera) == (size == shown)


def test_brightness_ratio_is_that_of_the_means() -> None:
    """0.5 for a picture half as bright, no number for a black photo."""
    assert brightness_ratio(np.full((2, 2, 3), 0.2), np.full((2, 2, 3), 0.4)) == pytest.approx(0.5)
    assert brightness_ratio(np.full((2, 2, 3), 3.0), np.full((2, 2, 3), 0.4)) == pytest.approx(2.5)  # a screen shows 1 at most
    assert np.isnan(brightness_ratio(np.ones((2, 2, 3)), np.zeros((2, 2, 3))))


def test_a_picture_without_contributions_is_refused() -> None:
    """Zeros would read as "seen by nobody"."""
    with pytest.raises(ValueError, match="contributions=True"):
        contributions_of(rasterise(random_splats(3), straight()))

"""A camera that turns on the spot: the resampled picture lies where it should, and only an order that flips is a change."""

import numpy as np
import pytest

from diagnostics.measures.turning import change, resampled, turn, turned
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.arrays import F32
from runs.cameras import look_at
from tests.support.runs import changed, cloud

CAMERA = look_at(np.array([0.0, 0.0, -3.0]), np.zeros(3), size_px=(120, 90))


def test_turning_keeps_the_place_and_the_angle() -> None:
    other = turned(CAMERA, turn(10.0))
    np.testing.assert_allclose(other.centre, CAMERA.centre)
    assert np.degrees(np.arccos(other.forward @ CAMERA.forward)) == pytest.approx(10.0)


@pytest.mark.parametrize("degrees", [-8.0, 8.0])
def test_a_small_dot_is_found_where_it_was(degrees: float) -> None:
    """A sign or a half pixel wrong would make every run pop."""
    dot = prepare(changed(cloud(1, opacity=0.99), means=np.array([[0.3, -0.2, 0.0]]), log_scales=np.full((1, 3), np.log(0.05))))
    first, second = (rasterise(dot, camera).rgb for camera in (CAMERA, turned(CAMERA, turn(degrees))))
    seen, shown = resampled(second, CAMERA, turn(degrees))
    assert shown.mean() > 0.6
    np.testing.assert_allclose(_centre(seen), _centre(np.where(shown[..., None], first, 0)), atol=0.1)


def _centre(image: F32) -> np.ndarray:
    """Rows and columns, by brightness."""
    grey = image.sum(axis=2)
    return np.array([(grey * axis).sum() / grey.sum() for axis in np.indices(grey.shape)])


def test_the_same_picture_does_not_change() -> None:
    """Without a turn nothing is resampled away from its pixel."""
    image = np.random.default_rng(0).uniform(0, 1, (90, 120, 3)).astype(np.float32)
    found = change(image, image, CAMERA, turn(0.0))
    assert found is not None
    assert found.share == 0
    assert found.mean == pytest.approx(0, abs=1e-6)


def test_another_picture_does() -> None:
    image = np.full((90, 120, 3), 0.5, np.float32)
    found = change(image, 1.5 * image, CAMERA, turn(5.0))
    assert found is not None
    assert found.share == 1
    assert found.resampling == pytest.approx(0, abs=1e-6)


def test_views_without_a_common_pixel_tell_nothing() -> None:
    image = np.zeros((90, 120, 3), np.float32)
    assert change(image, image, CAMERA, turn(170.0)) is None

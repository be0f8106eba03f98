"""What is painted over the picture must lie where the rasteriser draws."""

import numpy as np

from app.widgets.viewport_overlays import MOST_DOTS, dots_of
from render.raster.cpu import rasterise
from render.splats import Splats, prepare
from runs.cameras import look_at
from runs.gaussians import Gaussians

CAMERA = look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(64, 48))


def specks(means: np.ndarray) -> Splats:
    """Tiny opaque white splats."""
    count = len(means)
    return prepare(Gaussians.from_arrays(
        means=means, log_scales=np.full((count, 3), -5.0), quats_wxyz=np.tile([1.0, 0, 0, 0], (count, 1)),
        logit_opacities=np.full(count, 5.0), sh0=np.ones((count, 3))))


def test_a_dot_lies_on_its_gaussian() -> None:
    """A dot beside the guilty Gaussian would accuse its neighbour."""
    splats = specks(np.array([[0.5, -0.3, 0.2], [-1.0, 0.5, 0.0]]))
    dots = dots_of(np.array([True, False]), splats, CAMERA, device_px=2.0)
    assert dots is not None
    assert dots.shape == (1, 2)
    alpha = rasterise(specks(splats.means[:1]), CAMERA).alpha
    row, column = np.unravel_index(int(alpha.argmax()), alpha.shape)
    np.testing.assert_allclose(dots[0] * 2, [column + 0.5, row + 0.5], atol=0.5)


def test_no_tint_paints_no_dot() -> None:
    """A clean picture stays clean."""
    splats = specks(np.zeros((3, 3)))
    assert dots_of(None, splats, CAMERA, 1.0) is None
    assert dots_of(np.zeros(3, bool), splats, CAMERA, 1.0) is None


def test_a_dot_behind_the_camera_is_nowhere() -> None:
    """The mirror image of a point behind the camera would lie inside the picture."""
    dots = dots_of(np.ones(1, bool), specks(np.array([[0.1, 0.1, -9.0]])), CAMERA, 1.0)
    assert dots is not None
    assert np.isnan(dots).all()


def test_a_large_tint_is_sampled_evenly() -> None:
    """A million dots would cover the picture and stall the painting."""
    count = 3 * MOST_DOTS + 1
    across = np.column_stack([np.linspace(-1, 1, count), np.zeros(count), np.zeros(count)])
    dots = dots_of(np.ones(count, bool), specks(across), CAMERA, 1.0)
    assert dots is not None
    assert len(dots) <= MOST_DOTS
    steps = np.abs(np.diff(dots[:, 0]))
    assert steps.max() < 1.1 * steps.min()

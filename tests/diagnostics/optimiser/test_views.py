"""A photo that does not fit its camera must be refused at once: kernels do not check bounds."""

import numpy as np
import pytest

from diagnostics.optimiser.views import TrainingData, View
from runs.points import PointCloud
from tests.diagnostics.optimiser.made_up import cameras

CLOUD = PointCloud(np.zeros((1, 3)), None, "made up")


def test_refuses_a_photo_or_mask_of_another_size() -> None:
    camera = cameras(1)[0]
    with pytest.raises(ValueError, match="the photo of view_000 has the shape"):
        View(camera, np.zeros((24, 20, 3), np.float32))
    with pytest.raises(ValueError, match="the mask of view_000 has the shape"):
        View(camera, np.zeros((20, 24, 3), np.float32), np.zeros((24, 20), np.float32))


def test_extent_is_of_the_training_cameras_only() -> None:
    """INRIA's radius: an outlying test camera must not change the learning rate."""
    black = np.zeros((20, 24, 3), np.float32)
    train = tuple(View(camera, black) for camera in cameras(6))
    centres = np.array([view.camera.centre for view in train])
    expected = 1.1 * np.linalg.norm(centres - centres.mean(axis=0), axis=1).max()
    assert TrainingData(train, (), CLOUD).extent == pytest.approx(expected)


def test_refuses_to_train_on_nothing() -> None:
    with pytest.raises(ValueError, match="no training view"):
        TrainingData((), (), CLOUD)

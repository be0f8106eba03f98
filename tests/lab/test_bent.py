"""Scenes of a lens that bends: photos and keypoints move by the same amount, and a lens of nothing changes nothing."""

import numpy as np
import pytest

from tests.lab.scenes import build
from tests.lab.scenes.bent import bent
from tests.lab.scenes.scene import Scene

K1 = 0.3


@pytest.fixture(scope="module")
def scene() -> Scene:
    return build("statue", 64, 0)


def test_a_lens_without_distortion_leaves_photos_and_keypoints(scene: Scene) -> None:
    """Every pixel asks where it lay, and it lay there."""
    same = bent(scene, 0.0)
    for before, after in zip(scene.views, same.views, strict=True):
        np.testing.assert_allclose(after.photo, before.photo, atol=1e-6)
    assert scene.tracks is not None
    assert same.tracks is not None
    np.testing.assert_allclose(same.tracks.xy_px, scene.tracks.xy_px)


def test_keypoints_still_show_the_colours_of_their_points(scene: Scene) -> None:
    """What a keypoint shows in the bent photo is what it showed before: both were bent alike."""
    curved = bent(scene, K1)
    assert scene.tracks is not None
    assert curved.tracks is not None
    moved, differences = [], []
    for index, name in enumerate(scene.tracks.image_names):
        rows = scene.tracks.image_index == index
        before = next((view for view in scene.views if view.name == name), None)
        after = next((view for view in curved.views if view.name == name), None)
        if before is None or after is None:
            continue
        old, new = scene.tracks.xy_px[rows], curved.tracks.xy_px[rows]
        inside = ((new > 0) & (new < before.camera.size_px)).all(axis=1)
        moved.extend(np.linalg.norm(new - old, axis=1)[inside])
        differences.extend(np.abs(_at(after.photo, new[inside]) - _at(before.photo, old[inside])).mean(axis=1))
    assert np.max(moved) > 1
    assert np.median(differences) < 0.03


def _at(photo: np.ndarray, xy_px: np.ndarray) -> np.ndarray:
    columns, rows = np.floor(xy_px).astype(int).T
    return np.asarray(photo[rows, columns])

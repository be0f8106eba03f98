"""Poses against the COLMAP model: wrong ones are measured, a moved world is not a wrong one."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.facts import registration
from diagnostics.registry import FACTS
from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel, find_model, read_model
from tests.diagnostics.fixtures.photographed import turned
from tests.support.data import shared_data


def model() -> ColmapModel:
    """The real capture: 50 photos, 10,660 points."""
    folder = find_model(shared_data("scenes", "fox"))
    assert folder is not None
    return read_model(folder)


def idle() -> None:
    """Nobody cancels."""


def test_a_models_own_poses_meet_its_keypoints() -> None:
    """COLMAP reports 0.6 px at this size; anything above would be a mistake in projection or pixel centres."""
    found = model()
    measured = registration.reprojection(found.cameras, found, True, idle)
    assert measured is not None
    assert max(measured.median_px.values()) < 1
    assert np.median(list(measured.median_px.values())) == pytest.approx(measured.model_px, rel=0.3)


def test_two_degrees_miss_by_pixels_and_only_there() -> None:
    """The finding names cameras: the wrong one must stand out and leave the others alone."""
    found = model()
    first, *rest = found.cameras
    cameras = (turned(first, 2.0, 0), *rest)
    measured, difference = registration.reprojection(cameras, found, True, idle), registration.pose_differences(cameras, found)
    assert measured is not None
    assert difference is not None
    assert measured.median_px[first.name] > 5
    assert max(measured.median_px[camera.name] for camera in rest) < 1
    assert difference.angle_deg[first.name] == pytest.approx(2, abs=0.05)
    assert max(difference.angle_deg[camera.name] for camera in rest) < 0.01


@pytest.mark.parametrize("carry", [
    lambda pose: _similar(pose, 0.1, np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), np.array([5.0, 0, 2])),
    lambda pose: _similar(pose, 7.0, np.diag([1.0, -1.0, -1.0]), np.zeros(3)),
])
def test_a_turned_scaled_world_is_not_a_wrong_pose(carry: Callable[[F64], F64]) -> None:
    """Trainers that normalise the scene move every camera alike: no pose is wrong for that."""
    found = model()
    cameras = tuple(replace(camera, world_from_camera=carry(camera.world_from_camera)) for camera in found.cameras)
    measured = registration.reprojection(cameras, found, True, idle)
    assert measured is not None
    assert max(measured.median_px.values()) < 1


def _similar(pose: F64, scale: float, rotation: F64, shift: F64) -> F64:
    carried = np.eye(4)
    carried[:3, :3], carried[:3, 3] = rotation @ pose[:3, :3], scale * rotation @ pose[:3, 3] + shift
    return carried


def test_names_may_lack_their_ending() -> None:
    """INRIA's older cameras.json stores names without extension; nothing would be compared and nothing found."""
    found = model()
    short = tuple(_renamed(camera) for camera in found.cameras)
    difference = registration.pose_differences(short, found)
    assert difference is not None
    assert len(difference.angle_deg) == len(found.cameras)


def _renamed(camera: Camera) -> Camera:
    return replace(camera, name=camera.name.rsplit(".", 1)[0])


def test_a_model_without_keypoints_says_what_is_missing() -> None:
    """Synthetic and converted models often have none: that is "not evaluable", never "zero error"."""
    folder = find_model(shared_data("scenes", "synth0"))
    assert folder is not None
    found = read_model(folder)
    assert registration.reprojection(found.cameras, found, True, idle) is None
    assert "keypoints" in FACTS["reprojection"].missing

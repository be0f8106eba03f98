"""A cloud that keypoints refute, on a real capture: which of both stands wrong is told."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.facts import frames, registration, resected
from diagnostics.facts.resected import Resected
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel
from runs.formats.cameras.colmap_types import PointTable
from tests.diagnostics.facts.test_registration import idle, model
from tests.diagnostics.fixtures.photographed import turned


def with_points(found: ColmapModel, scale: float, degrees: float, shift: float) -> ColmapModel:
    """The model with its points moved and its cameras left alone."""
    table = found.load_points()
    assert table is not None
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    moved: PointTable = replace(table, xyz=scale * table.xyz @ turn.T + shift)
    return replace(found, load_points=lambda: moved)


def judged(cameras: tuple[Camera, ...], found: ColmapModel) -> Resected | None:
    reprojection = registration.reprojection(cameras, found, True, idle)
    assert reprojection is not None
    return resected.resected(cameras, found, reprojection, idle)


@pytest.mark.parametrize(("scale", "degrees", "shift"), [(3.0, 0.0, 0.0), (1.0, 90.0, 0.0), (1.0, 0.0, 40.0)])
def test_a_cloud_that_was_moved_alone_is_told(scale: float, degrees: float, shift: float) -> None:
    """Cameras and keypoints agree where the points are, so nothing else can be at fault."""
    found = model()
    answer = judged(found.cameras, with_points(found, scale, degrees, shift))
    assert answer is not None
    assert answer.frame.differs()
    assert answer.frame.scale == pytest.approx(scale, rel=0.01)
    assert answer.frame.angle_deg == pytest.approx(degrees, abs=0.5)
    assert answer.agreed_px < 1 < answer.missed_px


def test_sound_and_wrong_cameras_are_none_of_it() -> None:
    """Where cameras disagree among themselves, no place of the cloud makes it good."""
    found = model()
    assert judged(found.cameras, found) is None
    assert judged(tuple(turned(camera, 2.0, i) for i, camera in enumerate(found.cameras)), found) is None


@pytest.mark.parametrize("zoom", [1.06, 1.2])
def test_a_longer_lens_is_no_larger_cloud(zoom: float) -> None:
    """Both move points away from the middle; only the lens leaves the cameras in disagreement, a small one in a small one."""
    found = model()
    longer = tuple(replace(camera, fx=zoom * camera.fx, fy=zoom * camera.fy) for camera in found.cameras)
    reprojection = registration.reprojection(longer, found, True, idle)
    assert reprojection is not None
    assert reprojection.is_lens
    assert reprojection.lens.zoom == pytest.approx(1 / zoom, rel=0.01)
    answer = resected.resected(longer, found, reprojection, idle)
    assert answer is None or not answer.frame.differs()


def test_a_cloud_far_from_the_origin_lies_where_it_should() -> None:
    """At survey coordinates a thousandth of a per cent in scale is metres in place."""
    offset = np.array([500_000.0, 4_649_776.0, 120.0])
    xyz = np.random.default_rng(0).normal(size=(500, 3)) + offset
    frame = frames.cloud_frame_between(xyz, xyz.astype(np.float32).astype(np.float64) * (1 + 1e-9), "input.ply")
    assert frame is None or not frame.differs()

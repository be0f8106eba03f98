"""Frames: cameras upside down and clouds of another size are told with what would repair them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.detectors.frames import different_frames
from diagnostics.detectors.poses import wrong_camera_poses
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.facts.cameras import Visibility
from diagnostics.facts.frames import CAMERA_AXES, CloudFrame, flipped
from diagnostics.facts.posed import PoseFit, Stranger
from diagnostics.facts.registration import PoseDifference
from diagnostics.verdict import Finding, NotEvaluable
from runs.arrays import U8
from runs.cameras import Camera
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.intrinsics import photos, points, seen_by
from tests.diagnostics.fixtures.photographed import cameras, turned
from tests.support.photos import DrawnPhoto
from tests.support.runs import ring_cameras

NAME = "cloud-and-cameras-in-different-frames"
RING = ring_cameras()
SEEN = Visibility(points().xyz, np.full(1500, 12), 12, "input.ply")


def with_axes(axes: tuple[float, float, float]) -> tuple[Camera, ...]:
    return tuple(replace(camera, world_from_camera=flipped(axes, camera.world_from_camera)) for camera in cameras())


@pytest.mark.parametrize("name", CAMERA_AXES)
def test_the_flip_of_camera_axes_is_named(name: str) -> None:
    """OpenGL cameras look the other way, upside down ones see everything: either way the convention must be told."""
    finding = found(NAME, seen_by(with_axes(CAMERA_AXES[name])))
    assert finding.facts["repair"] == name
    assert name in finding.says


def test_sound_cameras_are_left_alone() -> None:
    """Also where poses are merely imprecise."""
    assert verdict(NAME, seen_by(cameras())) is None
    assert verdict(NAME, seen_by(tuple(turned(camera, 3.0, i) for i, camera in enumerate(cameras())))) is None


@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_a_cloud_of_another_size_is_told_against_the_model(scale: float) -> None:
    """Where points lie in the pictures alone, a cloud three times as large looks like a wide random one."""
    finding = different_frames(points(), RING, SEEN, cloud_frame=CloudFrame(scale, 0.0, 0.0, "input.ply"))
    assert isinstance(finding, Finding)
    assert f"{scale:.3g} times as large" in finding.says
    assert finding.facts["repair"] == f"the start cloud × {1 / scale:.3g}"


@pytest.mark.parametrize("frame", [
    CloudFrame(1.0, 0.0, 0.0, "input.ply"), CloudFrame(1.02, 1.0, 0.05, "input.ply"), None,
])
def test_a_cloud_that_lies_where_the_model_has_it_is_sound(frame: CloudFrame | None) -> None:
    """Rounding, and start clouds that do not come from the model at all."""
    assert different_frames(points(), RING, SEEN, cloud_frame=frame) is None


def test_flips_are_told_without_any_photo() -> None:
    """The poses of the model alone tell them."""
    flips: Mapping[str, float] = {"": 180.0, **dict.fromkeys(CAMERA_AXES, 180.0), next(iter(CAMERA_AXES)): 0.01}
    finding = different_frames(points(), RING, SEEN, camera_flips=flips)
    assert isinstance(finding, Finding)
    assert "OpenGL" in finding.says
    assert different_frames(points(), RING, SEEN, camera_flips={**flips, "": 0.01}) is None


def test_poses_that_the_photos_refute_are_named() -> None:
    """The COLMAP model has others, and under those the photos show what they should."""
    fit = PoseFit(("view_003.png", "view_001.png"), 2, 0.08, 0.03, "sparse/0")
    finding = wrong_camera_poses(RING, pose_fit=fit)
    assert isinstance(finding, Finding)
    assert finding.cameras == fit.differing
    assert "0.080" in finding.says


@pytest.mark.parametrize("fit", [
    PoseFit((), 0, float("nan"), float("nan"), "sparse/0"), PoseFit(("view_003.png",), 1, 0.03, 0.029, "sparse/0"),
    PoseFit(("view_003.png",), 1, 0.03, 0.08, "sparse/0"),
])
def test_other_poses_that_fit_as_well_are_no_fault(fit: PoseFit) -> None:
    """A trainer may refine poses, and the data folder may hold a second reconstruction."""
    assert wrong_camera_poses(RING, pose_fit=fit) is None


def swapped(i: int, j: int) -> Run:
    """Two photos exchanged their names."""
    taken, names = dict(photos()), [camera.name for camera in cameras()]
    taken[names[i]], taken[names[j]] = taken[names[j]], taken[names[i]]
    return seen_by(cameras(), photos=taken)


def test_two_exchanged_photos_are_named() -> None:
    """Among dozens of sound ones no average shows them."""
    finding = found("wrong-camera-poses", swapped(2, 9))
    names = [camera.name for camera in cameras()]
    assert set(finding.cameras) == {names[2], names[9]}
    assert "other colours" in finding.says


def darkened(stored: U8, name: str, names: list[str]) -> U8:
    """Two photos of twelve at two fifths of their light, one of them reddish as well."""
    gain = {names[2]: (0.4, 0.4, 0.4), names[9]: (0.5, 0.35, 0.3)}.get(name, (1.0, 1.0, 1.0))
    return np.asarray(np.round(stored * np.array(gain)), np.uint8)


def test_photos_that_were_exposed_otherwise_are_no_strangers() -> None:
    """Their cameras stand where they should; the poses would be corrected in vain."""
    names = [camera.name for camera in cameras()]
    taken = {name: replace(photo, stored=darkened(photo.stored, name, names))
             for name, photo in photos().items() if isinstance(photo, DrawnPhoto)}
    run = seen_by(cameras(), photos=taken)
    facts = Evidence(run, whole_span(run)).gather(("strangeness",), ())
    assert not isinstance(facts, NotEvaluable)
    assert max(stranger.of_chance for stranger in facts["strangeness"]) < 0.5
    assert wrong_camera_poses(RING, pose_fit=PoseFit((), 0, 0.0, 0.0, ""), strangeness=facts["strangeness"]) is None


def test_a_capture_that_agrees_nowhere_has_no_strangers() -> None:
    """Where all photos disagree with the points, none of them is the odd one."""
    odd = tuple(Stranger(f"{i}.png", 3.0 if i < 2 else 1.0, 0.9) for i in range(12))
    answer = wrong_camera_poses(RING, pose_fit=PoseFit((), 0, 0.0, 0.0, ""), strangeness=odd)
    assert answer is None
    half = tuple(Stranger(f"{i}.png", 3.0 if i < 6 else 1.0, 0.9 if i < 6 else 0.1) for i in range(12))
    assert wrong_camera_poses(RING, pose_fit=PoseFit((), 0, 0.0, 0.0, ""), strangeness=half) is None


def test_pose_differences_alone_accuse_nobody() -> None:
    """Without photos or keypoints nobody knows which of two poses is right."""
    differ = PoseDifference({camera.name: 3.0 for camera in RING}, {camera.name: 0.1 for camera in RING}, "sparse/0")
    assert isinstance(wrong_camera_poses(RING, pose_differences=differ), NotEvaluable)

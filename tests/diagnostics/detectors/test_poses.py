"""Poses judged by shifts alone: asked only where nothing else shifts the renders."""

from diagnostics.detectors.poses import wrong_camera_poses
from diagnostics.facts.lens import Lens, Trial
from diagnostics.facts.pictures import View
from diagnostics.facts.registration import Reprojection
from diagnostics.measures.registration import Shift
from diagnostics.verdict import Finding, NotEvaluable
from tests.support.runs import ring_cameras

RING = ring_cameras()
SHIFTED = tuple(View(camera, 20.0, Shift(3.0, 0.0, 0.4)) for camera in RING)
IGNORED = Lens(RING, (Trial("view_000.png", 20.0, 25.0),), 2000)
HONOURED = Lens(RING, (Trial("view_000.png", 25.0, 20.0),), 2000)


def missing_by(error_px: float) -> Reprojection:
    """Every camera misses its keypoints by as much."""
    return Reprojection({camera.name: error_px for camera in RING}, 0.25, "sparse/0")


def test_shifts_of_an_ignored_principal_point_accuse_no_pose() -> None:
    """They have a cause already, and "train with COLMAP's poses" would be wrong advice: these are COLMAP's poses."""
    assert isinstance(wrong_camera_poses(RING, photographed=SHIFTED, lens=HONOURED), Finding)
    assert wrong_camera_poses(RING, missing_by(0.25), photographed=SHIFTED, lens=IGNORED) is None
    answer = wrong_camera_poses(RING, photographed=SHIFTED, lens=IGNORED)
    assert isinstance(answer, NotEvaluable)
    assert answer.missing == ("the COLMAP model's keypoints (--data)",)


def test_missed_keypoints_accuse_poses_through_any_lens() -> None:
    """Keypoints are compared with the true principal point: what is missed there is no matter of the lens."""
    found = wrong_camera_poses(RING, missing_by(11.0), photographed=SHIFTED, lens=IGNORED)
    assert isinstance(found, Finding)
    assert len(found.cameras) == len(RING)
    assert "beside the photos" not in found.says


def test_what_was_not_drawn_is_not_counted() -> None:
    """Sixteen views stand for hundreds of cameras: "12 of 300 stand wrong" would acquit those that nobody looked at."""
    found = wrong_camera_poses(ring_cameras(300), photographed=SHIFTED)
    assert isinstance(found, Finding)
    assert found.says.startswith("12 of 12 training views drawn stand wrong")

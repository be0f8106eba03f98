"""Poses judged by shifts alone: asked only where nothing else shifts the renders."""

import struct
from pathlib import Path

from diagnostics.detectors.poses import wrong_camera_poses
from diagnostics.facts.lens import Lens, Trial
from diagnostics.facts.pictures import View
from diagnostics.facts.registration import Reprojection
from diagnostics.measures.registration import Shift
from diagnostics.verdict import Finding, NotEvaluable
from runs.open_run import open_run
from tests.diagnostics.detectors.support import found, verdict
from tests.support.data import shared_data
from tests.support.retold import Folders
from tests.support.runs import ring_cameras

RING = ring_cameras()


def shifted(*directions: tuple[float, float]) -> tuple[View, ...]:
    """Views that lie beside their photos, in these directions by turns."""
    return tuple(View(camera, 20.0, Shift(*directions[i % len(directions)], 0.4)) for i, camera in enumerate(RING))


SHIFTED = shifted((3.0, 0.0), (-1.0, 2.5), (0.5, -3.0))
IGNORED = Lens(RING, (Trial("view_000.png", 20.0, 25.0),), 2000)
HONOURED = Lens(RING, (Trial("view_000.png", 25.0, 20.0),), 2000)


def missing_by(error_px: float, longest_px: float = 0.0) -> Reprojection:
    """Every camera misses its keypoints by as much; where the size of the pictures is not known, that proves nothing."""
    return Reprojection({camera.name: error_px for camera in RING}, 0.25, "sparse/0", longest_px=longest_px)


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


def test_one_and_the_same_shift_is_a_matter_of_the_lens() -> None:
    """Poses err each in their own way; to advise other poses for a wrong principal point would send the user astray."""
    answer = wrong_camera_poses(RING, missing_by(0.25), photographed=shifted((3.6, 1.2), (3.5, 1.3), (3.6, 1.3)))
    assert isinstance(answer, NotEvaluable)
    assert "principal point" in answer.missing[0]
    assert isinstance(wrong_camera_poses(RING, missing_by(0.25), photographed=SHIFTED), Finding)


def test_a_model_that_contradicts_itself_accuses_nobody() -> None:
    """Shifts say that something is wrong, and keypoints that it is in the model: poses or intrinsics, nobody knows."""
    astray = Reprojection(dict.fromkeys(missing_by(0).median_px, 3.8), 3.82, "sparse/0")
    answer = wrong_camera_poses(RING, astray, photographed=SHIFTED)
    assert isinstance(answer, NotEvaluable)
    assert "3.82 px" in answer.missing[0]


def test_a_real_capture_with_a_wrong_principal_point_has_right_poses(tmp_path: Path) -> None:
    """The training is sound; the model beside it was given a central principal point, 3.8 px from the true one."""
    told = Folders(shared_data("runs", "fox-a"), shared_data("scenes", "fox")).copied(tmp_path)
    file = told.data / "sparse" / "0" / "cameras.bin"
    stored = bytearray(file.read_bytes())
    count, _, kind, width, height = struct.unpack_from("<QiiQQ", stored)
    assert (count, kind) == (1, 1)  # one PINHOLE: fx, fy, cx, cy
    struct.pack_into("<dd", stored, struct.calcsize("<QiiQQdd"), width / 2, height / 2)
    file.write_bytes(stored)
    run = open_run(told.run, told.data)
    assert verdict("wrong-camera-poses", run) is None
    aside = found("intrinsics-do-not-fit-photos", run)
    assert "3.8 px beside their keypoints, all in one direction" in aside.says


def test_keypoints_that_are_met_prove_the_poses() -> None:
    """A loss or a regulariser that ruins the model also moves its renders; a tenth of a degree is 1.7 px at 1,000."""
    assert wrong_camera_poses(RING, missing_by(0.5, longest_px=1000), photographed=SHIFTED) is None
    assert isinstance(wrong_camera_poses(RING, missing_by(0.5, longest_px=60), photographed=SHIFTED), Finding)


def test_a_model_that_knows_of_its_errors_is_not_excused_by_them() -> None:
    """Poses 3.5 % of the picture's width off were recorded as such: no structure from motion keeps points that miss so far."""
    def admitted(error_px: float) -> Reprojection:
        return Reprojection(missing_by(error_px).median_px, error_px, "sparse/0", stored_px=error_px, longest_px=96)

    assert isinstance(wrong_camera_poses(RING, admitted(3.4)), Finding)
    assert wrong_camera_poses(RING, admitted(1.0)) is None


def test_what_was_not_drawn_is_not_counted() -> None:
    """Sixteen views stand for hundreds of cameras: "12 of 300 stand wrong" would acquit those that nobody looked at."""
    found = wrong_camera_poses(ring_cameras(300), photographed=SHIFTED)
    assert isinstance(found, Finding)
    assert found.says.startswith("12 of 12 training views drawn stand wrong")

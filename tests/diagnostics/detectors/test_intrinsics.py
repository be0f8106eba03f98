"""Intrinsics: a wrong lens is told from wrong poses, and a smaller copy of a photo is no other photo."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.detectors.intrinsics import intrinsics_do_not_fit
from diagnostics.detectors.poses import wrong_camera_poses
from diagnostics.diagnose import diagnose
from diagnostics.facts.colours import ColourTest, PhotoFit
from diagnostics.facts.registration import Reprojection
from diagnostics.facts.sizes import FocalRatios, Misfit, PhotoSizes, is_alike
from diagnostics.measures.lens_fit import LensFit
from diagnostics.verdict import Finding, NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.intrinsics import seen_by, with_focal
from tests.diagnostics.fixtures.photographed import cameras, turned
from tests.support.runs import ring_cameras

NAME = "intrinsics-do-not-fit-photos"
RING = ring_cameras()


def sizes(*misfits: Misfit, compared: int = 24) -> PhotoSizes:
    return PhotoSizes(compared, misfits, "COLMAP model")


def ratios(*values: float, unscaled: float = 1.0) -> FocalRatios:
    return FocalRatios(tuple(camera.name for camera in RING), np.resize(np.array(values), len(RING)), unscaled, "sparse/0")


def keypoints(as_it_is_px: float, refitted_px: float, lens: LensFit) -> Reprojection:
    """Every camera misses by as much."""
    before, after = (dict.fromkeys((camera.name for camera in RING), px) for px in (as_it_is_px, refitted_px))
    return Reprojection(before, as_it_is_px, "sparse/0", 0.3, lens, after)


def fit(found: float, focal: float, with_focal: float, with_axes: float = float("nan")) -> PhotoFit:
    return PhotoFit(ColourTest(found, 0.13, 1500, "input.ply"), focal, with_focal, "", with_axes)


def judged(**facts: object) -> Finding:
    answer = intrinsics_do_not_fit(RING, **facts)  # type: ignore[arg-type]
    assert isinstance(answer, Finding), answer
    return answer


@pytest.mark.parametrize("factor", [0.7, 0.9, 0.95, 1.05, 1.1, 1.3])
def test_the_focal_length_that_the_photos_ask_for_is_told(factor: float) -> None:
    """Geometry makes up for a wrong lens, so nothing else in the run shows it; and the user needs the number."""
    finding = found(NAME, seen_by(with_focal(factor)))
    assert float(finding.facts["factor"]) == pytest.approx(factor, rel=0.04)
    assert finding.severity == ("critical" if abs(np.log(factor)) > 0.2 else "major")


@pytest.mark.parametrize("factor", [0.99, 1.0, 1.01])
def test_a_lens_that_fits_is_left_alone(factor: float) -> None:
    """Calibrations scatter by some per mille."""
    assert verdict(NAME, seen_by(with_focal(factor))) is None


def poses_off(degrees: float) -> Run:
    return seen_by(tuple(turned(camera, degrees, i) for i, camera in enumerate(cameras())))


@pytest.mark.parametrize("degrees", [0.5, 1.5, 4.0])
def test_wrong_poses_are_no_wrong_lens(degrees: float) -> None:
    """No focal length repairs them, and to change it would be wrong advice."""
    assert verdict(NAME, poses_off(degrees)) is None


def test_a_wrong_lens_is_no_wrong_pose() -> None:
    """All points lie too far out, none aside."""
    wrong = keypoints(5.0, 0.2, LensFit(0.91, 0.0, 0.0))
    assert "1.1 times" in judged(reprojection=wrong).says
    assert wrong_camera_poses(RING, wrong) is None
    astray = keypoints(5.0, 4.8, LensFit(0.97, 0.1, 0.1))
    assert intrinsics_do_not_fit(RING, reprojection=astray) is None
    assert isinstance(wrong_camera_poses(RING, astray), Finding)


def test_a_principal_point_beside_the_true_one_is_told_with_its_direction() -> None:
    """The finding says which way to move it."""
    aside = judged(reprojection=keypoints(3.8, 0.2, LensFit(1.0, 3.6, -1.3)))
    assert "3.6 px farther right" in aside.says
    assert "1.3 px farther up" in aside.says
    assert wrong_camera_poses(RING, keypoints(3.8, 0.2, LensFit(1.0, 3.6, -1.3))) is None


def test_photos_overrule_the_model() -> None:
    """A trainer may calibrate better than the model did, and a data folder may hold an older model."""
    assert intrinsics_do_not_fit(RING, focal_ratios=ratios(1.1), photo_fit=fit(0.02, 1.0, 0.02)) is None
    assert intrinsics_do_not_fit(RING, focal_ratios=ratios(1.1), reprojection=keypoints(0.2, 0.2, LensFit(1, 0, 0))) is None
    assert judged(focal_ratios=ratios(1.1)).confidence < 0.8


def test_cameras_that_differ_are_named() -> None:
    """A capture may mix two cameras, one of them with another's calibration."""
    names = judged(focal_ratios=ratios(1.1, 1.1, 1.0)).cameras
    assert names == tuple(camera.name for i, camera in enumerate(RING) if i % 3 != 2)


def test_an_unscaled_focal_length_is_called_so() -> None:
    """Half the size and the same focal length in pixels: the usual mistake of a loader with a downscale factor."""
    assert "smaller" in judged(focal_ratios=ratios(2.0, unscaled=2.0)).cause
    assert judged(focal_ratios=ratios(1.5, unscaled=2.0)).cause == ""


def test_axes_that_repair_more_are_the_cause() -> None:
    """Upside down no focal length helps much; the one that helps a little must not be advised."""
    assert intrinsics_do_not_fit(RING, photo_fit=fit(0.12, 0.5, 0.06, with_axes=0.01)) is None


def test_swapped_photos_are_told_from_other_photos() -> None:
    """An orientation tag and a crop have different remedies."""
    swapped = judged(photo_sizes=sizes(Misfit("a.png", (480, 640), (640, 480))))
    assert "width and height swapped" in swapped.says
    assert "orientation tag" in swapped.cause
    other = judged(photo_sizes=sizes(Misfit("a.png", (500, 480), (640, 480))))
    assert "another shape" in other.says
    assert "cropped" in other.cause


@pytest.mark.parametrize(("count", "severity"), [(3, "major"), (20, "critical")])
def test_how_many_photos_decides_how_bad_it_is(count: int, severity: str) -> None:
    """A few portrait photos among landscape ones cost little."""
    misfits = tuple(Misfit(f"{i}.png", (480, 640), (640, 480)) for i in range(count))
    assert judged(photo_sizes=sizes(*misfits)).severity == severity


@pytest.mark.parametrize(("photo", "camera", "alike"), [
    ((1600, 1200), (400, 300), True), ((1237, 822), (309, 205), True), ((64, 48), (63, 48), True), ((133, 237), (66, 118), True),
    ((1200, 1600), (1600, 1200), False), ((1600, 1200), (1600, 1160), False), ((1000, 1000), (1000, 1000), True),
])
def test_a_smaller_copy_has_the_same_shape(photo: tuple[int, int], camera: tuple[int, int], alike: bool) -> None:
    """Halved pictures are rounded; 3 % are a crop."""
    assert is_alike(photo, camera) is alike


def test_a_stretched_photo_is_found_in_a_run() -> None:
    """From the header of the photo alone."""
    narrow = tuple(replace(camera, size_px=(96, 72), cy=36.0) for camera in cameras())
    finding = found(NAME, seen_by(narrow))
    assert "96 × 96 px, its camera 96 × 72 px" in finding.says
    assert len(finding.cameras) == 14


def test_with_nothing_to_compare_it_says_so() -> None:
    """Neither photos nor a model: "clear" would be a lie."""
    assert isinstance(intrinsics_do_not_fit(RING), NotEvaluable)


def test_the_finding_carries_the_factor_to_its_fix() -> None:
    """The reader must not have to divide."""
    reported = next(f for f in diagnose(seen_by(with_focal(1.25))).findings if f.pattern.code == "N-04")
    assert any(f"Multiply fx and fy by {reported.finding.facts['repair']}," in fix.do for fix in reported.fixes)
    assert float(reported.finding.facts["repair"]) == pytest.approx(0.8, rel=0.04)


def test_the_true_lens_fits() -> None:
    """The healthy twin of every run in this file."""
    assert verdict(NAME, seen_by(cameras())) is None

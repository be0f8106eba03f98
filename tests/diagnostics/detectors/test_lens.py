"""An ignored principal point: judged by what the photos say, graded by pixels, and repaired by a crop that can be done."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.detectors.lens import principal_point_ignored
from diagnostics.diagnose import diagnose
from diagnostics.facts.lens import Lens, Trial
from diagnostics.verdict import Finding
from diagnostics.wording import percent
from runs.cameras import Camera, look_at
from tests.diagnostics.fixtures.lens import drawn_around_the_centre


def camera(x_px: float, y_px: float = 0.0, size_px: tuple[int, int] = (1000, 500), name: str = "a.png") -> Camera:
    """A camera whose principal point lies that far right of and below the centre."""
    view = look_at(np.array([0.0, 0, -3]), np.zeros(3), size_px=size_px, name=name)
    return replace(view, cx=view.cx + x_px, cy=view.cy + y_px)


def lens(*cameras: Camera, gain_db: float = 4.0) -> Lens:
    return Lens(cameras, (Trial("a.png", 20.0, 20.0 + gain_db),) * 5, 7000)


def judged(found: Lens) -> Finding:
    answer = principal_point_ignored(found)
    assert isinstance(answer, Finding)
    return answer


def test_it_is_the_only_fault_of_a_run_that_has_no_other() -> None:
    """A root cause buried among its own symptoms sends the user after poses that are right."""
    assert [reported.pattern.code for reported in diagnose(drawn_around_the_centre()).findings] == ["N-03"]


def test_offset_and_gain_are_told() -> None:
    """The two numbers that a user can check with a calibration file and a renderer."""
    found = judged(lens(camera(15)))
    assert f"15.0 px ({percent(0.015)} of the picture)" in found.says
    assert "4.0 dB better around the centre" in found.says
    assert [row.value for row in found.evidence if row.unit == "dB"] == [4.0, 24.0, 20.0]


@pytest.mark.parametrize(("x_px", "y_px"), [(10, 0), (0, 5), (-9, -4)])
def test_small_offsets_are_left_alone(x_px: float, y_px: float) -> None:
    """Up to 1 % in either direction, calibrations of sound captures scatter."""
    assert principal_point_ignored(lens(camera(x_px, y_px))) is None


@pytest.mark.parametrize("gain_db", [-10.0, 0.0, 0.5])
def test_what_the_photos_do_not_confirm_is_not_said(gain_db: float) -> None:
    """An off-centre principal point is no fault: most trainers other than INRIA's honour it."""
    assert principal_point_ignored(lens(camera(30), gain_db=gain_db)) is None


def test_pixels_decide_how_bad_it_is() -> None:
    """2 % of a thumbnail is less than a pixel; of a photo it is twenty."""
    assert judged(lens(camera(1.5, size_px=(96, 96)))).severity == "minor"
    assert judged(lens(camera(20))).severity == "major"


@pytest.mark.parametrize(("x_px", "y_px", "crop"), [
    (15, 0, "30 px on the left"), (-15, 0, "30 px on the right"), (0, 7, "14 px on the top"),
    (12, -6.2, "24 px on the left and 12 px on the bottom"),
])
def test_the_crop_centres_the_principal_point(x_px: float, y_px: float, crop: str) -> None:
    """Cutting the wrong side would double the offset."""
    assert judged(lens(camera(x_px, y_px))).facts["crop"] == crop


def test_only_cameras_that_are_off_are_named() -> None:
    """A capture may mix two cameras, one of them cropped."""
    found = judged(lens(camera(12, name="cropped.png"), camera(1, name="whole.png"), camera(25, name="more.png")))
    assert found.cameras == ("more.png", "cropped.png")


def test_the_fix_names_a_camera_and_its_crop() -> None:
    """The reader must not have to compute what to cut."""
    reported = next(f for f in diagnose(drawn_around_the_centre()).findings if f.pattern.code == "N-03")
    assert any("6 px on the left and 4 px on the bottom" in fix.do for fix in reported.fixes)

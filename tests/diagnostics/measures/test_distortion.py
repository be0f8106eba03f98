"""The bend of lenses, against what is known without any formula of ours."""

import numpy as np
import pytest

from diagnostics.measures.distortion import BENDS, corner_shift_px
from tests.support.runs import ring_cameras

CAMERA = ring_cameras()[0]


@pytest.mark.parametrize("lens", ["SIMPLE_RADIAL", "RADIAL", "OPENCV", "FULL_OPENCV", "FOV"])
def test_a_lens_without_distortion_is_a_pinhole(lens: str) -> None:
    """All of these are polynomials, or fractions of them, that end at the pinhole."""
    assert corner_shift_px(lens, (0.0,) * 8, CAMERA) == 0


def test_a_fisheye_bends_without_any_parameter() -> None:
    """It maps the angle, not its tangent: f (tan a - a) at the corner."""
    radius = np.hypot(48, 48) / CAMERA.fx
    assert corner_shift_px("SIMPLE_RADIAL_FISHEYE", (0.0,), CAMERA) == pytest.approx(CAMERA.fx * (radius - np.arctan(radius)))


def test_the_larger_models_agree_with_the_smaller_where_they_are_the_same() -> None:
    """OPENCV without tangential part is RADIAL, FULL_OPENCV with two parameters is OPENCV."""
    points = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(BENDS["OPENCV"](points, (0.1, 0.02, 0, 0)), BENDS["RADIAL"](points, (0.1, 0.02)))
    np.testing.assert_allclose(
        BENDS["FULL_OPENCV"](points, (0.1, 0.02, 0.01, -0.02, 0, 0, 0, 0)), BENDS["OPENCV"](points, (0.1, 0.02, 0.01, -0.02)))


def test_what_is_not_known_is_not_invented() -> None:
    """A lens model without its formula here has no amount."""
    assert corner_shift_px("THIN_PRISM_FISHEYE", (0.1,) * 8, CAMERA) is None

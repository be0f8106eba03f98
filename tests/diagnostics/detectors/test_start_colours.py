"""Random starts are told only beside a reconstruction, and uniform colours whatever the colour."""

from typing import Any

import pytest

from diagnostics.detectors.start_colours import random_initialisation
from diagnostics.facts.colours import ColourTest
from diagnostics.facts.frames import CloudFrame
from diagnostics.verdict import Finding, NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.intrinsics import seen_by
from tests.diagnostics.fixtures.photographed import cameras
from tests.diagnostics.fixtures.start_colours import all_of, random_points
from tests.support.runs import ring_cameras

RING = ring_cameras()
RANDOM, TRUE = ColourTest(0.29, 0.29, 1500, "input.ply"), ColourTest(0.012, 0.13, 1500, "sparse/0/points3D")


def test_without_a_reconstruction_a_random_start_is_usual() -> None:
    """Synthetic data sets have no other: an alarm would be false on every one of them."""
    assert isinstance(verdict("random-initialisation", seen_by(cameras(), random_points())), NotEvaluable)


@pytest.mark.parametrize(("start", "model", "more"), [
    (TRUE, TRUE, {}), (RANDOM, RANDOM, {}), (RANDOM, TRUE, {"cloud_frame": CloudFrame(3.0, 0.0, 0.0, "input.ply")}),
])
def test_what_has_another_name_is_left_to_it(start: ColourTest, model: ColourTest, more: dict[str, Any]) -> None:
    """Sound starts, wrong cameras, and the model's own cloud in another frame."""
    assert random_initialisation(start, model, RING, **more) is None


def test_a_random_start_is_a_remark() -> None:
    """It costs one or two decibels: no fault that ruins a training."""
    assert isinstance(random_initialisation(RANDOM, TRUE, RING), Finding)


@pytest.mark.parametrize(("level", "told"), [(0, "black"), (128, "RGB 128, 128, 128"), (255, "RGB 255, 255, 255")])
def test_the_one_colour_is_told(level: int, told: str) -> None:
    """Black starts worst, and any other colour is lost information all the same."""
    assert told in found("uniform-initial-colours", all_of(level)).says

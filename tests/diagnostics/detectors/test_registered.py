"""Data sets: how far lenses bend and who has to care, how many photos were registered and which sub-model was used."""

from dataclasses import replace

import pytest

from diagnostics.verdict import NotEvaluable
from runs.run import Trainer
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.registered import (
    BENT,
    SPLATFACTO,
    a_third_registered,
    bent_photos,
    colmap_set,
    nearly_all_registered,
    of,
    straightened_photos,
    straightened_twice,
    transforms_beside,
)
from tests.support.training import healthy_run

LENS, FEW = "distortion-not-removed", "few-cameras-registered"


def test_the_shift_at_the_corner_is_that_of_the_lens_model() -> None:
    """By hand: 0.15 r² - 0.02 r⁴ of the corner's distance r from the centre, r = 0.659 for this field of view."""
    finding = found(LENS, bent_photos())
    focal = healthy_run().cameras[0].fx
    radius = (48**2 + 48**2) ** 0.5 / focal
    by_hand = (BENT[0] * radius**2 + BENT[1] * radius**4) * radius * focal
    assert finding.evidence[0].value == pytest.approx(by_hand)
    assert len(finding.cameras) == 12


@pytest.mark.parametrize(("k1", "severity"), [(0.02, None), (0.15, "major"), (0.6, "critical")])
def test_one_pixel_is_told_and_five_are_critical(k1: float, severity: str | None) -> None:
    """Below a pixel structure from motion itself is no better."""
    answer = verdict(LENS, of(colmap_set(radial=(k1, 0.0))))
    assert (answer is None) == (severity is None)
    if severity is not None:
        assert (found(LENS, of(colmap_set(radial=(k1, 0.0)))).severity or "major") == severity


def test_photos_that_were_straightened_are_sound_though_the_model_of_the_originals_lies_there() -> None:
    """COLMAP's undistorter changes the shape; the user named the folder of the originals."""
    assert verdict(LENS, straightened_photos()) is None


def test_trainers_that_straighten_are_right_to_be_given_bent_photos() -> None:
    """gsplat does it while it loads."""
    assert verdict(LENS, of(colmap_set(radial=BENT), Trainer("gsplat", 0.9, "made up"))) is None


def test_two_models_of_the_same_photos_that_contradict_each_other_are_told_with_doubt() -> None:
    """One of them is wrong; which, the files do not say."""
    finding = found(LENS, straightened_twice())
    assert "once too often" in finding.says
    assert finding.confidence < 0.7


def test_a_distortion_of_zero_contradicts_nothing() -> None:
    """nerfstudio writes k1 = 0 for straight photos."""
    assert verdict(LENS, of(transforms_beside(colmap_set(), 0.0), SPLATFACTO)) is None


def test_of_an_unknown_trainer_nobody_knows_what_it_does_about_lenses() -> None:
    """It must be said, not guessed."""
    assert isinstance(verdict(LENS, replace(bent_photos(), trainer=Trainer("brush", 0.9, "made up"))), NotEvaluable)


def test_lost_photos_are_counted_and_named() -> None:
    """24 of 36 have no pose."""
    finding = found(FEW, a_third_registered())
    assert "12 of 36" in finding.says
    assert finding.facts["lost"] == 24
    assert finding.severity == "major"
    assert finding.cameras[0] == "view_012.png"


@pytest.mark.parametrize(("photos", "fires", "severity"), [(15, False, None), (16, True, None), (25, True, "major")])
def test_the_shares_at_which_it_is_told(photos: int, fires: bool, severity: str | None) -> None:
    """12 of 15 is 0.8, and let pass; 12 of 16 is told, 12 of 25 is serious."""
    run = of(colmap_set(photos=photos))
    assert (verdict(FEW, run) is not None) == fires
    if fires:
        assert found(FEW, run).severity == severity


def test_a_larger_model_beside_the_used_one_is_named() -> None:
    """gaussian-splatting #964: the trainer reads sparse/0, and most photos are in sparse/1."""
    run = of(colmap_set(photos=13, sparse={"0": 4, "1": 12}))
    cameras = tuple(camera for camera in healthy_run().cameras if camera.name < "view_004.png")
    finding = found(FEW, healthy_run(cameras=cameras, data=run.data))
    assert "sparse/1 holds 12" in finding.says
    assert finding.facts["most"] == 12
    assert verdict(FEW, nearly_all_registered()) is None


def test_a_model_that_training_did_not_use_says_nothing_about_it() -> None:
    """The named folder may be of another scene."""
    cameras = tuple(replace(camera, name=f"other_{i}.png") for i, camera in enumerate(healthy_run().cameras))
    assert isinstance(verdict(FEW, healthy_run(cameras=cameras, data=a_third_registered().data)), NotEvaluable)

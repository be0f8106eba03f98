"""Backgrounds: what was laid behind the renders, decided by numbers; settings are only quoted."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.detectors.background import wrong_background
from diagnostics.diagnose import diagnose
from diagnostics.evidence import Evidence
from diagnostics.facts.backgrounds import BackgroundTrial, PhotoBackground
from diagnostics.verdict import Finding, NotEvaluable
from render.raster.compare import psnr_of_channels
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.settings import Setting, Settings
from tests.diagnostics.fixtures.photographed import against_photos, below_a_white_sky, cameras, joined, scene, trained_on_white
from tests.support.photos import photos_of
from tests.support.runs import changed, cloud
from tests.support.training import LAST, healthy_run

BLACK_PHOTOS = PhotoBackground("black", 0.43, 0.41, 0.01, False, 2000, np.arange(3), 100)
WHITE_PHOTOS = replace(BLACK_PHOTOS, colour="white", covered=0.999)
ON_WHITE = BackgroundTrial(150, {("black", ""): 14.0, ("white", ""): 8.52}, 8.524, True, "metrics.jsonl")
ON_BLACK = replace(ON_WHITE, logged_db=14.0)


def recorded(value: bool) -> Settings:
    return Settings({"white_background": Setting("white_background", value, "cfg_args")})


def test_the_number_decides_against_the_setting() -> None:
    """The recorded setting is what the user believes; the logged PSNR is what happened."""
    found = wrong_background(BLACK_PHOTOS, ON_WHITE, recorded(False))
    assert isinstance(found, Finding)
    assert "white_background=False" in found.says
    assert found.fixes[0].setting == ""  # the switch already stands right: turning it would do nothing
    assert (found.severity, found.confidence) == ("critical", 0.99)


def test_a_switch_that_stands_wrong_is_proposed() -> None:
    """Where black surrounds the scene nothing is there to be seen, so that white is wrong though it was meant."""
    found = wrong_background(BLACK_PHOTOS, ON_WHITE, recorded(True))
    assert isinstance(found, Finding)
    assert (found.fixes[0].setting, found.fixes[0].current, found.fixes[0].proposed) == ("white_background", True, False)
    assert found.severity == "major"  # no evidence contradicts what was asked for


def test_two_colours_that_give_the_same_figure_decide_nothing() -> None:
    """A late checkpoint of a fogged scene is opaque: 19.52 dB before either colour."""
    same = replace(ON_WHITE, psnr_db={("black", ""): 19.52, ("white", ""): 19.53}, logged_db=19.52)
    assert wrong_background(BLACK_PHOTOS, same) is None
    fogged = wrong_background(replace(BLACK_PHOTOS, covered=0.999), same, None, "black")
    assert isinstance(fogged, Finding)
    assert (fogged.severity, fogged.confidence) == ("major", 0.6)


def test_photos_without_a_flat_background_cannot_be_wrong_about_it() -> None:
    """A hand-held capture fills the picture; its few black pixels are shadows (a real one: 0.0 %)."""
    assert wrong_background(replace(BLACK_PHOTOS, share=0.001, covered=0.7), ON_WHITE) is None


def test_renders_that_match_the_photos_are_clear_on_either_colour() -> None:
    """White photos with a white background are as sound as black ones with black."""
    assert wrong_background(WHITE_PHOTOS, ON_WHITE) is None
    assert wrong_background(BLACK_PHOTOS, ON_BLACK) is None


def test_white_around_a_scene_may_be_a_sky() -> None:
    """A model that was told black, is black and paints a blown-out sky white is right; only a broken promise is a fault."""
    assert wrong_background(WHITE_PHOTOS, ON_BLACK, recorded(False)) is None
    assert wrong_background(WHITE_PHOTOS, ON_BLACK) is None
    assert wrong_background(WHITE_PHOTOS, None, recorded(False)) is None
    broken = wrong_background(WHITE_PHOTOS, ON_BLACK, recorded(True))
    assert isinstance(broken, Finding)
    assert broken.severity == "critical"


@pytest.mark.parametrize("logged", [True, False])
def test_a_sound_run_below_a_white_sky_raises_no_alarm(logged: bool) -> None:
    """The dome is opaque matter over everything that is white in the photos, and belongs there."""
    run = below_a_white_sky(logged=logged)
    behind = Evidence(run, (0, LAST)).get("photo_background")
    assert (behind.colour, behind.share > 0.3, behind.surrounding > 0.3, behind.covered > 0.6) == ("white", True, True, True)
    assert [found.pattern.code for found in diagnose(run).findings if found.pattern.code == "IF-05"] == []


@pytest.mark.parametrize("colour", ["black", "white"])
@pytest.mark.parametrize("trial", [None, "black", "white"])
def test_a_colour_that_does_not_surround_the_scene_is_matter(colour: str, trial: str | None) -> None:
    """Measured on a real capture: blown out by a factor of 1.6, 26 % of the pixels are white and none on the upper rim."""
    matter = replace(BLACK_PHOTOS, colour=colour, share=0.26, surrounding=0.0, covered=1.0)
    assert wrong_background(matter, {None: None, "black": ON_BLACK, "white": ON_WHITE}[trial]) is None


def test_only_black_that_is_covered_against_all_orders_is_found_without_a_log() -> None:
    """Without proof nothing is critical."""
    found = wrong_background(replace(BLACK_PHOTOS, covered=0.999), None, recorded(False), "black")
    assert isinstance(found, Finding)
    assert (found.severity, found.confidence) == ("major", 0.6)
    assert "surrounds the scene" in found.says


def test_scaled_pictures_prove_nothing_exactly() -> None:
    """Scaling moves PSNR by more than the tolerance; a match by luck would accuse the innocent."""
    assert wrong_background(BLACK_PHOTOS, replace(ON_WHITE, exact=False)) is None


def test_the_mean_over_channels_proves_as_much() -> None:
    """INRIA's own training report logs that one, up to 0.3 dB above the PSNR of the whole picture: twice the tolerance."""
    run = trained_on_white()
    held_out = [camera for camera in cameras() if camera.split == "test"]
    pictures = [rasterise(prepare(scene()), camera, background=(1.0, 1.0, 1.0)).rgb for camera in held_out]
    photos = [run.photos[camera.name].pixels() for camera in held_out]
    logged = {LAST: float(np.mean([psnr_of_channels(*pair) for pair in zip(pictures, photos, strict=True)]))}
    inria = against_photos(scene(), series={"test/psnr": logged})
    trial = Evidence(inria, (0, LAST)).get("background_trial")
    assert trial.psnr_db["white", ""] == pytest.approx(logged[LAST], abs=1e-3)
    whole = Evidence(run, (0, LAST)).get("background_trial")
    assert whole.psnr_db["white", ""] == pytest.approx(whole.logged_db, abs=1e-3)


def test_photos_with_alpha_are_tried_on_both_colours() -> None:
    """A matted photo has no colour of its own: what counts is that render and photo were laid over the same one."""
    photos = photos_of(scene(), cameras(), with_alpha=True)
    logged = trained_on_white().series["test/psnr"]
    run = healthy_run(checkpoints={LAST: scene()}, cameras=cameras(), photos=photos, series={"test/psnr": logged})
    trial = Evidence(run, (0, LAST)).get("background_trial")
    assert set(trial.psnr_db) == {(mine, theirs) for mine in ("black", "white") for theirs in ("black", "white")}
    assert trial.psnr_db["white", "white"] > 40
    assert abs(trial.psnr_db["white", "black"] - trial.logged_db) < 0.15
    found = wrong_background(Evidence(run, (0, LAST)).get("photo_background"), trial)
    assert isinstance(found, Finding)
    assert found.facts["photos"] == "black"
    assert (found.severity, found.confidence) == ("critical", 0.99)


def test_photos_with_an_idle_alpha_channel_are_opaque() -> None:
    """Many tools write RGBA throughout; what such a photo shows is what it shows, and the proof is the same."""
    sick = trained_on_white()
    opaque = {name: replace(photo, stored=np.dstack([photo.stored, np.full(photo.stored.shape[:2], 255, np.uint8)]))
              for name, photo in photos_of(scene(), cameras()).items()}
    run = replace(sick, sources=replace(sick.sources, photos=lambda: opaque))
    evidence = Evidence(run, (0, LAST))
    assert not evidence.get("photo_background").cut_out
    found = wrong_background(evidence.get("photo_background"), evidence.get("background_trial"), recorded(False))
    assert isinstance(found, Finding)
    assert (found.severity, found.confidence) == ("critical", 0.99)


def test_transparent_photos_say_themselves_what_is_empty() -> None:
    """Cut out, an object may touch every side of the picture."""
    cut_out = replace(BLACK_PHOTOS, surrounding=0.0, covered=0.999, cut_out=True)
    found = wrong_background(cut_out, None, None, "black")
    assert isinstance(found, Finding)
    assert "transparent" in found.says
    assert found.severity == "major"


def masking(white_background: bool = False) -> Settings:
    """Of INRIA's trainer since August 2024, which multiplies renders by the photos' alpha before its loss."""
    stored = {"white_background": white_background, "train_test_exp": False}
    return Settings({name: Setting(name, value, "cfg_args") for name, value in stored.items()})


CUT_OUT = replace(BLACK_PHOTOS, cut_out=True, surrounding=0.0)


def test_what_a_masked_loss_never_saw_accuses_no_background() -> None:
    """Behind the photos' alpha the model may hold anything: no colour of background would have kept it empty."""
    verdict = wrong_background(replace(CUT_OUT, covered=0.96), None, masking())
    assert isinstance(verdict, NotEvaluable)
    assert "leaves transparent pixels out of its loss" in verdict.missing[0]
    assert wrong_background(CUT_OUT, None, masking()) is None
    opaque = replace(BLACK_PHOTOS, covered=0.96)  # nothing masks these
    assert isinstance(wrong_background(opaque, None, masking(), "black"), Finding)


def test_with_a_masked_loss_another_background_spoils_only_the_logged_figure() -> None:
    """The usual run on cut-out photos with -w: the model is sound, and its evaluation compares white with black."""
    trial = replace(ON_WHITE, psnr_db={("black", "black"): 14.0, ("white", "black"): 8.52})
    harmless = wrong_background(CUT_OUT, trial, masking(white_background=True))
    assert isinstance(harmless, Finding)
    assert harmless.severity == "minor"
    assert "the model is not affected" in harmless.cause
    fogged = wrong_background(replace(CUT_OUT, covered=0.999), trial, masking(white_background=True))
    assert isinstance(fogged, Finding)
    assert (fogged.severity, fogged.cause) == ("critical", "")  # a mask would have left no reason to paint it


def test_what_paints_the_empty_part_is_pointed_at() -> None:
    """The finding tints the fog: a dark curtain behind the ball, which no photo shows, and not the ball."""
    curtain = changed(cloud(200, seed=3, spread=0.9, size=0.2, opacity=0.9), sh0=np.full((200, 3), -1.7))
    beside = curtain.means + np.array([0, -1.2, 0])  # above the ball, where the photos are black
    run = against_photos(joined(scene(), changed(curtain, means=beside)))
    found = Evidence(run, (0, LAST)).get("photo_background")
    assert found.colour == "black"
    assert found.covered > 0.1
    assert (found.painters >= scene().count).mean() > 0.9
    assert (found.painters >= scene().count).sum() > 60

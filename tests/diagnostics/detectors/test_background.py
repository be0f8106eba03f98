"""Backgrounds: what was laid behind the renders, decided by numbers; settings are only quoted."""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.background import wrong_background
from diagnostics.evidence import Evidence
from diagnostics.facts.backgrounds import BackgroundTrial, PhotoBackground
from diagnostics.verdict import Finding
from runs.settings import Setting, Settings
from tests.diagnostics.fixtures.photographed import against_photos, cameras, joined, scene, trained_on_white
from tests.support.photos import photos_of
from tests.support.runs import changed, cloud
from tests.support.training import LAST, healthy_run

BLACK_PHOTOS = PhotoBackground("black", 0.43, 0.01, False, 2000, np.arange(3), 100)
ON_WHITE = BackgroundTrial(150, {("black", ""): 14.0, ("white", ""): 8.52}, 8.524, 4, True, "metrics.jsonl")


def recorded(value: bool) -> Settings:
    return Settings({"white_background": Setting("white_background", value, "cfg_args")})


def test_the_number_decides_against_the_setting() -> None:
    """The recorded setting is what the user believes; the logged PSNR is what happened."""
    found = wrong_background(BLACK_PHOTOS, ON_WHITE, recorded(False))
    assert isinstance(found, Finding)
    assert "white_background=False" in found.says
    assert found.fixes[0].setting == ""  # the switch already stands right: turning it would do nothing
    assert found.confidence > 0.95


def test_a_switch_that_stands_wrong_is_proposed() -> None:
    """The usual case: one flag, from True to False."""
    found = wrong_background(BLACK_PHOTOS, ON_WHITE, recorded(True))
    assert isinstance(found, Finding)
    assert (found.fixes[0].setting, found.fixes[0].current, found.fixes[0].proposed) == ("white_background", True, False)


def test_two_colours_that_give_the_same_figure_decide_nothing() -> None:
    """A late checkpoint of a fogged scene is opaque: 19.52 dB before either colour."""
    same = replace(ON_WHITE, psnr_db={("black", ""): 19.52, ("white", ""): 19.53}, logged_db=19.52)
    assert wrong_background(BLACK_PHOTOS, same) is None
    fogged = wrong_background(replace(BLACK_PHOTOS, covered=0.999), same)
    assert isinstance(fogged, Finding)
    assert fogged.confidence < 0.7


def test_photos_without_a_flat_background_cannot_be_wrong_about_it() -> None:
    """A hand-held capture fills the picture; its few black pixels are shadows (a real one: 0.0 %)."""
    assert wrong_background(replace(BLACK_PHOTOS, share=0.001, covered=0.7), ON_WHITE) is None


def test_renders_that_match_the_photos_are_clear_on_either_colour() -> None:
    """White photos with a white background are as sound as black ones with black."""
    white = replace(BLACK_PHOTOS, colour="white")
    assert wrong_background(white, ON_WHITE) is None
    on_black = replace(ON_WHITE, logged_db=14.0)
    assert wrong_background(BLACK_PHOTOS, on_black) is None
    assert isinstance(wrong_background(white, on_black), Finding)


def test_scaled_pictures_prove_nothing_exactly() -> None:
    """Scaling moves PSNR by more than the tolerance; a match by luck would accuse the innocent."""
    assert wrong_background(BLACK_PHOTOS, replace(ON_WHITE, exact=False)) is None


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

"""The pose probe: it names cameras that stand wrong, tells them from a wrong lens, and leaves sound ones alone."""

import numpy as np
import pytest

from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Judged, Result
from diagnostics.probes.ask import ask
from diagnostics.probes.bench import Limits, Listener, Wish
from runs.run import Run
from tests.diagnostics.fixtures.photographed import cameras, scene
from tests.lab.corpus import plan_of
from tests.lab.opened import by_slug, opened
from tests.support.photos import photos_of
from tests.support.training import LAST, healthy_run

POSES, INTRINSICS, CENTRE = "wrong-camera-poses", "intrinsics-do-not-fit-photos", "principal-point-ignored"
HASTY, QUICK = Wish(steps=10), Wish(steps=200)  # the lens is not what is asked; it is


def judged(result: Result) -> dict[str, Judged]:
    return {each.pattern: each for each in result.answer.judged}


def test_cameras_that_were_registered_wrongly_are_named() -> None:
    """Four of five (the fifth photo is too far away to be found), nobody else, and how far they are off at least."""
    slug = "few-poses-off-at-0.2_shelf-0_mini"
    guilty = plan_of(by_slug()[slug]).guilty_cameras
    finding = judged(ask("pose", opened(slug), wish=HASTY))[POSES].finding
    assert finding is not None
    assert guilty is not None
    assert set(finding.cameras) <= set(guilty)
    assert len(finding.cameras) >= 4
    assert "at least" in finding.says
    assert finding.facts["wrong"] == len(finding.cameras)
    assert finding.severity == "major"  # 4 of 24


def test_its_picture_shows_the_worst_view_before_and_after() -> None:
    answer = ask("pose", opened("poses-slightly-off-at-1_studio-0_mini"), wish=HASTY).answer
    finding = answer.judged[0].finding
    assert finding is not None
    assert finding.severity == "critical"
    shot = answer.shots[0]
    assert shot.camera == finding.cameras[0]
    render, photo, better = shot.rgb[:, :64], shot.rgb[:, 68:132], shot.rgb[:, 136:]
    assert _apart(better, photo) < _apart(render, photo)


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.mean((one.astype(float) - other) ** 2))


def test_sound_cameras_are_left_alone_however_the_photos_were_exposed() -> None:
    for slug in ("usual-court-0_court-0_mini", "exposure-drifts-at-0.2_shelf-0_mini"):
        result = ask("pose", opened(slug), wish=HASTY)
        assert result.outcome == "clear", slug
        assert judged(result)[POSES].missing == ()


def test_focal_lengths_of_another_size_are_learned_and_no_pose_is_blamed() -> None:
    found = judged(ask("pose", opened("focal-length-of-another-size-at-2_shelf-0_mini"), wish=QUICK))
    finding = found[INTRINSICS].finding
    assert finding is not None
    assert float(finding.facts["repair"]) == pytest.approx(0.5, abs=0.03)
    assert found[POSES].finding is None
    assert "lens" in found[POSES].missing[0]
    assert found[CENTRE].finding is None


def test_a_principal_point_that_the_trainer_ignored_is_the_one_of_the_model() -> None:
    found = judged(ask("pose", opened("principal-point-ignored-at-0.03_shelf-0_mini"), wish=QUICK))
    finding = found[CENTRE].finding
    assert finding is not None
    assert "the trainer ignored" in finding.says
    assert float(finding.facts["offset_px"]) == pytest.approx(1.9, abs=0.1)
    assert found[INTRINSICS].finding is None
    assert found[POSES].finding is None


def test_without_photos_or_views_or_a_model_it_stays_open() -> None:
    photos = photos_of(scene(), cameras())
    few = healthy_run(checkpoints={LAST: scene()}, cameras=cameras()[:2], photos=photos)
    reasons = {"photos": healthy_run(photos={}), "at least 3": few, "learned": opened("photos-in-levels-at-1_court-0_mini")}
    for word, run in reasons.items():
        result = ask("pose", run, wish=HASTY)
        assert result.outcome == "open", word
        assert all(word in " ".join(each.missing) for each in result.answer.judged), word


def test_the_lens_stays_open_without_first_points() -> None:
    run = healthy_run(checkpoints={LAST: scene()}, cameras=cameras(), photos=photos_of(scene(), cameras()))
    found = judged(ask("pose", run, wish=HASTY))
    assert found[POSES].missing == ()
    assert found[INTRINSICS].missing


def test_it_stops_when_it_is_told_to_and_when_its_time_is_over() -> None:
    run: Run = opened("usual-court-0_court-0_mini")

    def no() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ask("pose", run, listener=Listener(wait=no))
    late = ask("pose", run, limits=Limits(seconds=0.5))
    assert late.outcome == "open"
    assert "more time" in late.answer.missing[0]

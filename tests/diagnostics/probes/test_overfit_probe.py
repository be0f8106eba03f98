"""The overfit probe: what keeps a view from being fitted, who is at odds with the others, and sound runs left alone."""

from functools import cache

import numpy as np
import pytest

from diagnostics.evidence import Cancelled
from diagnostics.optimiser.views import View
from diagnostics.probes.answer import Result, Shot
from diagnostics.probes.ask import ask, bench_at, probe_named
from diagnostics.probes.bench import Limits, Listener, Wish
from diagnostics.probes.json import from_json, to_json
from diagnostics.probes.overfit_findings import judged
from diagnostics.probes.overfit_measured import Alone, Bars, Measured
from diagnostics.probes.overfit_points import Whereabouts
from diagnostics.probes.overfit_settings import fit_settings
from diagnostics.probes.overfit_trials import Trials
from diagnostics.probes.questions.overfit import STEPS
from diagnostics.probes.registry import pages
from diagnostics.verdict import Finding
from runs.cameras import look_at
from tests.lab.opened import opened
from tests.support.training import healthy_run

CANNOT, CONTRADICT = pages()["overfit"].settles
SMALL = Wish(longest_px=40)  # a third of the pixels; the figures are those of larger pictures within 2 dB


@cache
def asked(slug: str) -> Result:
    return ask("overfit", opened(slug), wish=SMALL)


def finding(result: Result, pattern: str) -> Finding:
    found = next(each.finding for each in result.answer.judged if each.pattern == pattern)
    assert found is not None
    return found


@pytest.mark.parametrize("slug", ["usual-court-0_court-0_mini", "mcmc-studio_studio-2_mini"])
def test_a_sound_run_is_left_alone_and_nothing_is_claimed_about_its_data(slug: str) -> None:
    """A false alarm at the first probe that is asked would spoil all that follow."""
    result = asked(slug)
    assert result.outcome == "clear"
    assert "does not show that poses and photos are right" in result.answer.says
    assert [curve.name.split(":")[0] for curve in result.curves if "view:" not in curve.name][-1] == "10 views together"
    assert all(len(curve.values) >= 10 and curve.values[-1] > curve.values[0] + 3 for curve in result.curves)


def test_points_that_no_camera_sees_are_told_from_settings_and_data() -> None:
    """The first thing to try at a run that learns nothing; no save of it is looked at."""
    found = finding(asked("cameras-look-backwards-at-1_studio-0_mini"), CANNOT)
    assert "points placed in the picture" in found.says
    assert "behind the camera" in found.cause
    assert found.cameras
    assert all(row.value == 0 for row in found.evidence if "Gaussians in the picture" in row.what)
    still_open = asked("cameras-look-backwards-at-1_studio-0_mini").answer.judged[1]
    assert still_open.pattern == CONTRADICT
    assert still_open.missing


def test_rates_that_are_far_too_low_are_named_with_what_to_set() -> None:
    """Without the trial with the reference's settings it could as well be the data."""
    run = opened("all-rates-too-low-at-0.01_shelf-0_mini")
    settings = fit_settings(bench_at(run), False, STEPS)
    view = View(look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(8, 8), name="one"), np.zeros((8, 8, 3), np.float32))
    trials = Trials(view, flat=13.0, own=12.0, settings=31.0, background=12.0, start=12.5, both=34.0)
    alone = Alone("one", 12.0, 13.0, 90, Whereabouts(100, 90, 0, 0, 10))
    bars = Bars(**probe_named("overfit").limits, steps=STEPS)
    found = judged(Measured((alone,), settings, STEPS, trials), bars)[0].finding
    assert found is not None
    assert "With the reference's settings it reaches 31.0 dB" in found.says
    assert {fix.setting for fix in found.fixes} == {"position_lr_init", "opacity_lr", "scaling_lr", "feature_lr", "rotation_lr"}


def test_a_camera_with_another_photo_than_its_own_is_named() -> None:
    """It fits alone, like every camera; only beside the others it shows."""
    result = asked("photos-under-wrong-names-at-0.2_studio-0_mini")
    found = finding(result, CONTRADICT)
    assert found.cameras == ("train_013.png",)
    assert result.answer.judged[0].finding is None
    assert any(shot.camera == "train_013.png" and "together" in shot.title for shot in result.answer.shots)
    assert from_json(to_json(result)).answer.says == result.answer.says


def test_what_is_missing_is_told_by_name() -> None:
    """Each reason is something that the user can give."""
    reasons = {"photos": healthy_run(photos={}), "points": healthy_run(input_points=None, sfm_points=None)}
    for word, run in reasons.items():
        result = ask("overfit", run)
        assert result.outcome == "open", word
        assert all(word in " ".join(each.missing) for each in result.answer.judged), result.answer


def test_fewer_steps_than_the_bar_was_measured_at_decide_nothing() -> None:
    """A view that had no time to learn is not a broken start."""
    result = ask("overfit", opened("cameras-look-backwards-at-1_studio-0_mini"), wish=Wish(longest_px=40, steps=20))
    assert result.outcome == "open"
    assert "500 steps" in result.answer.missing[0]


def test_it_tells_its_work_shows_what_it_does_and_stops_at_once() -> None:
    """A probe that is paused or stopped must not finish its training first."""
    run, shots = opened("usual-court-0_court-0_mini"), list[Shot]()
    work = probe_named("overfit").workload(bench_at(run, wish=SMALL))
    assert (work.steps, work.gaussians, work.size_px) == (3_500, 2_000, (40, 40))
    beats = iter(range(200))

    def stop() -> None:
        if next(beats, None) is None:
            raise Cancelled

    with pytest.raises(Cancelled):
        ask("overfit", run, wish=SMALL, listener=Listener(shot=shots.append, wait=stop))
    assert not shots


def test_a_question_without_time_stays_open() -> None:
    """And says which limit to raise."""
    result = ask("overfit", opened("usual-court-0_court-0_mini"), limits=Limits(seconds=0.01))
    assert result.outcome == "open"
    assert "--seconds" in result.answer.missing[0]

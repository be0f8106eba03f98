"""The exposure probe: photos that each differ by a factor of their own are found, and nothing else passes for them."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Result
from diagnostics.probes.ask import ask, bench_at, probe_named
from diagnostics.probes.bench import Listener
from runs.run import Run
from tests.diagnostics.fixtures.disagreeing import exposed, exposure_held, four_blurred, half_learned, shown_by
from tests.diagnostics.fixtures.photographed import cameras, scene
from tests.lab.opened import opened
from tests.support.photos import photos_of
from tests.support.runs import cloud
from tests.support.training import LAST, healthy_run

MANY_HELD_OUT = tuple(replace(camera, split="test" if i % 3 == 0 else "train") for i, camera in enumerate(cameras()))


def found(run: Run) -> Result:
    return ask("exposure", run)


def test_exposure_that_varies_is_measured() -> None:
    """Against photos of a model that absorbed nothing: the spread is the one that was made."""
    answer = found(exposed(0.2)).answer
    finding = answer.judged[0].finding
    assert finding is not None
    assert finding.says.startswith("The exposure of the photos varies by at least")
    assert finding.evidence[0].value == pytest.approx(0.2, abs=0.09)  # robust, of twelve
    assert finding.severity == "major"
    assert finding.cameras
    assert answer.shots[0].camera == finding.cameras[0]


def test_a_tint_per_photo_is_called_white_balance() -> None:
    finding = found(exposed(0.2, per_channel=True)).answer.judged[0].finding
    assert finding is not None
    assert "white balance" in finding.says


def test_light_that_flickers_a_little_and_photos_out_of_focus_are_no_exposure() -> None:
    for run in (exposure_held(), four_blurred()):
        result = found(run)
        assert (result.outcome, result.answer.judged[0].missing) == ("clear", ())


def test_what_the_trainer_corrected_itself_is_corrected_first() -> None:
    """And the answer says so; else each correction that worked would be a finding."""
    gains = {name: float(np.exp(np.random.default_rng(i).normal(0, 0.2))) for i, name in enumerate(photos_of(scene(), cameras()))}
    learned = {name: np.hstack([np.eye(3) * gain, np.zeros((3, 1))]) for name, gain in gains.items()}
    drifts = shown_by(lambda stored, rng: stored * np.exp(rng.normal(0, 0.2)), exposures=learned)
    assert found(drifts).outcome == "clear"
    assert "exposure.json" in found(drifts).answer.says


def test_the_lab_s_drifting_exposure_is_found_through_what_training_absorbed() -> None:
    result = found(opened("exposure-drifts-at-0.2_shelf-0_mini"))
    assert result.outcome == "finding"
    gained = next(row.value for row in result.answer.rows if row.what == "held-out views: PSNR that it gains there, median")
    assert isinstance(gained, float)
    assert gained > 2  # dB in held-out photos, which training could not absorb
    assert {curve.name for curve in result.curves} == {
        "gain of photo over render, training views", "gain of photo over render, held-out views"}


def test_exposure_that_training_absorbed_shows_in_the_photos_that_it_never_saw() -> None:
    """Haze and view-dependent colours can explain every training photo; they cannot know those that were held out."""
    held_out = frozenset(camera.name for camera in MANY_HELD_OUT if camera.split == "test")
    run = shown_by(lambda stored, rng: stored * np.exp(rng.normal(0, 0.2)), held_out, cameras=MANY_HELD_OUT)
    finding = found(run).answer.judged[0].finding
    assert finding is not None
    assert "held-out views" in finding.says
    assert "Training absorbed it" in finding.says
    assert set(finding.cameras) <= held_out


def test_without_photos_or_views_or_a_model_it_stays_open() -> None:
    """Each reason names what would settle it."""
    stranger = healthy_run(checkpoints={LAST: cloud(900, seed=77)}, cameras=cameras(), photos=photos_of(scene(), cameras()))
    few = healthy_run(checkpoints={LAST: scene()}, cameras=cameras()[:4], photos=photos_of(scene(), cameras()))
    reasons = {"photos": healthy_run(photos={}), "six|6": few, "learned": stranger}
    for word, run in reasons.items():
        result = found(run)
        assert result.outcome == "open", word
        assert any(part in result.answer.missing[0] for part in word.split("|")), result.answer.missing
    assert found(half_learned(0.003)).outcome != "finding"  # half of the picture is another one


def test_it_can_be_stopped_and_tells_its_work() -> None:
    run = exposure_held()
    work = probe_named("exposure").workload(bench_at(run))
    assert (work.steps, work.draws) == (0, len(cameras()))

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ask("exposure", run, listener=Listener(wait=stop))

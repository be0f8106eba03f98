"""Exposure and blur: told by render against photo, so that neither dark motifs nor soft ones are taken for faults."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from diagnostics.detectors.photos import blurred_photos, exposure_varies
from diagnostics.evidence import Evidence
from diagnostics.facts.matched import Matches
from diagnostics.facts.redrawn import Redrawn
from diagnostics.verdict import Finding, NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.disagreeing import exposed, names_of, out_of_focus, shown_by
from tests.diagnostics.fixtures.photographed import poses_off, with_fog
from tests.support.training import LAST

EXPOSURE, BLUR = "exposure-varies", "blurred-photos"


def matches(run: Run) -> Matches:
    answer = Evidence(run, (0, LAST)).get("matches")
    assert isinstance(answer, Matches), answer
    return answer


@pytest.mark.parametrize("spread", [0.12, 0.2, 0.3])
def test_the_spread_of_exposures_is_measured(spread: float) -> None:
    """Its size decides whether to photograph again or to live with it."""
    finding = found(EXPOSURE, exposed(spread))
    measured = finding.evidence[0].value
    assert isinstance(measured, float)
    assert 0.5 * spread < measured < 1.6 * spread
    assert "exposure" in finding.says
    assert finding.severity == "major"


def test_white_balance_is_told_from_exposure() -> None:
    """Another switch of the camera is to be locked."""
    assert "white balance" in found(EXPOSURE, exposed(0.2, per_channel=True)).says


@pytest.mark.parametrize("spread", [0.0, 0.02, 0.03])
def test_small_differences_are_left_alone(spread: float) -> None:
    """Locked cameras hold exposure to some per cent."""
    assert verdict(EXPOSURE, exposed(spread)) is None


@pytest.mark.parametrize("run", [poses_off, with_fog])
def test_other_faults_are_no_exposure(run: object) -> None:
    """They change brightness as well, but no gain repairs them."""
    assert callable(run)
    assert verdict(EXPOSURE, run()) is None


def test_what_the_trainer_corrects_is_no_fault() -> None:
    """It learned a gain per photo: with it, renders fit, and an alarm would be a false one."""
    run = exposed(0.2)
    gains = {match.name: float(np.exp(np.log(match.gains).mean())) for match in matches(run).each}
    learned = {name: np.hstack([gain * np.eye(3), np.zeros((3, 1))]) for name, gain in gains.items()}
    corrected = replace(run, sources=replace(run.sources, exposures=lambda: learned))
    assert verdict(EXPOSURE, corrected) is None
    idle = {name: np.eye(3, 4) for name in gains}
    finding = found(EXPOSURE, replace(run, sources=replace(run.sources, exposures=lambda: idle)))
    assert "what is left still varies" in finding.cause


def test_what_the_loss_leaves_out_has_no_exposure() -> None:
    """The brightness of pixels that were never learned is nobody's."""
    partly = Redrawn(LAST, ("view_000.png",), 0.01, None, 0.02, 0.1, (0.1, 0.1, 0.1))
    assert exposure_varies(matches(exposed(0.2)), {}, partly) is None


def test_a_model_that_learned_nothing_says_nothing_about_photos() -> None:
    """Gains against an empty picture are noise."""
    measured = matches(exposed(0.2))
    worse = tuple(replace(match, differences=20 * match.differences + 1) for match in measured.each)
    assert exposure_varies(replace(measured, each=worse), {}) is None


@pytest.mark.parametrize(("count", "severity"), [(2, "minor"), (4, "major")])
def test_blurred_photos_are_named(count: int, severity: str) -> None:
    """The user takes out exactly these."""
    finding = found(BLUR, out_of_focus(count))
    assert set(finding.cameras) == names_of(count)
    assert finding.severity == severity


def test_soft_motifs_are_no_blurred_photos() -> None:
    """Where the model is as soft as the photo, the scene is."""
    measured = matches(out_of_focus(4))
    soft = tuple(replace(match, render_sharpness=match.render_sharpness * match.photo_sharpness) for match in measured.each)
    assert isinstance(blurred_photos(measured), Finding)
    assert blurred_photos(replace(measured, each=soft)) is None


def test_photos_that_are_all_alike_are_left_alone() -> None:
    """A soft lens blurs every photo by the same: nothing tells it from a soft scene."""
    everywhere = shown_by(lambda stored, _: gaussian_filter(stored.astype(float), (1, 1, 0)))
    assert verdict(BLUR, everywhere) is None


def test_too_few_photos_decide_nothing() -> None:
    """A quartile of three says little."""
    measured = matches(exposed(0.2))
    few = replace(measured, each=measured.each[:3])
    assert isinstance(exposure_varies(few, {}), NotEvaluable)
    assert isinstance(blurred_photos(few), NotEvaluable)

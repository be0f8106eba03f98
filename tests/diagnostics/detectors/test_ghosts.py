"""Ghosts: each camera has surfaces of its own, or something came and went between the photos."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.detectors.artifacts import ghosting
from diagnostics.detectors.poses import wrong_camera_poses
from diagnostics.evidence import Evidence
from diagnostics.facts.registration import Reprojection
from diagnostics.registry import DETECTORS
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from runs.arrays import U8
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.disagreeing import names_of, shown_by
from tests.diagnostics.fixtures.photographed import poses_off
from tests.support.training import LAST

NAME = "ghosting"


def passer(stored: U8, rng: np.random.Generator) -> U8:
    """A grey figure of a twelfth of the picture, anywhere in it."""
    changed = stored.copy()
    row, column = rng.integers(10, 50), rng.integers(5, 70)
    changed[row:row + 36, column:column + 21] = 150
    return changed


@pytest.mark.parametrize("visited", [6, 8])
def test_something_that_moves_is_told_and_its_photos_named(visited: int) -> None:
    """The user masks it, or takes these photos out."""
    finding = found(NAME, shown_by(passer, names_of(visited)))
    assert set(finding.cameras) == names_of(visited)
    assert "stood elsewhere" in finding.says
    assert "moved through the scene" in finding.cause


@pytest.mark.parametrize("visited", [1, 12])
def test_one_odd_photo_and_a_wrong_model_are_no_visitors(visited: int) -> None:
    """One photo does no harm; where every photo disagrees, the model is what is wrong."""
    assert verdict(NAME, shown_by(passer, names_of(visited))) is None


def judged_with(run: Run, reprojection: Reprojection | None) -> Verdict:
    detector = DETECTORS[NAME]
    facts = Evidence(run, (0, LAST)).gather(detector.needs, detector.optional)
    assert not isinstance(facts, NotEvaluable)
    return ghosting(**{**facts, "reprojection": reprojection})


def test_ghosts_beside_poses_that_keypoints_prove_are_a_remark() -> None:
    """Then the model itself is odd, and "check the poses" would send the user astray."""
    run = poses_off()
    met = Reprojection({camera.name: 0.2 for camera in run.cameras}, 0.2, "sparse/0", longest_px=96.0)
    answers = [judged_with(run, reprojection) for reprojection in (None, replace(met, longest_px=0.0), met)]
    assert [answer.severity for answer in answers if isinstance(answer, Finding)] == ["major", "major", "minor"]


def test_renders_that_no_shift_brings_near_the_photos_tell_of_no_ghosts() -> None:
    """A model that has hardly learned fits a little better after any shift; poses would be corrected in vain."""
    run = poses_off()
    facts = Evidence(run, (0, LAST)).gather(("matches", "photographed"), ())
    assert not isinstance(facts, NotEvaluable)
    hardly = tuple(replace(view, shift=replace(view.shift, explained=0.2)) for view in facts["photographed"])
    detector = DETECTORS[NAME]
    others = Evidence(run, (0, LAST)).gather(detector.needs, detector.optional)
    assert not isinstance(others, NotEvaluable)
    assert isinstance(ghosting(**{**others, "photographed": hardly}), NotEvaluable)
    assert isinstance(ghosting(**others), Finding)
    assert isinstance(wrong_camera_poses(run.cameras, photographed=hardly, matches=facts["matches"]), NotEvaluable)
    assert isinstance(wrong_camera_poses(run.cameras, photographed=facts["photographed"], matches=facts["matches"]), Finding)

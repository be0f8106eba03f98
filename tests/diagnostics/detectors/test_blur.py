"""Blur and holes: what is told, where nothing may be told, and which cause of a hole is named."""

import numpy as np
import pytest

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures import blur as runs
from tests.diagnostics.fixtures.photographed import cameras, poses_off
from tests.support.photos import photos_of
from tests.support.training import LAST, RESETS, healthy_run


def test_blur_points_at_the_large_gaussians() -> None:
    """The user must see which Gaussians were never split."""
    place = found("blur", runs.never_split()).gaussians
    assert place is not None
    assert place.of == runs.coarse().count
    assert 0.5 < place.fraction <= 1


def test_blurred_photos_are_no_blur() -> None:
    """N-33 comes first: a render as soft as its own photo lacks nothing that training could have given it."""
    assert verdict("blur", runs.smooth_by_nature()) is None


@pytest.mark.parametrize("name", ["blur", "holes"])
def test_a_model_of_something_else_has_neither(name: str) -> None:
    """Where nothing was learned there is another fault, and it must be named by its own name."""
    other = runs.photographed(runs.shaded(runs.fine(), detail=2.0), runs.fine())
    answer = verdict(name, other)
    assert answer is None or isinstance(answer, NotEvaluable)


@pytest.mark.parametrize("name", ["blur", "holes"])
@pytest.mark.parametrize("iteration", [700, RESETS[1] + 50])
def test_before_densification_has_ended_nothing_is_told(name: str, iteration: int) -> None:
    """Early renders are soft, and those after a reset are thin, by design."""
    sick = {"blur": (runs.coarse(), runs.fine()), "holes": (runs.without_band(), runs.fine())}[name]
    run = healthy_run(checkpoints={iteration: sick[0]}, cameras=cameras(), photos=photos_of(sick[1], cameras()))
    answer = verdict(name, run, (1, iteration))
    assert isinstance(answer, NotEvaluable)
    assert "after densification has ended" in answer.missing[0]


def test_renders_beside_their_photos_have_rims_and_no_holes() -> None:
    """Poses that are off leave empty rims; IF-04 names them."""
    assert not hasattr(verdict("holes", poses_off()), "says")


def test_a_hole_without_points_is_told_from_one_that_was_made() -> None:
    """Adding points does not help where points were; lowering the threshold does not help where none were."""
    assert "has points there" in found("holes", runs.band_is_empty(with_points=True)).cause
    assert "no points there" in found("holes", runs.band_is_empty(with_points=False)).cause


def test_holes_name_the_worst_views_first() -> None:
    finding = found("holes", runs.band_is_empty())
    assert 0 < len(finding.cameras) <= 8
    assert all(name in {camera.name for camera in cameras()} for name in finding.cameras)
    assert finding.iterations == (LAST, LAST)
    assert finding.evidence[0].value == pytest.approx(0.048, abs=0.01)


def test_three_views_tell_nothing() -> None:
    """Their median is moved by one odd photo."""
    few = cameras()[:3]
    run = healthy_run(checkpoints={LAST: runs.coarse()}, cameras=few, photos=photos_of(runs.fine(), few))
    assert isinstance(verdict("blur", run), NotEvaluable)


def test_nothing_is_told_of_non_finite_rows() -> None:
    """Rows that no renderer draws do not hide the others."""
    means = runs.coarse().means.copy()
    means[:3] = np.nan
    run = runs.photographed(runs.changed(runs.coarse(), means=means), runs.fine())
    place = found("blur", run).gaussians
    assert place is not None
    assert not set(place.rows.tolist()) & {0, 1, 2}

"""Facts from pictures: what is measured, what stays unknown, and what must not stop the rest."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diagnostics.facts  # noqa: F401  (registers them)
from diagnostics.evidence import Cancelled, Evidence
from diagnostics.facts.photos import evenly
from diagnostics.facts.pictures import MOST_VIEWS, Views
from diagnostics.verdict import NotEvaluable
from runs.photos import Photo
from runs.run import Run
from tests.diagnostics.fixtures.photographed import against_photos, cameras, scene, with_fog
from tests.support.runs import changed, ring_cameras
from tests.support.training import LAST, healthy_run


def get(run: Run, name: str) -> Any:
    return Evidence(run, (0, LAST)).get(name)


def test_a_model_equals_the_photos_that_were_taken_of_it() -> None:
    """8-bit photos of the model itself: everything that is not rounding would be a mistake of the measurement."""
    views: Views = get(against_photos(scene()), "views")
    assert len(views.each) == 12
    assert min(view.psnr or 0 for view in views.each) > 55
    assert all(view.shift is not None and view.shift.length_px < 0.02 for view in views.each)


def test_without_photos_the_geometry_is_still_measured() -> None:
    """The recorded source path rarely exists: weights need no photo, and what does need one says so."""
    run = healthy_run(checkpoints={LAST: scene()}, cameras=cameras())
    views: Views = get(run, "views")
    assert views.weight.sum() > 0
    assert all(view.psnr is None and view.shift is None for view in views.each)
    for name in ("photographed", "photo_spread", "ghost_score", "photo_background"):
        answer = get(run, name)
        assert isinstance(answer, NotEvaluable)
        assert "--data" in answer.missing[0]


@pytest.mark.parametrize("score", ["floater_score", "ghost_score"])
def test_scores_stand_beside_the_stored_rows_and_are_nan_where_hidden(score: str) -> None:
    """The viewport colours by row: one row's offset would tint the wrong Gaussians."""
    quats = scene().quats_wxyz.copy()
    quats[17] = 0
    values = get(against_photos(changed(scene(), quats_wxyz=quats)), score)
    assert values.shape == (scene().count,)
    assert values.dtype == np.float32
    assert np.isnan(values[17])
    known = values[np.isfinite(values)]
    assert len(known) > 0.3 * len(values)
    assert known.min() >= 0
    assert known.max() <= 1


def test_the_floater_score_points_at_the_fog() -> None:
    """A finding that tints healthy Gaussians sends the user the wrong way."""
    scores = get(with_fog(), "floater_score")
    ball, fog = scores[: scene().count], scores[scene().count:]
    assert (ball > 0.5).mean() < 0.005
    assert (fog > 0.5).mean() > 0.3


def test_one_unreadable_photo_is_noted_and_the_others_are_used() -> None:
    """One broken file in a capture of hundreds must not cost the diagnosis."""
    run = against_photos(scene())
    broken = cameras()[0].name
    photos = {**run.photos, broken: Photo(broken, Path("nowhere") / broken)}
    run = replace(run, sources=replace(run.sources, photos=lambda: photos))
    views: Views = get(run, "views")
    assert views.each[0].psnr is None
    assert sum(view.psnr is not None for view in views.each) == 11
    assert any(broken in note.file for note in run.notes)


def test_cancelling_stops_between_views() -> None:
    """Rendering a large run takes seconds; the user who cancels must not wait for all views."""
    beats = iter(range(100))
    with pytest.raises(Cancelled):
        Evidence(against_photos(scene()), (0, LAST), lambda: next(beats) > 20).get("views")
    assert next(beats) < 40


def test_views_are_chosen_evenly_and_keep_both_ends() -> None:
    """The first 16 cameras of a capture are one side of it."""
    ring = ring_cameras(100)
    chosen = evenly(ring, MOST_VIEWS)
    gaps = np.diff([ring.index(camera) for camera in chosen])
    assert len(chosen) == MOST_VIEWS
    assert (chosen[0], chosen[-1]) == (ring[0], ring[-1])
    assert set(gaps) <= {6, 7}
    assert evenly(ring[:3], MOST_VIEWS) == ring[:3]

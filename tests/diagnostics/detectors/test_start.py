"""The start: each fault is told by its size, and sound starts of any scale and colour stay clear."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.verdict import Finding, NotEvaluable
from runs.points import PointCloud
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.start import dc_from, log_of_zero, points_beside_the_view, scale_in_the_wrong_space
from tests.support.runs import changed, points_of, ring_cameras, started_from
from tests.support.training import LAST, healthy_run, moved, start

START_PATTERNS = ("sparse-sfm-points", "degenerate-initial-covariance", "initial-scale-too-large", "wrong-sh-initialisation")


@settings(max_examples=25)
@given(scale=st.floats(1e-3, 1e3), seed=st.integers(0, 1000), dark=st.floats(0, 0.5))
def test_a_sound_start_is_clear_in_any_unit_and_colour(scale: float, seed: int, dark: float) -> None:
    """Scenes are measured in metres, millimetres or nothing at all: no limit may depend on the unit."""
    rng = np.random.default_rng(seed)
    base = points_of(start())
    rgb = (255 * (dark + (1 - dark) * rng.random((len(base), 3)))).astype(np.uint8)
    points = PointCloud(base.xyz * scale, rgb, "input.ply")
    early = started_from(points)
    noise = changed(early, sh0=early.sh0 + rng.normal(0, 0.1, (len(points), 3)))
    near = tuple(ring_cameras(radius=3 * scale))
    # The near plane is 0.2 units in every trainer, so a tiny scene is rightly out of view (N-21).
    patterns = START_PATTERNS if scale > 0.3 else START_PATTERNS[1:]
    run = healthy_run(input_points=points, cameras=near, checkpoints={200: noise, LAST: moved()})
    assert [verdict(name, run) for name in patterns] == [None] * len(patterns)


def test_few_points_in_view_are_found_although_there_are_many() -> None:
    """600 points spread around the cameras are worth less than 400 on what they look at."""
    finding = found("sparse-sfm-points", points_beside_the_view())
    row = finding.evidence[0]
    assert isinstance(row.value, float)
    assert row.value < 300
    assert finding.facts["points"] == 600
    assert len(finding.cameras) == 5


def test_the_degenerate_rows_are_the_ones_that_were_spoilt() -> None:
    """The user clicks the finding and must see these three Gaussians and no other."""
    finding = found("degenerate-initial-covariance", log_of_zero())
    assert finding.gaussians is not None
    assert finding.gaussians.rows.tolist() == [3, 8, 20]


def test_a_scale_in_the_wrong_space_is_told_in_spacings_and_extents() -> None:
    """One world unit where neighbours are 0.15 apart."""
    finding = found("initial-scale-too-large", scale_in_the_wrong_space())
    overlap = finding.evidence[0].value
    assert isinstance(overlap, float)
    assert 5 < overlap < 10
    assert finding.gaussians is not None
    assert finding.gaussians.fraction > 0.99


def test_without_cameras_the_scale_is_still_judged_by_its_neighbours() -> None:
    """The extent is a second opinion; its number reads "not available" then."""
    finding = found("initial-scale-too-large", healthy_run(
        cameras=(), checkpoints={200: scale_in_the_wrong_space().checkpoints[0].gaussians, LAST: moved()}))
    assert finding.evidence[1].value is None


@pytest.mark.parametrize(("made", "formula"), [
    (lambda rgb: rgb * 0.28209479, "DC = colour · C0"), (lambda rgb: rgb, "DC = colour (raw RGB)"),
    (lambda rgb: (rgb - 0.5) / 0.28209479**2, "DC = (colour − 0.5)/C0, divided by C0 once more"),
    (lambda rgb: (255 * rgb - 0.5) / 0.28209479, "DC = (colour − 0.5)/C0 with colour in 0..255"),
])
def test_the_wrong_formula_is_named(made: object, formula: str) -> None:
    """The fix tells which slip it was."""
    assert callable(made)
    assert found("wrong-sh-initialisation", dc_from(made)()).facts["formula"] == formula


def test_grey_points_tell_nothing_about_the_formula() -> None:
    """A slope through one colour is noise."""
    grey = PointCloud(points_of(start()).xyz, np.full((400, 3), 128, np.uint8), "input.ply")
    assert isinstance(verdict("wrong-sh-initialisation", healthy_run(input_points=grey)), NotEvaluable)
    bare = PointCloud(grey.xyz, None, "input.ply")
    assert isinstance(verdict("wrong-sh-initialisation", healthy_run(input_points=bare)), NotEvaluable)


@pytest.mark.parametrize("name", START_PATTERNS[1:])
def test_a_late_first_save_does_not_show_the_start(name: str) -> None:
    """The reference saves first at 7,000: its scales and colours are no longer the initial ones."""
    answer = verdict(name, healthy_run(checkpoints={1400: moved(), LAST: moved()}))
    assert isinstance(answer, NotEvaluable)
    assert "before the first densification" in answer.missing[0]


@pytest.mark.parametrize("scale", [1e-7, 1e-6, 1e-5])
def test_a_cloud_without_extent_is_told_whatever_the_unit_of_its_scale(scale: float) -> None:
    """A constant far below the distance to neighbours leaves the renderer's own blur, and no gradient of the scales."""
    specks = changed(start(), log_scales=np.full((start().count, 3), np.log(scale)))
    finding = found("degenerate-initial-covariance", healthy_run(checkpoints={200: specks, LAST: moved()}))
    assert finding.gaussians is not None
    assert finding.gaussians.fraction == 1.0


def test_small_starts_are_sound() -> None:
    """MCMC begins with a tenth of the distance between points."""
    small = changed(start(), log_scales=start().log_scales + np.log(0.1))
    assert verdict("degenerate-initial-covariance", healthy_run(checkpoints={200: small, LAST: moved()})) is None


def first_saved(iteration: int, formula: float | None) -> Run:
    """500 Gaussians from 400 points: a fifth were cloned and wandered off; colours by `formula` · colour, or rightly."""
    rgb = points_of(start()).rgb
    assert rgb is not None
    dc = start().sh0 if formula is None else formula * rgb / 255
    rows = np.concatenate([np.arange(400), np.arange(100)])
    grown = changed(start(), sh0=0.85 * dc + 0.15 * start().sh0).take(rows)
    means = grown.means.copy()
    means[400:] += 0.5
    schedule = {"densify_from_iter": 20, "densification_interval": 20}
    return healthy_run(checkpoints={iteration: changed(grown, means=means), LAST: moved()}, settings=schedule,
                       series=dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned")))


@pytest.mark.parametrize(("iteration", "formula", "is_found"), [
    (200, 0.28209479, True), (500, 1.0, True), (500, None, False), (600, 1.0, False),
])
def test_a_first_save_after_densification_still_tells_its_colours(iteration: int, formula: float | None, is_found: bool) -> None:
    """Where the first clones have come, those near their points speak; much later nobody knows any more."""
    answer = verdict("wrong-sh-initialisation", first_saved(iteration, formula))
    assert isinstance(answer, Finding) is is_found

"""The start: each fault is told by its size, and sound starts of any scale and colour stay clear."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.verdict import NotEvaluable
from runs.points import PointCloud
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

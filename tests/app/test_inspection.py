"""The inspector's numbers are held against a population; a wrong percentile would send the user after the wrong Gaussian."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inspection import Population, history, inspect, neighbours, percentile
from diagnostics.evidence import Cancelled
from runs.errors import UnreadableFile
from runs.gaussians import Gaussians
from runs.quantities import QUANTITIES
from tests.support.runs import changed, cloud, made_run


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=50), st.integers(0, 49))
def test_percentile_is_the_share_below(values, index):
    """Equals count half, so that a constant column puts everyone in the middle and not at an end."""
    column = np.array(values)
    row = index % len(column)
    expected = 100 * sum(1.0 if v < column[row] else 0.5 if v == column[row] else 0.0 for v in column) / len(column)
    assert percentile(column, row) == pytest.approx(expected)


def test_percentile_of_a_broken_value_is_not_available():
    """NaN has no place in any order."""
    column = np.array([1.0, np.nan, 3.0])
    assert percentile(column, 1) is None
    assert percentile(column, 2) == pytest.approx(75)


def test_neighbours_are_the_nearest_others():
    """Brute force over all pairs says the same."""
    gaussians = cloud(200, seed=3)
    distance = np.linalg.norm(gaussians.means - gaussians.means[7], axis=1)
    expected = [int(i) for i in np.argsort(distance) if i != 7][:6]
    found = neighbours(gaussians, 7)
    assert [n.row for n in found] == expected
    assert found[0].distance == pytest.approx(distance[expected[0]])
    assert found[0].sigmas == pytest.approx(distance[expected[0]] / gaussians.scales[7].max(), rel=1e-5)


@pytest.mark.parametrize("count", [1, 3])
def test_few_gaussians_have_few_neighbours(count):
    """Nobody to list is an empty list, not an error."""
    assert len(neighbours(cloud(count), 0)) == count - 1


def test_every_quantity_but_the_slow_ones_is_shown():
    """What can be coloured can be read."""
    gaussians = cloud(50)
    found = inspect(Population(gaussians), 4, 100, made_run(checkpoints={100: gaussians}), lambda: None)
    shown = {fact.name: fact.meant for fact in found.quantities}
    for name, quantity in QUANTITIES.items():
        if name != "neighbour_distance":
            assert shown[quantity.title] == pytest.approx(float(quantity.compute(gaussians)[4]))


def test_a_broken_row_is_inspected_like_any_other():
    """Rows with NaN or a zero quaternion are exactly the ones that the user wants to read."""
    base = cloud(20)
    means, quats = base.means.copy(), base.quats_wxyz.copy()
    means[3, 0], quats[3] = np.nan, 0
    broken = changed(base, means=means, quats_wxyz=quats)
    found = inspect(Population(broken), 3, 100, made_run(checkpoints={100: broken}), lambda: None)
    by_name = {fact.name: fact for fact in found.parameters}
    assert by_name["Mean x"].percentile is None
    assert by_name["Quat w"].meant is None
    assert found.neighbours == ()


def test_history_goes_through_densification_as_well_as_past_it():
    """The same row number of another iteration is usually another Gaussian; followed are Gaussians, not numbers."""
    now = cloud(400, seed=5)
    later = changed(now, means=now.means + np.float32([0.003, 0.004, 0.0]))
    pruned = later.take(np.arange(400) != 2)
    found = history(made_run(checkpoints={600: now, 900: later, 1200: pruned}), 900, 9, lambda: None)
    assert [(m.iteration, m.row, m.relation) for m in found] == [(600, 9, "itself"), (900, 9, "inspected"), (1200, 8, "itself")]
    assert found[0].moved == pytest.approx(0.005, rel=1e-3)
    assert found[0].opacity == pytest.approx(float(now.opacities[9]))


def test_a_history_that_is_not_available_says_why():
    """The save under the eye may have been deleted by the trainer, or be unreadable by now."""
    run = made_run(checkpoints={100: cloud(50)})
    assert history(run, 200, 3, lambda: None) == "iteration 200 is no longer saved"

    def gone() -> Gaussians:
        raise UnreadableFile("this file is gone; open the run again", run.checkpoints[0].path)

    run = replace(run, checkpoints=(replace(run.checkpoints[0], read=gone),))
    assert history(run, 100, 3, lambda: None) == "this file is gone; open the run again"


def test_inspection_stops_when_it_is_no_longer_wanted():
    """While the mouse clicks on, old answers must not hold the lane."""
    def stop() -> None:
        raise Cancelled

    gaussians: Gaussians = cloud(10)
    run = made_run(checkpoints={100: gaussians, 200: gaussians})
    with pytest.raises(Cancelled):
        inspect(Population(gaussians), 0, 100, run, stop)
    with pytest.raises(Cancelled):
        history(run, 100, 0, stop)


@pytest.mark.parametrize(("holds", "noun"), [("anchors", "anchors"), ("points", "points")])
def test_of_anchors_and_points_only_the_place_is_told(holds, noun):
    """Their scale, opacity and colour are ours, so that they can be drawn: as numbers they would be invented."""
    gaussians = cloud(50)
    run = made_run(checkpoints={100: gaussians})
    run = replace(run, checkpoints=(replace(run.checkpoints[0], holds=holds),))
    found = inspect(Population(gaussians), 4, 100, run, lambda: None)
    assert [fact.name for fact in found.parameters] == ["Mean x", "Mean y", "Mean z"]
    assert (found.quantities, found.colour, found.holds) == ((), None, holds)
    assert [n.row for n in found.neighbours] == [n.row for n in neighbours(gaussians, 4)]
    assert {n.sigmas for n in found.neighbours} == {None}
    assert noun in history(run, 100, 4, lambda: None)


def test_at_a_moment_the_stored_values_stay_and_the_drawn_ones_stand_beside_them():
    """`Stored` must be what the file holds, whatever moment the picture shows."""
    gaussians = cloud(50)
    there = changed(gaussians, means=gaussians.means + np.float32([0, 0, 3]), log_scales=gaussians.log_scales + 1)
    found = inspect(Population(gaussians), 4, 100, made_run(checkpoints={100: gaussians}), lambda: None, there)
    assert {f.name: f.meant for f in found.parameters}["Mean z"] == pytest.approx(float(gaussians.means[4, 2]))
    at_moment = {f.name: f for f in found.at_moment}
    assert at_moment["Moved"].meant == pytest.approx(3)
    assert (at_moment["Mean z"].stored, at_moment["Mean z"].meant) == pytest.approx(
        (float(gaussians.means[4, 2]), float(gaussians.means[4, 2]) + 3), rel=1e-5)
    assert at_moment["Scale 1"].meant == pytest.approx(float(gaussians.scales[4, 0]) * np.e, rel=1e-5)

"""Generations: what densification did to sizes, places and opacities comes out as it was put in."""

import numpy as np
import pytest

from diagnostics.measures.generations import Generation, generation
from runs.gaussians import Gaussians
from tests.support.densified import densified, joined, with_opacities
from tests.support.runs import changed, cloud

CLONES, SPLITS = np.arange(0, 900, 10), np.arange(3, 900, 12)


def between(before: Gaussians, after: Gaussians, *, settled: bool = True) -> Generation:
    found = generation(before, after, first=400, last=400, densifications=1, resets=0, settled=settled, source="x", saved=False)
    assert found is not None
    return found


@pytest.mark.parametrize("shrink", [1.0, 1.05, 1.6, 3.0])
def test_right_after_a_split_the_factor_is_exact(shrink: float) -> None:
    """A training state beside the point cloud of its iteration is an exact witness."""
    before = cloud(900, seed=5)
    told = between(before, densified(before, clones=CLONES, splits=SPLITS, shrink=shrink))
    assert told.shrink == pytest.approx(-np.log(shrink), abs=1e-3)
    assert len(told.halves) >= 0.95 * 2 * len(SPLITS)
    assert told.offset == 0


def test_a_long_axis_that_is_left_as_it_was_is_no_shrinking() -> None:
    """Halves as long as their parent cover as much of the picture, however thin they are."""
    before = cloud(900, seed=5)
    after = densified(before, clones=CLONES[:0], splits=SPLITS)
    scales = after.log_scales.copy()
    scales[900 - len(SPLITS):, 0] += np.log(1.6)  # the first axis is the longest of every made-up Gaussian
    assert between(before, changed(after, log_scales=scales)).shrink == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("offset", [0.5, 1.0, 3.0])
def test_displaced_clones_are_measured_in_their_parents_size(offset: float) -> None:
    """The size of the scene must not matter."""
    for size in (0.01, 100.0):
        before = cloud(900, seed=5, spread=size)
        told = between(before, densified(before, clones=CLONES, splits=SPLITS, offset=offset))
        assert told.offset == pytest.approx(offset, rel=0.05)


def test_clones_of_twins_are_no_halves() -> None:
    """Gaussians without size stay exact doubles of their clones: whose child is whose cannot be told, and nothing was split."""
    single = changed(cloud(900, seed=5), log_scales=np.full((900, 3), -23, np.float32))
    before = joined(single, single.take(np.arange(40)))
    told = between(before, densified(before, clones=np.arange(0, before.count, 2), splits=CLONES[:0]))
    assert len(told.halves) == 0


def test_what_learning_did_to_everybody_is_no_shrinking() -> None:
    """Where all Gaussians grew by a fifth since, halves that shrank by 1.6 are 0.75 times as large as their parents were."""
    before = cloud(900, seed=5)
    after = densified(before, clones=CLONES, splits=SPLITS)
    swollen = changed(after, log_scales=after.log_scales + np.log(1.2))
    assert between(before, swollen, settled=False).shrink == pytest.approx(-np.log(1.6), abs=0.02)


def test_the_dead_and_the_faint_are_counted_where_they_stay_and_where_they_go() -> None:
    """Whether pruning works is told by who outlives it."""
    dying, faint = np.arange(1, 900, 30), np.arange(2, 900, 30)
    before = with_opacities(with_opacities(cloud(900, seed=5), dying, 0.002), faint, 0.05)
    normal = between(before, densified(before, clones=CLONES, splits=SPLITS))
    assert (normal.dead, len(normal.kept_dead)) == (30, 0)
    assert normal.faint >= 30
    assert normal.faint_gone == 0
    kept = between(before, densified(before, clones=CLONES, splits=SPLITS, cull=0.0))
    assert len(kept.kept_dead) >= 28
    greedy = between(before, densified(before, clones=CLONES, splits=SPLITS, cull=0.2))
    assert greedy.faint_gone == 1
    assert greedy.opaque_gone < 0.05


def test_a_sample_of_newborns_tells_the_same_sizes_and_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a million Gaussians some thousands are asked; size limits are left alone, because splits of large ones go unseen."""
    before = cloud(900, seed=5)
    after = densified(before, clones=CLONES, splits=SPLITS, offset=1.0)
    monkeypatch.setattr("runs.lineage.births.ASKED", 60)
    told = between(before, after)
    assert told.shrink == pytest.approx(-np.log(1.6), abs=1e-3)
    assert told.offset == pytest.approx(1.0, rel=0.05)
    assert 20 < len(told.halves) + len(told.clones) <= 60
    assert told.cuts == ()

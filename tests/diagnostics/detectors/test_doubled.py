"""Copies and seams: clones that have just been born are copies by design; floors and textures are no seams."""

import numpy as np

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures import doubled as runs
from tests.diagnostics.fixtures.photographed import joined
from tests.support.runs import changed
from tests.support.training import DENSIFICATIONS, LAST, healthy_run, moved


def copied_at(iteration: int) -> object:
    """The verdict on a save with a tenth of copies."""
    run = healthy_run(checkpoints={iteration: joined(moved(), moved().take(np.arange(runs.COPIES)))})
    return verdict("coincident-gaussians", run, (1, iteration))


def test_clones_just_born_are_copies_by_design() -> None:
    """INRIA clones in place; a save in the same iterations shows every clone beside its parent."""
    assert isinstance(copied_at(DENSIFICATIONS[-1] + 99), NotEvaluable)
    assert not isinstance(copied_at(DENSIFICATIONS[-1] + 100), NotEvaluable)


def test_whole_copies_are_told_from_places_that_coincide() -> None:
    """The first is a file written twice, the second positions that do not move."""
    copies = moved().take(np.arange(runs.COPIES))
    recoloured = healthy_run(checkpoints={LAST: joined(moved(), changed(copies, sh0=copies.sh0 + 0.1))})
    assert found("coincident-gaussians", runs.written_twice()).evidence[1].value == 1
    assert found("coincident-gaussians", recoloured).evidence[1].value == 0


def test_invisible_copies_do_not_count() -> None:
    """Dead Gaussians move no more, so their clones never separate; nobody sees them."""
    copies = moved().take(np.arange(runs.COPIES))
    faint = changed(copies, logit_opacities=np.full(runs.COPIES, -8.0))
    assert verdict("coincident-gaussians", healthy_run(checkpoints={LAST: joined(moved(), joined(faint, faint))})) is None


def test_a_seam_is_told_with_its_plane() -> None:
    finding = found("block-seams", runs.blocks_overlap())
    assert finding.facts["axis"] == "x"
    assert abs(float(finding.facts["at"]) - 0.2) < 0.03
    assert finding.gaussians is not None
    means = np.concatenate([runs.boxful().means, runs.boxful().means])[: 4000]
    rows = finding.gaussians.rows[finding.gaussians.rows < 4000]
    assert np.abs(means[rows, 0] - 0.2).max() < 0.04


def test_a_doubled_floor_bounds_the_cloud_and_is_no_seam() -> None:
    """A floor that lies along an axis is the densest plane of many sound captures, and nothing lies below it."""
    low = runs.boxful().means[:, 1] < np.quantile(runs.boxful().means[:, 1], 0.02)
    assert verdict("block-seams", runs.doubled_where(low)) is None


def test_few_gaussians_have_no_planes() -> None:
    assert isinstance(verdict("block-seams", healthy_run()), NotEvaluable)

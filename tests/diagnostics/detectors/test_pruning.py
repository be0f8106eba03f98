"""Pruning: what is removed and what is left, told by opacity and size of who went, and never by numbers alone."""

import numpy as np
import pytest

from diagnostics.verdict import NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.growth import collapses, pruned_on_purpose
from tests.diagnostics.fixtures.lineage import family
from tests.support.densified import densified, learned, with_opacities
from tests.support.runs import changed, cloud, made_run
from tests.support.training import DENSIFICATIONS, LAST, SETTINGS, healthy_run, start

FAINT_ROWS, LARGE_ROWS, SPLITS = np.arange(0, 900, 15), np.arange(7, 900, 30), np.arange(3, 900, 12)
EXTENT = 3.3  # of the healthy run's cameras, about


def pruned_by(*, cull: float = 0.005, largest: float = 0.1) -> Run:
    """Saved before and after a densification that removes what is fainter than `cull` or larger than `largest` extents."""
    scales = cloud(900, seed=11, size=0.02).log_scales.copy()
    scales[LARGE_ROWS, 0] = np.log(0.035 * EXTENT)
    before = with_opacities(changed(cloud(900, seed=11), log_scales=scales), FAINT_ROWS, 0.05)
    after = learned(densified(before, clones=SPLITS[:0], splits=SPLITS, cull=cull))
    after = after.take(after.scales.max(axis=1) < largest * EXTENT)
    return healthy_run(checkpoints={200: start(), 600: before, 700: after}, states={})


@pytest.mark.parametrize("cull", [0.0025, 0.005, 0.01, 0.02])
def test_a_threshold_near_the_usual_one_is_left_alone(cull: float) -> None:
    """Half, twice or four times the usual threshold is somebody's choice."""
    assert verdict("prunes-too-many", pruned_by(cull=cull)) is None


@pytest.mark.parametrize("cull", [0.1, 0.2, 0.3])
def test_a_threshold_that_takes_the_faint_is_found_with_its_edge(cull: float) -> None:
    """The count may look healthy: who goes tells the threshold."""
    finding = found("prunes-too-many", pruned_by(cull=cull))
    assert (finding.evidence[0].value, finding.iterations) == (1.0, (600, 700))
    edge = finding.evidence[2].value
    assert isinstance(edge, float)
    assert cull <= edge <= cull + 0.1


def test_a_size_limit_that_takes_the_large_is_found() -> None:
    """Floors and walls go at once, and what replaces them never comes."""
    assert verdict("prunes-too-many", pruned_by(largest=0.05)) is None
    finding = found("prunes-too-many", pruned_by(largest=0.01))
    assert "30 visible Gaussians" in finding.says
    assert finding.evidence[1].value == 0


def test_removal_with_harm_is_found_where_it_began() -> None:
    """The user is led to iteration 700, where the collapse starts, and to the best state before it."""
    finding = found("prunes-too-many", collapses())
    assert finding.iterations is not None
    assert 690 <= finding.iterations[0] <= 760
    assert float(finding.facts["best_db"]) - float(finding.facts["end_db"]) == pytest.approx(finding.evidence[1].value, abs=0.1)
    assert finding.facts["best_iteration"] <= 700
    assert finding.evidence[2].value == pytest.approx(5 / 220)
    assert finding.evidence[2].iteration == 1100


@pytest.mark.parametrize("run", [pruned_on_purpose, healthy_run])
def test_removal_without_harm_is_no_fault(run: object) -> None:
    """Pruning at the end of training is a method of its own."""
    assert callable(run)
    assert verdict("prunes-too-many", run()) is None


def test_forty_percent_in_one_densification_may_be_healthy() -> None:
    """A sound run of a real capture removed 7,352 of 18,136 right after a reset and grew again."""
    counts = {i: 18_136.0 if i <= 800 else min(19_370.0, 11_411 + 10 * (i - 800)) for i in range(1, LAST + 1)}
    assert verdict("prunes-too-many", healthy_run(series={"num_gaussians": counts})) is None


def test_invisible_ones_that_weigh_a_fifth_are_serious() -> None:
    """A few percent of ballast change nothing; a fifth does."""
    run = family(cull=0.0)
    last = run.checkpoints[-1].gaussians
    logits = last.logit_opacities.copy()
    logits[::4] = np.log(0.002 / 0.998)
    last.logit_opacities[:] = logits
    assert found("prunes-too-little", run).severity == "major"
    assert found("prunes-too-little", family(cull=0.0)).severity is None


def test_a_log_that_tells_no_removal_stands_in_for_the_saves() -> None:
    """Two saves at the ends of a run and a log are what many users have."""
    last = {2000: family(cull=0.0).checkpoints[-1].gaussians}
    idle = dict.fromkeys(DENSIFICATIONS, 0.0)
    finding = found("prunes-too-little", healthy_run(checkpoints=last, series={"densify/pruned": idle}, states={}))
    assert "10 densifications removed nobody" in finding.says
    assert verdict("prunes-too-little", healthy_run(checkpoints=last, states={})) is None


def test_a_densification_that_only_a_default_plans_prunes_nobody() -> None:
    """Ended early on the command line, which this trainer does not store: the dead stay because nothing happens any more."""
    dying = with_opacities(cloud(900, seed=11), np.arange(40), 0.002)
    run = made_run(defaults=dict(SETTINGS), checkpoints={600: dying, 700: learned(dying, 1), 800: learned(dying, 2)})
    assert isinstance(verdict("prunes-too-little", run), NotEvaluable)

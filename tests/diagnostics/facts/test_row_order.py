"""Rows of two saves are compared only where they are the same Gaussians: a sorted file would tell of faults that are none."""

from dataclasses import replace

import pytest

import diagnostics.detectors  # noqa: F401  (registers every fact)
from diagnostics.evidence import Evidence
from diagnostics.verdict import NotEvaluable
from runs.run import Run, Sources
from tests.diagnostics.detectors.support import verdict
from tests.diagnostics.fixtures.budget import nobody_is_moved
from tests.diagnostics.fixtures.lineage import family
from tests.support.training import LAST, healthy_run, moved


def in_no_order(run: Run, **also: object) -> Run:
    """The same saves, in a format that sorts or quantises, or joined from the parts of several processes."""
    return replace(run, checkpoints=tuple(replace(c, keeps_rows=False, **also) for c in run.checkpoints))  # type: ignore[arg-type]


def standing_still() -> Run:
    """Two saves with the same values, as quantisation writes what moved by less than a step."""
    return healthy_run(checkpoints={1500: moved(), LAST: moved()}, states={})


def without_norms(run: Run) -> Sources:
    kept = {name: series for name, series in run.series.items() if not name.startswith("grad_norm/")}
    return replace(run.sources, series=lambda: kept)


@pytest.mark.parametrize("also", [{}, {"shards": (2, 2)}])
@pytest.mark.parametrize("fact", ["steady_pair", "late_motion", "pace"])
def test_a_pair_in_no_order_is_not_compared(fact: str, also: dict[str, object]) -> None:
    """Motion between two files of different order is the size of the scene, and would read as a rate that is too high."""
    run = healthy_run(checkpoints={1500: moved(), LAST: moved()})
    assert not isinstance(Evidence(run, (1, LAST)).get(fact), NotEvaluable)
    answer = Evidence(in_no_order(run, **also), (1, LAST)).get(fact)
    assert isinstance(answer, NotEvaluable)
    assert "keeps the order of rows" in str(answer)


def test_the_last_pair_that_keeps_its_order_is_taken() -> None:
    """One export in another format beside the trainer's own saves hides nothing."""
    run = healthy_run(checkpoints={1200: moved(), 1500: moved(), LAST: moved()})
    checkpoints = tuple(replace(c, keeps_rows=c.iteration != LAST) for c in run.checkpoints)
    earlier, later = Evidence(replace(run, checkpoints=checkpoints), (1, LAST)).get("steady_pair")
    assert (earlier.iteration, later.iteration) == (1200, 1500)


def test_equal_quantised_values_are_no_frozen_group() -> None:
    """A code that stays the same says nothing about a gradient."""
    still = standing_still()
    run = replace(still, sources=without_norms(still))
    assert {silence.group for silence in Evidence(run, (1, LAST)).get("silences")} >= {"xyz", "opacity"}
    quantised = Evidence(in_no_order(run), (1, LAST)).get("silences")
    assert isinstance(quantised, NotEvaluable) or not quantised


def test_heredity_is_not_told_from_sorted_files() -> None:
    """Newborns come last only where the order was kept; a sorted file has them anywhere."""
    faulty = family(shrink=1.0)
    assert verdict("split-keeps-parent-size", faulty) is not None
    saves_alone = replace(in_no_order(faulty), state_files=())
    assert isinstance(verdict("split-keeps-parent-size", saves_alone), NotEvaluable)
    assert isinstance(Evidence(saves_alone, (1, LAST)).get("generations"), NotEvaluable)


def test_relocation_is_not_judged_by_rows_in_no_order() -> None:
    """Who died here and who was moved there are other Gaussians in a sorted file."""
    run = nobody_is_moved()
    assert not isinstance(Evidence(run, (1, LAST)).get("refinements"), NotEvaluable)
    assert isinstance(Evidence(in_no_order(run), (1, LAST)).get("refinements"), NotEvaluable)
    assert verdict("dead-mass-at-cap", in_no_order(run)) is None

"""Facts about the run's trainer: what it does by itself, and what it does on purpose."""

from diagnostics.facts.habits import full_size_from
from diagnostics.practice.practice import ByDesign, Practice
from diagnostics.practice.tables import practice_of
from diagnostics.registry import fact
from runs.run import Run


@fact(missing="what this trainer does by default (no table describes it)")
def practice(run: Run) -> Practice | None:
    return practice_of(run, full_size_from(run))


@fact(missing="what this trainer does on purpose (no table describes it)")
def by_design(practice: Practice) -> tuple[ByDesign, ...]:
    """By the order of its table; may be empty."""
    return practice.by_design

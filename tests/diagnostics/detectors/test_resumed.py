"""A resume with other settings is told by its progress bar, and only by one that goes on counting."""

from diagnostics.detectors.resumed import plan_changed
from diagnostics.facts.resumed import Replan


def replan(old: int, new: int) -> tuple[Replan, ...]:
    return (Replan(20_000, 20_010, old, new, "train.log"),)


def test_both_plans_and_the_place_are_named() -> None:
    """What the user needs to start it again as it began."""
    finding = plan_changed(replan(50_000, 30_000))
    assert finding is not None
    assert {"50,000", "30,000", "20,010"} <= set(finding.says.split())
    assert finding.iterations == (20_000, 20_010)
    assert finding.facts["old"] == 50_000


def test_a_bar_that_counts_one_more_is_no_other_plan() -> None:
    """Some trainers' bars end one iteration later after a resume."""
    assert plan_changed(replan(30_000, 30_001)) is None
    assert plan_changed(replan(30_000, 30_300)) is None
    assert plan_changed(replan(30_000, 30_301)) is not None


def test_no_change_is_clear() -> None:
    assert plan_changed(()) is None

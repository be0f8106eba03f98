"""The halves: a figure on runs that limits were tuned on would be worth nothing."""

import pytest

from tests.lab.case import HALVES, SIZES, Half, Size
from tests.lab.corpus import cases
from tests.lab.faults import FAULTS
from tests.lab.split import SCENES_OF, half_of, scenes_of, strengths_of


@pytest.mark.parametrize("size", SIZES)
def test_no_scene_is_in_both_halves(size: Size) -> None:
    """Not by the table, and not by what the suite really runs."""
    assert not set(SCENES_OF["tuning"]) & set(SCENES_OF["test"])
    by_half = {half: {case.scene for case in cases(size, half)} for half in HALVES}
    assert not by_half["tuning"] & by_half["test"]
    assert all(half_of(scene) == half for half, scenes in by_half.items() for scene in scenes)


@pytest.mark.parametrize("size", SIZES)
def test_no_strength_of_a_graded_fault_is_in_both_halves(size: Size) -> None:
    """A limit that fits 5 cm of pose noise must prove itself on another amount."""
    for fault in FAULTS.values():
        used = {half: {case.strength for case in cases(size, half) if case.name == fault.name} for half in HALVES}
        assert used["tuning"]
        assert used["test"]
        if len(fault.strengths) > 1:
            assert not used["tuning"] & used["test"]


@pytest.mark.parametrize("half", HALVES)
def test_strengths_alternate(half: Half) -> None:
    """First, third, … against second, fourth, …; a single strength is in both."""
    assert strengths_of((1.0, 2.0, 3.0, 4.0), half) == ((1.0, 3.0) if half == "tuning" else (2.0, 4.0))
    assert strengths_of((1.0,), half) == (1.0,)


def test_a_fault_that_no_scene_of_a_half_can_show_is_refused() -> None:
    """Else it would be silently missing from that half's figures."""
    with pytest.raises(ValueError, match="no scene of the test half"):
        scenes_of("test", frozenset(("studio",)))
    with pytest.raises(KeyError, match="moon"):
        half_of("moon")


@pytest.mark.parametrize("size", SIZES)
def test_every_fault_and_enough_healthy_runs_are_in_the_suite(size: Size) -> None:
    """The issue asks for at least 45 faults and 30 healthy controls; each case is there once."""
    chosen = cases(size)
    assert len(set(chosen)) == len(chosen)
    assert len({case.slug for case in chosen}) == len(chosen)
    assert {case.name for case in chosen if case.sick} == set(FAULTS)
    assert len(FAULTS) >= 45
    assert sum(not case.sick for case in chosen) >= 30

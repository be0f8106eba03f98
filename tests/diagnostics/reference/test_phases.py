"""Phases: the run's own, with what was measured in each; nothing is expected of them."""

import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.reference.phases import GROWTH, RISKS, SETTLING, START, phases_of
from tests.support.runs import made_run
from tests.support.training import LAST, healthy_run


def test_three_phases_by_the_runs_own_events() -> None:
    """Densifications from 200 to 1,100, two resets among them, and a count that stands still afterwards."""
    phases = phases_of(healthy_run(), (1, LAST))
    assert [(one.name, one.first, one.last) for one in phases] == [(START, 1, 200), (GROWTH, 201, 1100), (SETTLING, 1101, LAST)]
    assert [(one.densifications, one.resets) for one in phases] == [(1, 0), (9, 2), (0, 0)]
    _, growing, settled = (next(c for c in one.changes if c.name == "num_gaussians") for one in phases)
    assert (growing.begin, growing.end) == (450, 850)
    assert settled.trend is not None
    assert settled.trend.gain == pytest.approx(0)


def test_slopes_are_measured_outside_the_dips_of_resets() -> None:
    """A phase that ends in a dip would seem to lose what the reset lends."""
    growth = phases_of(healthy_run(), (1, LAST))[1]
    psnr = next(change for change in growth.changes if change.name == "train/psnr")
    assert psnr.trend is not None
    assert psnr.trend.per_thousand > 3
    assert psnr.end > psnr.begin


def test_a_part_of_a_run_has_the_phases_it_covers() -> None:
    """The user chose the end of the training."""
    assert [one.name for one in phases_of(healthy_run(), (1500, LAST))] == [START]


def test_without_a_schedule_there_are_none() -> None:
    """Nobody knows where they would end."""
    assert phases_of(made_run(series={"test/psnr": {1: 10.0, 100: 20.0}}), (1, 100)) == ()


def test_risks_are_patterns_of_the_catalogue() -> None:
    """Each is a page that can be opened."""
    assert {name for names in RISKS.values() for name in names} <= set(load_catalogue())

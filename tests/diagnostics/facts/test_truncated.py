"""Until when TruncGradGS keeps faint Gaussians: its own schedule, and nothing for any other trainer."""

import pytest

from diagnostics.facts.truncated import NAME, by_design, keeps_faint_until
from runs.run import Trainer
from tests.support.runs import made_run


def until(settings: dict[str, int], name: str = NAME) -> int:
    return keeps_faint_until(made_run(trainer=Trainer(name, 0.9, "cfg_args"), settings=settings))


@pytest.mark.parametrize(("settings", "iteration"), [
    ({}, 24_450),  # densification is on until 3,150, from 8,150, from 16,300 and from 24,450 on (science: A.2)
    ({"pruning_from_iter": 9_000}, 9_000),
    ({"pruning_from_iter": 15_000}, 16_300),
    ({"pruning_from_iter": 100_000}, 25_000),
    ({"adc_interval": 1_000}, 20_750),
])
def test_the_first_prune_is_the_first_densification_after_the_start(settings: dict[str, int], iteration: int) -> None:
    assert until(settings) == iteration


def test_no_other_trainer_keeps_them() -> None:
    """A large dead share in INRIA's own runs is no design."""
    assert until({}, "inria") == 0
    assert by_design(7_000, 0) is None


def test_the_reason_names_the_method_and_the_iteration() -> None:
    why = by_design(7_000, 24_450)
    assert why is not None
    assert "TruncGradGS" in why.missing[0]
    assert "24,450" in why.missing[0]

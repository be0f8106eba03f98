"""Options as they are typed: a wrong dash, exponent or unit stops the user's next run, or silently changes it."""

from typing import Any

import pytest

from diagnostics.practice.spelling import Spelling
from diagnostics.practice.tables import spelling_of


@pytest.mark.parametrize(("table", "strategy", "setting", "value", "typed"), [
    ("inria", "default", "densify_grad_threshold", 0.0004, "--densify_grad_threshold 0.0004"),
    ("inria", "default", "position_lr_final", 1.6e-6, "--position_lr_final 0.0000016"),
    ("inria", "default", "checkpoint_iterations", [7000, 30000], "--checkpoint_iterations 7000 30000"),
    ("inria", "default", "random_background", True, "--random_background"),
    ("inria", "default", "white_background", False, "without --white_background"),
    ("gsplat", "default", "densify_grad_threshold", 0.0004, "--strategy.grow-grad2d 0.0004"),
    ("gsplat", "mcmc", "opacity_cull", 0.005, "--strategy.min-opacity 0.005"),
    ("gsplat", "default", "opacity_cull", 0.005, "--strategy.prune-opa 0.005"),
    ("gsplat", "default", "pose_opt", True, "--pose-opt"),
    ("gsplat", "default", "strategy.absgrad", False, "--strategy.no-absgrad"),
    ("splatfacto", "default", "pipeline.model.use_scale_regularization", True,
     "--pipeline.model.use-scale-regularization True"),
    ("splatfacto", "default", "random_background", True, "--pipeline.model.background-color random"),
    ("brush", "default", "cap_max", 2_000_000, "--max-splats 2000000"),
    ("lichtfeld", "mcmc", "cap_max", 2_000_000, "--max-cap 2000000"),
    ("lichtfeld", "mcmc", "iterations", 15_000, "--iter 15000"),
    ("lichtfeld", "mcmc", "opacity_reg", 0.001, '"opacity_reg": 0.001 in the file given with --config'),
    ("opensplat", "default", "densify_until_iter", 10_000, "--stop-split-at 10000"),
    ("taming", "default", "cap_max", 500_000, "--mode final_count --budget 500000"),
])
def test_an_option_is_typed_as_its_trainer_takes_it(table: str, strategy: str, setting: str, value: Any, typed: str) -> None:
    """One line per way in which trainers differ; sources stand in resources/trainers."""
    assert spelling_of(table, strategy).flag(setting, value) == typed


def test_a_value_that_is_not_known_leaves_the_name() -> None:
    """The user fills it in."""
    assert spelling_of("inria", "default").flag("densify_until_iter") == "--densify_until_iter"


@pytest.mark.parametrize(("value", "every", "typed"), [
    (6000, 100, "--reset-alpha-every 60"), (50, 100, "--reset-alpha-every 1"), (6000, None, "--reset-alpha-every"),
])
def test_an_option_that_counts_refinements_gets_refinements(value: int, every: int | None, typed: str) -> None:
    """6,000 refinements would be 600,000 iterations."""
    assert spelling_of("opensplat", "default").flag("opacity_reset_interval", value, every) == typed


@pytest.mark.parametrize(("table", "strategy", "setting"), [
    ("inria", "default", "opacity_cull"), ("inria", "default", "cap_max"), ("gsplat", "mcmc", "opacity_reset_interval"),
    ("gsplat", "default", "cap_max"), ("brush", "default", "densify_grad_threshold"),
    ("3dgs-mcmc", "mcmc", "densify_grad_threshold"),
    ("truncgradgs", "default", "densify_until_iter"), ("mip-splatting", "default", "random_background"),
])
def test_what_a_trainer_does_not_read_is_no_option(table: str, strategy: str, setting: str) -> None:
    """INRIA's pruning threshold is written in its code; TruncGradGS takes its end of densification from its code."""
    spelling = spelling_of(table, strategy)
    assert not spelling.knows(setting)
    with pytest.raises(KeyError):
        spelling.flag(setting, 1)


def test_the_name_of_the_runs_own_version_wins() -> None:
    """Brush renamed --total-steps; an older binary does not take the new name."""
    assert spelling_of("brush", "default").flag("iterations", 7000, own="total-steps") == "--total-steps 7000"


def test_nothing_is_known_of_nobody() -> None:
    """An empty spelling knows no setting."""
    assert not Spelling().knows("iterations")

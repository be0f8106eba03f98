"""No fix may say what the fact-check found wrong, inverted or harmful, in words or in numbers, for any trainer."""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import CatalogueFix, Pattern, load_catalogue
from diagnostics.practice.tables import full_table, spelling_of, strategy_of, tables_by_trainer
from diagnostics.registry import DETECTORS
from diagnostics.verdict import Finding, Fix
from runs.run import Run, Trainer
from runs.settings import Setting, Settings
from tests.diagnostics.fixtures import collected
from tests.diagnostics.inverted_advice import UP, VALUES, WORDS, against_values, against_words, direction, spellings
from tests.diagnostics.test_patterns import verdict
from tests.support.runs import made_run

PATTERNS = load_catalogue()
SICK = collected("SICK")
# What each setting may well be in a run, by INRIA's name.
USUAL: dict[str, Any] = {
    "iterations": 30_000, "densify_from_iter": 500, "densify_until_iter": 15_000, "densification_interval": 100,
    "opacity_reset_interval": 3_000, "densify_grad_threshold": 2e-4, "opacity_cull": 0.005, "opacity_reg": 0.05, "sh_degree": 3,
    "scaling_lr": 0.005, "opacity_lr": 0.05, "feature_lr": 0.0025, "rotation_lr": 0.001, "position_lr_init": 1.6e-4,
    "lambda_dssim": 0.2, "cap_max": 1_000, "noise_lr": 5e5, "random_background": False, "data_factor": 4, "resolution": 2,
}
# Offenders that the rules must catch: the pattern that says it, what it says, and the row of the fact-check.
PLANTED = (
    ("densification-never-triggers", "Lower grad_threshold, raise the prune threshold -> more Gaussians", "16"),
    ("alpha-not-carved", "Raise the opacity threshold of pruning, as a higher prune threshold -> holes close", "16"),
    ("densification-never-triggers", "Raise the gradient threshold -> the count rises", "45"),
    ("densification-runs-away", "Lower densify_grad_threshold -> fewer Gaussians", "45"),
    ("opacity-reset-regression", "Increase the reset interval, so that opacities are reset more often -> calm", "46"),
    ("floaters", "Increase opacity_reset_interval, make resets rarer -> floaters disappear", "51"),
    ("non-finite-rows", "Divide all learning rates by 10 -> no NaN", "54"),
    ("non-finite-rows", "Clip the gradient norm at 1.0 -> no NaN", "14"),
    ("degenerate-initial-covariance", "scale = randn * 0.01 + 0.01 -> sound scales", "72"),
    ("wrong-sh-initialisation", "sh[0] = color * C0 -> the colours of the points", "76"),
    ("split-keeps-parent-size", "Multiply the scale by 0.8 -> smaller halves", "80"),
    ("opacity-reset-regression", "Reset to max(opacity, 0.01) -> opacities recover", "83"),
    ("grows-after-densification-ended", "Remove Gaussians above the 98th percentile -> a constant count", "84"),
    ("gradients-vanish", "Call backward(retain_graph=True) -> gradients come back", "85"),
    ("loss-aggregated-wrongly", "loss = l1.mean() + λ·ssim.mean() -> the loss falls", "89"),
    ("test-falls-while-train-rises", "Use weight decay, freeze SH at 20k -> the gap narrows", "97"),
    ("needle-gaussians", "Clamp the activated scale to 0.1-10 -> no needles", "37"),
    ("premature-plateau", "Lower the resolution -> PSNR rises", "52"),
    ("blurred-photos", "Raise the SH degree -> sharper renders", "32"),
    ("blurred-photos", "Raise lambda_dssim to 0.4 -> sharper renders", "33"),
    ("memory-spike", "Train with mixed precision -> half the memory", "28"),
    ("memory-spike", "Use channels_last -> less fragmentation", "91"),
    ("memory-spike", "Preallocate a buffer five times as large -> no spike", "19"),
)


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=lambda pattern: pattern.name)
def test_no_advice_of_the_catalogue_is_inverted_or_harmful(pattern: Pattern) -> None:
    """The seed's worst fault: a user who follows it makes the run worse, and blames the scene."""
    wrong = [f"{fix.do}: {why}" for fix in pattern.fixes for why in against_words(pattern.name, _text(fix))]
    assert wrong == []


@pytest.mark.parametrize(("name", "text", "row"), PLANTED)
def test_the_rules_catch_what_the_seed_said(name: str, text: str, row: str) -> None:
    """A rule that catches nothing protects nobody."""
    assert any(row in told.split(":")[0].replace(",", " ").split() for told in against_words(name, text))


@pytest.mark.parametrize("name", sorted(SICK.keys() & DETECTORS.keys() & PATTERNS.keys()))
def test_no_proposed_value_turns_the_wrong_way(name: str) -> None:
    """Words can be right and the number wrong: 1,000 is rarer than 500 and more often than 3,000. For every trainer with
    every strategy, something to do is left."""
    answer = verdict(name, SICK[name]())
    assert isinstance(answer, Finding)
    for trainer, strategy in product(sorted(tables_by_trainer()), ("default", "mcmc")):
        fixes = fitted_fixes(PATTERNS[name], answer, run_of(trainer, strategy))
        assert list(against_values(name, fixes)) == [], trainer
        assert [told for fix in fixes for told in against_words(name, f"{fix.do} -> {fix.expect}")] == [], trainer
        assert any(fix.do.strip() and fix.expect.strip() for fix in fixes), trainer


@pytest.mark.parametrize(("name", "setting", "current", "proposed"), [
    ("densification-never-triggers", "opacity_cull", 0.005, 0.05), ("alpha-not-carved", "strategy.prune_opa", 0.005, 0.05),
    ("floaters", "opacity_reset_interval", 3000, 6000), ("floaters", "strategy.reset_every", 3000, 6000),
    ("densification-never-triggers", "densify_grad_threshold", 2e-4, 4e-4),
    ("densification-runs-away", "pipeline.model.densify_grad_thresh", 8e-4, 4e-4), ("blurred-photos", "ssim_lambda", 0.2, 0.4),
    ("wrong-background", "sh_degree", 1, 3), ("floaters", "position_lr_init", 1e-4, 1e-3), ("floaters", "data_factor", 2, 4),
])
def test_the_rules_catch_a_value_that_turns_the_wrong_way(name: str, setting: str, current: float, proposed: float) -> None:
    """Under every trainer's spelling."""
    assert list(against_values(name, (Fix("A", "E", setting, current, proposed),)))


def test_the_rules_catch_an_interval_against_its_words() -> None:
    """Row 46: up means rarer."""
    assert list(against_values("prunes-too-many", (Fix("Make resets rarer", "E", "opacity_reset_interval", 3000, 1000),)))
    assert list(against_values("x", (Fix("Reset more often", "E", "strategy.reset_every", 1000, 3000),)))
    assert not list(against_values("prunes-too-many", (Fix("Make resets rarer", "E", "opacity_reset_interval", 1000, 3000),)))


def test_the_rules_catch_a_tenth_of_all_rates() -> None:
    """Rows 14 and 54, one fix per rate."""
    rates = ("position_lr_init", "feature_lr", "opacity_lr", "scaling_lr")
    assert list(against_values("x", tuple(Fix("A", "E", rate, 1.0, 0.1) for rate in rates)))


def test_every_rule_says_why() -> None:
    """A rule without a reason cannot be argued with."""
    assert all(rule.row and rule.why for rule in (*WORDS, *VALUES))


def test_a_direction_needs_two_numbers() -> None:
    """What is not known turns no way."""
    assert direction(Fix("A", "E", "x", None, 3)) == direction(Fix("A", "E", "x", 3, 3)) == ""
    assert direction(Fix("A", "E", "x", 3, 4)) == UP
    assert {"strategy.reset_every", "pipeline.model.reset_alpha_every"} <= spellings("opacity_reset_interval")


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=lambda pattern: pattern.name)
def test_every_setting_in_advice_is_an_option_of_the_trainers_it_is_meant_for(pattern: Pattern) -> None:
    """A flag that a trainer does not take stops its next run with an error."""
    tables = tables_by_trainer()
    for fix in (fix for fix in pattern.fixes if fix.setting):
        named = fix.when.get("trainer", ())
        trainers = [named] if isinstance(named, str) else list(named)
        unknown = [one for one in trainers if one in tables and not _spelled(fix, tables[one])]
        assert unknown == [], f"{fix.setting} is no option of {unknown}"
        assert trainers or any(_spelled(fix, table) for table in tables.values()), f"no trainer spells {fix.setting}"


def _spelled(fix: CatalogueFix, table: str) -> bool:
    told = fix.when.get("strategy", ("default", "mcmc"))
    strategies = (told,) if isinstance(told, str) else told
    return any(spelling_of(table, strategy).knows(fix.setting) for strategy in strategies)


def _text(fix: CatalogueFix) -> str:
    return f"{fix.do} -> {fix.expect}"


@cache
def run_of(trainer: str, strategy: str) -> Run:
    """A run of this trainer that stored every setting it has, with usual values, under its own names."""
    made = made_run(trainer=Trainer(trainer, 0.9, "made up"), settings={"strategy": strategy})
    spelling = spelling_of(tables_by_trainer()[trainer], strategy_of(made))
    own = {asked: spelling.names[asked] for asked in USUAL if spelling.knows(asked)}
    values = {own[asked]: USUAL[asked] for asked in own} | {"strategy": strategy}
    aliases = {asked: name for asked, name in own.items() if name != asked}
    stored = Settings({name: Setting(name, value, "config") for name, value in values.items()}, aliases)
    return replace(made, sources=replace(made.sources, settings=lambda: stored))


def test_every_table_is_made_into_runs() -> None:
    """The tests above would pass on runs that store nothing."""
    assert all(len(run_of(trainer, "default").settings) > 5 for trainer in tables_by_trainer())
    assert {full_table(name)["style"] for name in tables_by_trainer().values()} == {"argparse", "tyro", "tyro-values", "clap"}

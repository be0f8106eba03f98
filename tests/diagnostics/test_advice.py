"""Advice is fitted to the run: the trainer's own flag, the current value, and no number that was not measured."""

from dataclasses import replace
from typing import Any

import pytest

from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import CatalogueFix, Pattern, Source, load_catalogue
from diagnostics.facts.habits import BY_EXTENT, OF_INRIA
from diagnostics.practice.tables import spelling_of, strategy_of, tables_by_trainer
from diagnostics.verdict import EvidenceRow, Finding, Fix
from runs.run import UNKNOWN_TRAINER, Run, Trainer
from runs.settings import Setting, Settings
from runs.strategy import KEEP_ORDER
from runs.trainers.nerfstudio.settings import RESET
from tests.support.runs import made_run

GSPLAT = Trainer("gsplat", 0.9, "cfg.yml")
BRUSH = Trainer("brush", 0.9, "a comment")


def pattern(*fixes: CatalogueFix) -> Pattern:
    return Pattern("a-fault", "ZZ-01", "T", "minor", "training", "S", "C", {}, fixes, (Source("A paper", ""),))


def finding(*fixes: Fix, **facts: Any) -> Finding:
    return Finding("3", (EvidenceRow("x", 3),), (1, 2), fixes=fixes, facts=facts)


def test_a_fix_names_the_flag_with_its_current_and_proposed_value() -> None:
    """The user can type it: the trainer's spelling, from, to."""
    fix = CatalogueFix("Lower it", "grows", "densify_grad_threshold", {"trainer": "inria"}, 2e-4)
    run = made_run(settings={"densify_grad_threshold": 1e-3})
    (fitted,) = fitted_fixes(pattern(fix), finding(), run)
    assert (fitted.setting, fitted.current, fitted.proposed, fitted.default) == ("densify_grad_threshold", 1e-3, 2e-4, False)
    assert fitted.flag == "--densify_grad_threshold 0.0002"


def test_a_default_that_was_not_stored_is_marked_as_one() -> None:
    """The run may have been given another value, which the trainer did not write down."""
    fix = CatalogueFix("Lower it", "grows", "densify_grad_threshold", {"trainer": "inria"}, 2e-4)
    (fitted,) = fitted_fixes(pattern(fix), finding(), made_run(defaults={"densify_grad_threshold": 1e-3}))
    assert (fitted.current, fitted.default) == (1e-3, True)


def test_a_value_that_nobody_knows_is_not_invented() -> None:
    """Brush's rates changed between versions, and args.txt holds only what was changed."""
    fix = CatalogueFix("Halve it", "slower", "opacity_lr", {}, "× 1/2")
    (fitted,) = fitted_fixes(pattern(fix), finding(), made_run(trainer=BRUSH))
    assert (fitted.current, fitted.proposed, fitted.flag) == (None, None, "--lr-opac")


@pytest.mark.parametrize(("trainer", "settings", "flag"), [
    ("inria", {"densify_grad_threshold": 2e-4}, "--densify_grad_threshold 0.0004"),
    ("gsplat", {"strategy.grow_grad2d": 2e-4}, "--strategy.grow-grad2d 0.0004"),
    ("splatfacto", {"pipeline.model.densify_grad_thresh": 8e-4}, "--pipeline.model.densify-grad-thresh 0.0016"),
    ("lichtfeld", {"grad_threshold": 2e-4, "strategy": "adc"}, '"grad_threshold": 0.0004 in the file given with --config'),
])
def test_one_fix_speaks_every_trainers_language(trainer: str, settings: dict[str, Any], flag: str) -> None:
    """The same advice, doubled from what each run really used, as each trainer takes it."""
    fix = CatalogueFix("Raise it", "fewer", "densify_grad_threshold", {}, "× 2")
    (fitted,) = fitted_fixes(pattern(fix), finding(), _run_of(trainer, settings))
    assert fitted.flag == flag


def test_a_value_in_another_unit_is_not_proposed() -> None:
    """splatfacto's threshold is of absolute gradients: INRIA's 0.0002 would let nearly everything grow."""
    fix = CatalogueFix("Set it back", "as usual", "densify_grad_threshold", {}, 2e-4)
    (fitted,) = fitted_fixes(pattern(fix), finding(), _run_of("splatfacto", {"pipeline.model.densify_grad_thresh": 8e-4}))
    assert (fitted.proposed, fitted.flag) == (None, "--pipeline.model.densify-grad-thresh")
    absolute = _run_of("gsplat", {"strategy.grow_grad2d": 8e-4, "strategy.absgrad": True})
    assert fitted_fixes(pattern(fix), finding(), absolute)[0].proposed is None


def test_an_interval_is_counted_as_the_trainer_counts_it() -> None:
    """splatfacto's option counts refinements, not iterations."""
    fix = CatalogueFix("Rarer", "calm", "opacity_reset_interval", {}, 6000)
    run = _run_of("splatfacto", {"pipeline.model.refine_every": 100, "pipeline.model.reset_alpha_every": 30})
    assert fitted_fixes(pattern(fix), finding(), run)[0].flag == "--pipeline.model.reset-alpha-every 60"


def test_what_is_set_already_is_not_proposed() -> None:
    """Advice that changes nothing costs a training."""
    fix = CatalogueFix("Set it to 0.01", "E", "opacity_reg", {}, 0.01)
    assert fitted_fixes(pattern(fix), finding(), _run_of("3dgs-mcmc", {"opacity_reg": 0.01})) == ()
    assert len(fitted_fixes(pattern(fix), finding(), _run_of("3dgs-mcmc", {"opacity_reg": 0.05}))) == 1


def test_a_fix_for_another_strategy_is_not_shown() -> None:
    """MCMC resets nothing and clones by no gradient: such advice would do nothing at all."""
    fixes = (
        CatalogueFix("A", "E", "opacity_reset_interval", {}, "× 2"), CatalogueFix("B", "E", "", {"strategy": "default"}),
        CatalogueFix("C", "E", "cap_max", {}, "× 2"), CatalogueFix("D", "E"),
    )
    mcmc = _run_of("gsplat", {"strategy": "mcmc", "strategy.cap_max": 1000, "strategy.reset_every": 3000})
    usual = _run_of("gsplat", {"strategy": "default", "strategy.reset_every": 3000})
    assert [fix.do for fix in fitted_fixes(pattern(*fixes), finding(), mcmc)] == ["C", "D"]
    assert [fix.do for fix in fitted_fixes(pattern(*fixes), finding(), usual)] == ["A", "B", "D"]


@pytest.mark.parametrize(("setting", "within", "length", "seen_at"), [
    ("densify_grad_threshold", 1000, 30_000, 1500),  # densification begins after 500
    ("opacity_reset_interval", 1000, 30_000, 7000),  # the next reset comes at 6,000
    ("", 6000, 3_000, 600),  # a tenth of the reference's length
    ("", 50, 3_000, 50),  # at once
    ("opacity_reset_interval", 1000, 3_000, 3_000),  # never after the end
])
def test_the_outcome_has_an_iteration(setting: str, within: int, length: int, seen_at: int) -> None:
    """"Will get better" cannot be checked; an iteration can."""
    proposed = {"densify_grad_threshold": 1e-4, "opacity_reset_interval": 6000}.get(setting)
    fix = CatalogueFix("A", "E", setting, {}, proposed, within=within)
    run = made_run(settings={"iterations": length, "densify_from_iter": 500})
    assert fitted_fixes(pattern(fix), finding(), run)[0].seen_at == seen_at


def test_a_fix_for_another_trainer_is_not_shown() -> None:
    """Advice for one trainer's code is wrong for another's (the seed's red line on misattribution)."""
    fixes = (CatalogueFix("A", "E", "densify_grad_threshold", {"trainer": "inria"}), CatalogueFix("B", "E"))
    for trainer in (GSPLAT, UNKNOWN_TRAINER):
        assert [f.do for f in fitted_fixes(pattern(*fixes), finding(), made_run(trainer=trainer))] == ["B"]


def test_a_flag_that_this_trainer_does_not_have_is_not_named() -> None:
    """A general fix keeps its text, and loses the name and value that only another trainer knows."""
    fix = CatalogueFix("Lower it", "grows", "densify_grad_threshold", {}, 2e-4)
    assert fitted_fixes(pattern(fix), finding(), made_run(trainer=UNKNOWN_TRAINER)) == (Fix("Lower it", "grows"),)


def test_quotes_are_filled_from_the_finding() -> None:
    """Numbers in advice are the measured ones; a proposal keeps its type."""
    fix = CatalogueFix("Use {best}", "{count} Gaussians", "sh_degree", {}, "{degree}")
    run = made_run(settings={"sh_degree": 3})
    found = fitted_fixes(pattern(fix), finding(best=20.4444444, count=12345, degree=1), run)
    assert found == (Fix("Use 20.44", "12,345 Gaussians", "sh_degree", 3, 1, flag="--sh_degree 1"),)


def test_a_fix_that_quotes_what_was_not_measured_is_left_out() -> None:
    """Otherwise its number would be invented."""
    fix = CatalogueFix("Use {best}", "E")
    assert fitted_fixes(pattern(fix), finding(), made_run()) == ()
    assert fitted_fixes(pattern(fix), finding(best=None), made_run()) == ()


def test_the_findings_own_fixes_come_first() -> None:
    """What was computed for this run says more than what holds for all."""
    own = Fix("Mine", "E", "opacity_lr", None, 0.05)
    found = fitted_fixes(pattern(CatalogueFix("General", "E")), finding(own), made_run(settings={"opacity_lr": 1.0}))
    assert found == (Fix("Mine", "E", "opacity_lr", 1.0, 0.05, flag="--opacity_lr 0.05"), Fix("General", "E"))


def test_a_flag_in_a_findings_own_fix_is_stripped_where_nobody_knows_it() -> None:
    """Detectors speak INRIA's language: to a user of Brush `opacity_reset_interval` says nothing, and the advice stays."""
    own = Fix("Reset more rarely", "E", "opacity_reset_interval", None, 3000)
    for trainer in (UNKNOWN_TRAINER, BRUSH):
        assert fitted_fixes(pattern(), finding(own), made_run(trainer=trainer)) == (Fix("Reset more rarely", "E"),)
    (told,) = fitted_fixes(pattern(), finding(own), made_run(trainer=GSPLAT))
    assert told.flag == "--strategy.reset-every 3000"


def test_no_trainer_is_told_a_flag_that_only_detectors_use() -> None:
    """`adam_eps` is a setting of no trainer unless a run stores it."""
    own = Fix("Set it to 1e-15", "E", "adam_eps", 1e-8, 1e-15)
    assert fitted_fixes(pattern(), finding(own), made_run()) == (Fix("Set it to 1e-15", "E"),)
    assert fitted_fixes(pattern(), finding(own), made_run(settings={"adam_eps": 1e-8})) == (own,)


def test_every_pattern_has_advice_for_every_trainer() -> None:
    """A finding without a fix that fits is refused by the self-check, so an unknown trainer would never be warned."""
    patterns = load_catalogue().values()
    assert [p.name for p in patterns if not p.manual and not any("trainer" not in fix.when for fix in p.fixes)] == []
    told = (fix.when["trainer"] for p in patterns for fix in p.fixes if "trainer" in fix.when)
    meant = {name for names in told for name in ((names,) if isinstance(names, str) else names)}
    assert meant <= set(tables_by_trainer()) | OF_INRIA | BY_EXTENT | KEEP_ORDER  # names that a run can have


def _run_of(trainer: str, settings: dict[str, Any]) -> Run:
    """A run of this trainer that stored these settings, found under INRIA's names as its reader would find them."""
    made = made_run(settings=settings, trainer=Trainer(trainer, 0.9, "made up"))
    spelling = spelling_of(tables_by_trainer()[trainer], strategy_of(made))
    aliases = {asked: own for asked, own in spelling.names.items() if own in settings and asked not in settings}
    if trainer == "splatfacto" and aliases.get("opacity_reset_interval"):
        settings = {**settings, RESET: settings["pipeline.model.refine_every"] * settings["pipeline.model.reset_alpha_every"]}
        aliases["opacity_reset_interval"] = RESET
    stored = Settings({name: Setting(name, value, "config") for name, value in settings.items()}, aliases)
    return replace(made, sources=replace(made.sources, settings=lambda: stored))

"""Advice is fitted to the run: the trainer's own flag, the current value, and no number that was not measured."""

from typing import Any

from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import CatalogueFix, Pattern, Source, load_catalogue
from diagnostics.verdict import EvidenceRow, Finding, Fix
from runs.run import UNKNOWN_TRAINER, Trainer
from tests.support.runs import made_run

GSPLAT = Trainer("gsplat", 0.9, "cfg.yml")


def pattern(*fixes: CatalogueFix) -> Pattern:
    return Pattern("a-fault", "ZZ-01", "T", "minor", "training", "S", "C", {}, fixes, (Source("A paper", ""),))


def finding(*fixes: Fix, **facts: Any) -> Finding:
    return Finding("3", (EvidenceRow("x", 3),), (1, 2), fixes=fixes, facts=facts)


def test_a_fix_names_the_flag_with_its_current_and_proposed_value() -> None:
    """The user can type it: the trainer's spelling, from, to."""
    fix = CatalogueFix("Lower it", "grows", "densify_grad_threshold", {"trainer": "inria"}, 2e-4)
    run = made_run(settings={"densify_grad_threshold": 1e-3})
    assert fitted_fixes(pattern(fix), finding(), run) == (Fix("Lower it", "grows", "densify_grad_threshold", 1e-3, 2e-4),)


def test_a_default_that_was_not_stored_is_no_current_value() -> None:
    """The run may have been given another value, which the trainer did not write down: "not available"."""
    fix = CatalogueFix("Lower it", "grows", "densify_grad_threshold", {"trainer": "inria"}, 2e-4)
    run = made_run(defaults={"densify_grad_threshold": 2e-4})
    assert fitted_fixes(pattern(fix), finding(), run) == (Fix("Lower it", "grows", "densify_grad_threshold", None, 2e-4),)


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
    assert found == (Fix("Use 20.44", "12,345 Gaussians", "sh_degree", 3, 1),)


def test_a_fix_that_quotes_what_was_not_measured_is_left_out() -> None:
    """Otherwise its number would be invented."""
    fix = CatalogueFix("Use {best}", "E")
    assert fitted_fixes(pattern(fix), finding(), made_run()) == ()
    assert fitted_fixes(pattern(fix), finding(best=None), made_run()) == ()


def test_the_findings_own_fixes_come_first() -> None:
    """What was computed for this run says more than what holds for all."""
    own = Fix("Mine", "E", "opacity_lr", None, 0.05)
    found = fitted_fixes(pattern(CatalogueFix("General", "E")), finding(own), made_run(settings={"opacity_lr": 1.0}))
    assert found == (Fix("Mine", "E", "opacity_lr", 1.0, 0.05), Fix("General", "E"))


def test_a_flag_in_a_findings_own_fix_is_stripped_where_nobody_knows_it() -> None:
    """Detectors speak INRIA's language: to a user of Brush `opacity_reset_interval` says nothing, and the advice stays."""
    own = Fix("Reset more rarely", "E", "opacity_reset_interval", None, 3000)
    for trainer in (GSPLAT, UNKNOWN_TRAINER, Trainer("brush", 0.9, "a comment")):
        assert fitted_fixes(pattern(), finding(own), made_run(trainer=trainer)) == (Fix("Reset more rarely", "E"),)
    assert fitted_fixes(pattern(), finding(own), made_run()) == (own,)


def test_no_trainer_is_told_a_flag_that_only_detectors_use() -> None:
    """`adam_eps` is a setting of no trainer unless a run stores it."""
    own = Fix("Set it to 1e-15", "E", "adam_eps", 1e-8, 1e-15)
    assert fitted_fixes(pattern(), finding(own), made_run()) == (Fix("Set it to 1e-15", "E"),)
    assert fitted_fixes(pattern(), finding(own), made_run(settings={"adam_eps": 1e-8})) == (own,)


def test_every_pattern_has_advice_for_every_trainer() -> None:
    """A finding without a fix that fits is refused by the self-check, so an unknown trainer would never be warned."""
    patterns = load_catalogue().values()
    assert [p.name for p in patterns if not p.manual and not any("trainer" not in fix.when for fix in p.fixes)] == []
    meant = {fix.when["trainer"] for p in patterns for fix in p.fixes if "trainer" in fix.when}
    assert meant <= {"inria", "3dgs-mcmc", "gsplat", "splatfacto"}  # names that a run can have

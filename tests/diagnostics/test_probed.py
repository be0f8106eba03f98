"""How probes weigh beside files: they settle what files leave open, and never hide what files found."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnose import diagnose
from diagnostics.probed import foreign_to, latest, reconciled
from diagnostics.probes.answer import Answer, Judged, Result, Tried
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace, NotEvaluable, Verdict
from tests.support.runs import HERE, cloud, made_run

FOUND = Finding("12 of 24 cameras", (EvidenceRow("shift", 0.5, 0.15, "px"),), cameras=("a.png",), confidence=0.8)
PROBED = Finding("moved by 3 px", (EvidenceRow("moved", 3.0, 1.0, "px"),), cameras=("b.png",), confidence=0.9, cause="a slip")
OPEN = NotEvaluable(("the photos",))


def _result(
    finding: Finding | None, *, missing: tuple[str, ...] = (), pattern: str = "wrong-camera-poses", **answer: Any,
) -> Result:
    said = Answer("says", (Judged(pattern, finding, missing),), missing=missing, **answer)
    return Result("pose", str(HERE), said, (), 1.0, 1, "", "")


@pytest.mark.parametrize("verdict", [None, OPEN, FOUND])
def test_without_a_probe_the_files_decide(verdict: Verdict) -> None:
    assert reconciled("wrong-camera-poses", verdict, ()) is verdict
    assert reconciled("blur", verdict, (_result(PROBED),)) is verdict


@pytest.mark.parametrize("verdict", [None, OPEN])
def test_a_probe_finds_what_files_left_open_or_did_not_see(verdict: Verdict) -> None:
    assert reconciled("wrong-camera-poses", verdict, (_result(PROBED),)) is PROBED


def test_a_clear_probe_clears_what_files_left_open() -> None:
    assert reconciled("wrong-camera-poses", OPEN, (_result(None),)) is None


def test_a_finding_that_the_probe_does_not_confirm_stays_and_is_doubted() -> None:
    """Hiding it would be a miss; showing it as sure would hide the doubt."""
    doubted = reconciled("wrong-camera-poses", FOUND, (_result(None),))
    assert isinstance(doubted, Finding)
    assert (doubted.says, doubted.confidence) == (FOUND.says, 0.5)
    assert doubted.evidence[-1].value == "does not confirm it: says"


def test_where_both_find_it_the_numbers_stand_side_by_side() -> None:
    both = reconciled("wrong-camera-poses", FOUND, (_result(PROBED),))
    assert isinstance(both, Finding)
    assert both.evidence == (*FOUND.evidence, *PROBED.evidence)
    assert (both.says, both.cameras, both.confidence, both.cause) == (FOUND.says, FOUND.cameras, 0.9, "a slip")


def test_a_probe_without_an_answer_adds_its_reasons_and_decides_nothing() -> None:
    silent = _result(None, missing=("more time",))
    assert reconciled("wrong-camera-poses", OPEN, (silent,)) == NotEvaluable(("the photos", "more time (the pose probe)"))
    assert reconciled("wrong-camera-poses", FOUND, (silent,)) is FOUND
    assert reconciled("wrong-camera-poses", None, (silent,)) is None


def test_the_last_answer_of_a_probe_counts_and_every_trial_stays() -> None:
    """A probe is asked again with other options; two fixes are two questions."""
    first, again = _result(PROBED), _result(None)
    trials = [replace(_result(None, tried=(Tried("DF-01", "densify_grad_threshold", value, "", True),)), probe="fix-trial")
              for value in (1e-4, 4e-4)]
    assert latest((first, *trials, again)) == (again, *trials)


def test_a_probe_settles_a_pattern_in_the_diagnosis() -> None:
    """From not evaluable to a verdict, with the self-check in between."""
    run = made_run(checkpoints={100: cloud()})
    before = diagnose(run)
    assert any(undecided.pattern.name == "wrong-camera-poses" for undecided in before.not_evaluable)
    found = diagnose(run, probed=[_result(replace(PROBED, confidence=0.9))])
    assert [reported.pattern.name for reported in found.findings if reported.pattern.name == "wrong-camera-poses"]
    cleared = diagnose(run, probed=[_result(None)])
    assert load_catalogue()["wrong-camera-poses"] in cleared.clear
    assert cleared.probed[0].answer.says == "says"


def test_a_finding_of_a_probe_without_numbers_is_refused() -> None:
    """The self-check holds for probes too."""
    run = made_run(checkpoints={100: cloud()})
    bare = Finding("moved", (), cameras=("b.png",))
    undecided = {each.pattern.name: each.missing for each in diagnose(run, probed=[_result(bare)]).not_evaluable}
    assert any("no measured number" in why for why in undecided["wrong-camera-poses"])


@pytest.mark.parametrize(("helped", "validated"), [(True, True), (None, False), (False, False)])
def test_only_the_very_change_that_helped_counts_as_validated(helped: bool | None, validated: bool) -> None:
    """Another value of the same setting was not tried, and what did not help is told, and not praised."""
    fixes = (Fix("Lower it", "better", "position_lr_init", 1e-2, 1e-4),
             Fix("Lower it more", "better", "position_lr_init", 1e-2, 1e-5), Fix("Leave out the named cameras", "better"))
    tried = (Tried("IF-04", "position_lr_init", 1e-4, "PSNR +0.6 ± 0.2 dB", helped, "Lower it"),
             Tried("IF-04", "", None, "PSNR +1.0 ± 0.2 dB", helped, "Leave out the named cameras"))
    trial = replace(_result(None, tried=tried), probe="fix-trial")
    run = made_run(checkpoints={100: cloud()}, settings={"position_lr_init": 1e-2})
    (reported,) = [reported for reported in diagnose(run, probed=[_result(replace(PROBED, fixes=fixes)), trial]).findings
                   if reported.pattern.name == "wrong-camera-poses"]
    told = {fix.do: (fix.tried, fix.validated) for fix in reported.fixes[:3]}
    assert told == {"Lower it": ("PSNR +0.6 ± 0.2 dB", validated), "Lower it more": ("", False),
                    "Leave out the named cameras": ("PSNR +1.0 ± 0.2 dB", validated)}


def test_results_of_another_run_are_told_apart() -> None:
    """Its rows would point at Gaussians that have nothing to do with it."""
    run = made_run(checkpoints={100: cloud(400)})
    place = GaussianPlace(np.array([1]), 100, 400)
    mine = _result(replace(PROBED, gaussians=place))
    assert foreign_to(run, mine) == ""
    assert "another run" in foreign_to(run, replace(mine, run="/elsewhere/other"))
    assert foreign_to(run, replace(mine, run="C:\\runs\\made-up")) == ""
    assert "has changed" in foreign_to(run, _result(replace(PROBED, gaussians=replace(place, of=399))))

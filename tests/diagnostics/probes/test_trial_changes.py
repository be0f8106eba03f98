"""Which fixes can be tried: a fix that is taken for another one would be praised for what it never did."""

import pytest

from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import load_catalogue
from diagnostics.diagnosis import Reported
from diagnostics.probes.trial_changes import DEEDS, Change, change_of, triable
from diagnostics.verdict import EvidenceRow, Finding, Fix
from runs.run import Run
from tests.lab.opened import opened

RUN = "usual-court-0_court-0_mini"


def _reported(name: str, run: Run, *own: Fix, **facts: object) -> Reported:
    pattern = load_catalogue()[name]
    cameras = ("train_000.png", "train_003.png")
    finding = Finding("it is so", (EvidenceRow("n", 1, 0),), (1, 2), cameras=cameras, fixes=own, facts=facts)
    return Reported(pattern, finding, "major", "why", fitted_fixes(pattern, finding, run), (1, 2), ())


@pytest.mark.parametrize(("name", "begins"), [(name, begins) for name, deeds in DEEDS.items() for begins, _ in deeds])
def test_each_deed_belongs_to_one_fix_of_the_catalogue(name: str, begins: str) -> None:
    """Prose may change: then the deed must be found again."""
    assert sum(fix.do.startswith(begins) and not fix.setting for fix in load_catalogue()[name].fixes) == 1


@pytest.mark.parametrize(("name", "facts", "wanted"), [
    ("wrong-camera-poses", {"wrong": 2, "of": "24", "few": 2}, Change("training views", "without the 2 named", without=(
        "train_000.png", "train_003.png"))),
    ("wrong-camera-poses", {"wrong": 2, "of": "24"}, Change("poses", "those of the COLMAP model", model_poses=True)),
    ("random-initialisation", {}, Change("start", "points of the COLMAP model", model_points=True)),
    ("wrong-background", {"photos": "white"}, Change("background", "white", background="white")),
    ("principal-point-ignored", {"camera": "a", "crop": "b"}, Change(
        "principal point", "that of the cameras", principal_point=True)),
    ("intrinsics-do-not-fit-photos", {"repair": "0.909"}, Change("focal length", "× 0.909", focal=0.909)),
    ("densification-runs-away", {}, Change("densify_grad_threshold", 0.004, settings={"densify_grad_threshold": 0.004})),
    ("opacity-reset-regression", {"reset": 3}, Change("opacity_reset_interval", 400, settings={"opacity_reset_interval": 400})),
])
def test_what_a_fix_changes(name: str, facts: dict[str, object], wanted: Change) -> None:
    """Settings by our names, data by what is done to them."""
    run = opened(RUN)
    reported = _reported(name, run, **facts)
    assert wanted in [change_of(reported, number, run) for number in triable(reported, run)]


@pytest.mark.parametrize(("name", "fix", "why"), [
    ("densification-runs-away", Fix("Wait", "better"), "this one asks for a look, for other data, or for other code"),
    ("densification-runs-away", Fix("Do", "better", "iterations", 800, 900), "a change that the compact trainer can make"),
    ("densification-runs-away", Fix("Do", "better", "densify_until_iter", 600, None), "the fix proposes none"),
    ("densification-runs-away", Fix("Do", "better", "opacity_lr", 0.05, -1.0), "must be a finite number of at least 0"),
    ("densification-runs-away", Fix("Do", "better", "noise_lr", 1.0, 5e5), "a run of the MCMC strategy"),
    ("sh-degree-mismatch", Fix("Do", "better", "sh_degree", 2, 1), "is about the saved files"),
])
def test_what_cannot_be_tried_says_why(name: str, fix: Fix, why: str) -> None:
    run = opened(RUN)
    reported = _reported(name, run, fix)
    number = next(i for i, each in enumerate(reported.fixes, 1) if each.do == fix.do)
    told = change_of(reported, number, run)
    assert isinstance(told, str)
    assert why in told
    assert number not in triable(reported, run)


def test_another_trainer_spells_it_otherwise() -> None:
    """gsplat's names are ours after a look into its table."""
    run = opened("gsplat-layout-garden_garden-2_mini")
    reported = _reported("densification-runs-away", run)
    change = change_of(reported, 1, run)
    assert isinstance(change, Change)
    assert change.label == "strategy.grow_grad2d"
    assert set(change.settings) == {"densify_grad_threshold"}

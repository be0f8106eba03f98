"""The fault table: every code is one of the catalogue, every patch changes something, every record says what was believed."""

from functools import cache

import pytest

from diagnostics.catalogue import load_catalogue
from tests.lab.case import HALVES, Half
from tests.lab.corpus import cases, plan_of
from tests.lab.faults import FAULTS
from tests.lab.fingerprint import training_key
from tests.lab.healthy import HEALTHY

# Patterns of the catalogue that no fault of the lab is to be called by, with the reason.
NOT_TRIED = {
    **dict.fromkeys(("MF-01", "MF-03", "MF-06"), "takes millions of Gaussians, or a record that ends in a densification"),
    "MF-04": "the photos of small trainings fill no GPU",
    "N-15": "takes ten million Gaussians",
    "CF-01": "what stops learning is called by its cause; it is acceptable there",
    "CF-02": "steps that long make something worse first, and are called by it; it is acceptable there",
    "CF-04": "tells which views to look at; what is wrong with them has a name, and it is acceptable there",
    "CF-05": "small trainings end 300-800 iterations after densification, with two or three evaluations",
    "CF-06": "the lab's scenes are not published",
    "CF-07": "takes several runs",
    "M-07": "a norm says nothing; no file decides it",
    "CK-2": "no trainer of the lab writes a state between a densification and its statistics",
    "CK-6": "the lab's trainings learn nothing beside the Gaussians",
    "CK-8": "the lab's trainings print no progress bar",
    "N-10": "takes more than a thousand photos",
    **dict.fromkeys(("NF-01", "NF-02", "NF-04", "NF-05", "NF-06", "NF-07", "NF-08", "NF-09", "NF-10", "NF-12"),
                    "a method that the lab does not train"),
    "N-29": "a run without states is no fault; the healthy controls have some",
    "AF-02": "blur follows from faults that have names of their own: starts, poses, rates, densification that does nothing",
    "AF-05": "colours swing at unseen directions where the rate of the colours is too high, which is named",
    "AF-07": "popping is inherent to the method, and shows where splats are too large, which is named",
    "N-31": "the lab's trainer and its viewer draw with one filter; fixtures tell of another",
    "N-34": "no scene of the lab has a horizon",
    "N-36": "the lab's trainer has no loss on depths or normals",
    "TG-01": "who is out of reach was made faint or small by faults that are named",
    "M-09": "no small training ends with nobody; a cloud that no camera sees comes near, and it is acceptable there",
    "P-01": "the lab's trainer takes no input that is not finite",
    **dict.fromkeys(("P-03", "P-04", "P-05", "P-06"),
                    "only a probe decides it; its own table says which faults it is made to find"),
    "MF2-06": "takes the times of several machines",
    "TG-02": "dead Gaussians are left by faults that are named; by themselves they are a saving",
}


@cache
def catalogue_codes() -> frozenset[str]:
    return frozenset(pattern.code for pattern in load_catalogue().values())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_by_codes_that_exist(name: str) -> None:
    """A misspelt code could never be found, and its misses would be blamed on a detector."""
    fault = FAULTS[name]
    assert fault.right | fault.acceptable | fault.wrong <= catalogue_codes()
    assert fault.why.strip()


def test_every_pattern_has_a_fault_or_a_reason_why_not() -> None:
    """A pattern that the lab never tries has no track record."""
    tried = {code for fault in FAULTS.values() for code in fault.right}
    assert catalogue_codes() - tried == set(NOT_TRIED)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("half", HALVES)
def test_a_patch_changes_the_training_or_its_files(name: str, half: Half) -> None:
    """A patch without effect would be a healthy run counted as a miss."""
    case = next(case for case in cases("mini", half) if case.name == name)
    usual = next(case for case in cases("mini", half) if case.name == f"usual-{case.scene}-0")
    assert training_key(plan_of(case)) != training_key(plan_of(usual))


def test_a_bug_is_not_in_the_records_and_a_setting_is() -> None:
    """A debugger must find a bug in what happened, and may read a wrong setting."""
    bug = plan_of(next(case for case in cases("mini", "tuning") if case.name == "split-without-shrinking"))
    assert bug.settings.split_shrink == 1.0
    assert bug.recorded["split_shrink"] == 1.6
    setting = plan_of(next(case for case in cases("mini", "tuning") if case.name == "position-rate-too-high"))
    assert setting.recorded["position_lr_init"] == setting.settings.position_lr_init == pytest.approx(0.016)


def test_healthy_controls_differ_from_each_other() -> None:
    """Thirty times the same run would prove little."""
    keys = [training_key(plan_of(case)) for case in cases("mini") if not case.sick]
    assert len(set(keys)) == len(keys) >= 30
    assert len(HEALTHY) >= 30

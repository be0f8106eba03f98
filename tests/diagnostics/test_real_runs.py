"""Real trainings: the sound ones raise no alarm in any range, each faulty one is named, and no detector fails on any."""

from functools import cache

import pytest

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Diagnosis
from runs.open_run import open_run
from tests.support.data import shared_data

SCENE = {"sample": "synth0", "synth-a": "synth1", "fox-a": "fox", "fox-b": "fox", **{f"synth-{c}": "synth0" for c in "bcdef"}}
SERIOUS = ("critical", "major")


@cache
def diagnosed(name: str, span: tuple[int, int] | None = None) -> Diagnosis:
    return diagnose(open_run(shared_data("runs", name), shared_data("scenes", SCENE[name])), span)


def codes(name: str) -> list[str]:
    return [found.pattern.code for found in diagnosed(name).findings]


@pytest.mark.parametrize("name", ["synth-a", "fox-a"])
def test_a_sound_training_raises_no_alarm(name: str) -> None:
    """The worst bug of a debugger; fox-a even loses 40 % of its Gaussians and 8 dB at a reset, and recovers."""
    assert [f.finding.says for f in diagnosed(name).findings if f.severity in SERIOUS] == []


@pytest.mark.parametrize("span", [(1, 300), (1, 600), (500, 1100), (900, 1500), (1200, 2000), (2000, 2000)])
def test_no_range_of_a_sound_training_raises_an_alarm(span: tuple[int, int]) -> None:
    """A range may begin or end in a reset's dip, between two saves, or after densification ended."""
    assert [f.finding.says for f in diagnosed("synth-a", span).findings] == []


def test_the_only_fault_of_synth_e_is_its_nan_rows() -> None:
    """25 scales became NaN between two saves; its curves are those of a sound training and raise nothing."""
    assert codes("synth-e") == ["N-11"]
    place = diagnosed("synth-e").findings[0].finding.gaussians
    assert place is not None
    assert place.count == 25


def test_three_views_over_fit() -> None:
    """Test PSNR passed its best at 600 while training views rose to 39 dB."""
    assert codes("synth-b") == ["NF-03", "CF-03"]
    finding = diagnosed("synth-b").findings[1]
    assert finding.consequence_of == ("NF-03",)
    assert finding.iterations == (600, 2000)
    assert finding.finding.facts["best_psnr"] == pytest.approx(20.58, abs=0.01)


def test_frozen_opacities_are_the_root_of_what_follows() -> None:
    """Opacities without gradient, so the reset is never made good, so pruning empties the scene: in this order."""
    findings = diagnosed("synth-d").findings
    assert [f.pattern.code for f in findings] == ["OF-03", "DF-07", "DF-05"]
    assert [f.consequence_of for f in findings] == [(), ("OF-03",), ("DF-07", "OF-03")]
    assert findings[0].severity == "critical"
    assert "opacities" in findings[0].finding.says


@pytest.mark.parametrize(("name", "code"), [("synth-f", "IF-01"), ("synth-f", "IF-03"), ("sample", "IF-05"), ("fox-b", "IF-04")])
def test_the_fault_of_each_sick_run_is_named(name: str, code: str) -> None:
    """A start in empty space, a background of the wrong colour, poses that do not fit the photos."""
    assert code in codes(name)


@pytest.mark.parametrize("name", sorted(SCENE))
def test_no_detector_fails_on_a_real_run(name: str) -> None:
    """What a fixture does not think of, a real file does."""
    assert [why for entry in diagnosed(name).not_evaluable for why in entry.missing if "failed" in why] == []

"""The JSON contract: other programs read it, so every key is there, every number is finite, and the order is stable."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Diagnosis
from diagnostics.report.json import to_json
from diagnostics.report.plain import plain
from runs.errors import UnreadableFile
from tests.diagnostics.fixtures.growth import collapses, stuck_after_reset
from tests.support.runs import HERE, made_run
from tests.support.training import healthy_run

FINDING = {
    "code": str, "name": str, "severity": str, "kind": str, "confidence": float, "says": str, "evidence": list,
    "iterations": list, "gaussians": (dict, type(None)), "cameras": list, "cause": str, "fixes": list, "sources": list,
    "consequence_of": list, "track_record": (dict, type(None)), "layer": str, "uncertain": bool, "harmless": str, "timing": str,
    "began": (dict, type(None)), "look_alikes": list, "seed_says": str, "we_say": str, "found_by": str,
}
EVIDENCE = ["what", "value", "limit", "unit", "iteration", "source"]
FIX = ["do", "expect", "setting", "from", "to", "from_is_default", "flag", "risk", "falsified_by", "seen_at", "tried",
       "validated"]


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    run = stuck_after_reset()
    run.book.add_error(UnreadableFile("this file is empty", HERE / "events.out.tfevents"))
    return diagnose(run)


def test_it_has_every_key_of_schema_1(diagnosis: Diagnosis) -> None:
    """Later versions only add keys; scripts rely on these."""
    told = to_json(diagnosis)
    assert list(told) == ["schema", "product", "run", "range", "findings", "clear", "not_evaluable", "notes", "story",
                          "explained_away", "probed"]
    assert told["schema"] == 1
    assert told["product"].startswith("splatdoctor ")
    assert {"path", "trainer", "trainer_confidence", "iterations", "gaussians", "settings"} <= set(told["run"])
    assert told["run"]["gaussians"] == [400, 900]
    assert told["range"] == [1, 2000]
    assert {"file": str(HERE / "events.out.tfevents"), "says": "this file is empty"} in told["notes"]


def test_a_finding_has_every_key_and_type(diagnosis: Diagnosis) -> None:
    """A script that counts by severity or draws the place must find both."""
    findings = to_json(diagnosis)["findings"]
    assert "DF-07" in [finding["code"] for finding in findings]
    for finding in findings:
        assert list(finding) == list(FINDING)
        assert all(isinstance(finding[key], kind) for key, kind in FINDING.items())
        assert all(list(row) == EVIDENCE for row in finding["evidence"])
        assert all(list(fix) == FIX for fix in finding["fixes"])
        assert all(list(source) == ["title", "url"] for source in finding["sources"])
    stuck = next(finding for finding in findings if finding["code"] == "DF-07")
    assert stuck["gaussians"] == {"count": 900, "fraction": 1.0, "iteration": 2000}


def test_codes_say_what_was_looked_at(diagnosis: Diagnosis) -> None:
    """Every pattern is in exactly one of the three lists."""
    told = to_json(diagnosis)
    codes = [f["code"] for f in told["findings"]] + told["clear"] + [u["code"] for u in told["not_evaluable"]]
    assert len(codes) == len(set(codes)) == len(diagnosis.findings) + len(diagnosis.clear) + len(diagnosis.not_evaluable)
    assert all(u["missing"] and all(isinstance(why, str) for why in u["missing"]) for u in told["not_evaluable"])


@pytest.mark.parametrize("run", [healthy_run, collapses], ids=["healthy", "sick"])
def test_it_is_strict_json_and_the_same_each_time(run: Any) -> None:
    """NaN is no JSON, and a diff between two reports must show changes of the run only."""
    first, second = (json.dumps(to_json(diagnose(run())), allow_nan=False) for _ in range(2))
    assert first == second
    assert json.loads(first)["schema"] == 1


def test_a_finding_without_gaussians_says_null_not_zero() -> None:
    """0 of 0 Gaussians would be an invented number."""
    finding = next(f for f in to_json(diagnose(collapses()))["findings"] if f["code"] == "DF-05")
    assert finding["gaussians"] is None


SAME_IN_JSON = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
def test_defaults_are_told_apart_from_what_the_run_stored() -> None:
    """A default may have been overridden on the command line: a reader must know that it is not evidence."""
    run = made_run(settings={"b": 2, "a": [1]}, defaults={"d": 0.5, "c": None, "a": 9})
    told = to_json(diagnose(run))["run"]
    assert told["settings"] == {"a": [1], "b": 2, "c": None, "d": 0.5}
    assert told["settings_not_stored"] == ["c", "d"]


VALUES = st.recursive(
    SAME_IN_JSON | st.floats() | st.floats(width=32).map(np.float32) | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.lists(inner).map(tuple), max_leaves=20)


@given(st.recursive(SAME_IN_JSON, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_what_json_can_hold_is_told_as_it_is(value: Any) -> None:
    """A threshold that changes on its way into the report would be an invented number."""
    assert json.loads(json.dumps(plain(value))) == value
    assert plain((np.float64(0.25), np.int32(3), np.bool_(True), np.arange(2))) == [0.25, 3, True, [0, 1]]


@given(VALUES)
def test_any_setting_becomes_strict_json(value: Any) -> None:
    """Settings come from files: whatever they hold, the report can be written."""
    json.dumps(plain(value), allow_nan=False)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan"), np.array([np.inf])])
def test_what_is_not_finite_is_null(value: Any) -> None:
    """A reader must not take NaN for a number."""
    assert plain(value) in (None, [None])

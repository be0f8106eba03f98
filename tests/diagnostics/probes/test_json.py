"""Results travel between processes and wait in files: what comes back must be what went, and nothing hostile may get in."""

import json
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.probes.answer import Answer, Curve, Judged, Result, Shot, Tried
from diagnostics.probes.json import NotAResult, from_json, shot_from_json, shot_to_json, to_json
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace

texts = st.text(max_size=30)
finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | finite | st.integers(-2**53, 2**53) | texts
rows = st.builds(EvidenceRow, texts, values, values, texts, st.none() | st.integers(0, 30_000), texts)
fixes = st.builds(Fix, texts, texts, texts, values, values)
places = st.builds(
    lambda rows, iteration: GaussianPlace(np.array(sorted(rows), np.int64), iteration, 1000),
    st.sets(st.integers(0, 999), max_size=20), st.integers(0, 30_000))
findings = st.builds(
    Finding, texts, st.lists(rows, max_size=3).map(tuple), st.none() | st.tuples(st.integers(0, 9), st.integers(9, 99)),
    st.none() | places, st.lists(texts, max_size=3).map(tuple), st.floats(0, 1), st.none() | st.just("minor"), texts,
    st.lists(fixes, max_size=2).map(tuple), texts, st.dictionaries(texts, values, max_size=3))
judged = st.builds(Judged, texts, st.none() | findings, st.lists(texts, max_size=2).map(tuple))
answers = st.builds(
    Answer, texts, st.lists(judged, max_size=3).map(tuple), st.lists(rows, max_size=3).map(tuple), st.just(()),
    st.lists(texts, max_size=2).map(tuple), st.none() | st.integers(0, 30_000), st.dictionaries(texts, values, max_size=3),
    st.lists(st.builds(Tried, texts, texts, values, texts, st.none() | st.booleans()), max_size=2).map(tuple))
curves = st.lists(st.tuples(st.integers(0, 999), finite), max_size=5).map(
    lambda points: Curve("c", "dB", tuple(step for step, _ in points), tuple(value for _, value in points)))
results = st.builds(
    Result, texts, texts, answers, st.lists(curves, max_size=2).map(tuple), st.floats(0, 1e6), st.integers(0, 2**40), texts,
    texts)


def _plain(result: Result) -> Any:
    """Everything, arrays as lists."""
    return json.loads(json.dumps(asdict(result), default=lambda array: array.tolist()))


@given(results)
def test_what_comes_back_is_what_went(result: Result) -> None:
    """Through the text of a file, whatever it holds."""
    assert _plain(from_json(json.loads(json.dumps(to_json(result))))) == _plain(result)


def test_a_picture_comes_back_pixel_by_pixel() -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    back = shot_from_json(json.loads(json.dumps(shot_to_json(Shot("worst view", rgb, "a.png")))))
    assert (back.title, back.camera) == ("worst view", "a.png")
    np.testing.assert_array_equal(back.rgb, rgb)


def test_values_that_are_no_numbers_become_gaps_of_the_curve() -> None:
    """JSON has no NaN; a loss that became NaN must not become 0."""
    result = Result("nan", "run", Answer("says"), (Curve("loss", "", (1, 2), (0.5, float("nan"))),), 1.0, 1, "", "")
    (curve,) = from_json(json.loads(json.dumps(to_json(result)))).curves
    assert curve.values[0] == 0.5
    assert np.isnan(curve.values[1])


@pytest.mark.parametrize("told", [None, [], {}, {"schema": 2}, {"schema": 1}, "text"])
def test_another_file_is_refused_in_one_sentence(told: Any) -> None:
    with pytest.raises(NotAResult):
        from_json(told)


@given(st.data())
def test_a_damaged_result_is_refused_and_nothing_else_happens(data: st.DataObject) -> None:
    """Files are edited by hand and cut off: any one value replaced gives a result or one clear refusal."""
    said = Answer("s", (Judged("n", Finding("f", (EvidenceRow("w", 1.0),))),))
    told = to_json(Result("p", "r", said, (), 1.0, 1, "", ""))
    key = data.draw(st.sampled_from(sorted(told)))
    told[key] = data.draw(st.none() | st.integers() | texts | st.lists(st.integers() | texts, max_size=2))
    with suppress(NotAResult):
        assert from_json(told).answer


def test_rows_that_unpack_to_more_than_there_are_gaussians_are_not_unpacked() -> None:
    """A few bytes must not become gigabytes."""
    bomb = GaussianPlace(np.zeros(10_000_000, np.int64), 1, 10)
    told = to_json(Result("p", "r", Answer("s", (Judged("n", Finding("f", (), gaussians=bomb)),)), (), 1.0, 1, "", ""))
    finding = from_json(told).answer.judged[0].finding
    assert finding is not None
    assert finding.gaussians is not None
    assert len(finding.gaussians.rows) == 10


def test_rows_that_do_not_exist_are_refused() -> None:
    """The viewport would look them up."""
    told = to_json(Result("p", "r", Answer("s", (Judged("n", Finding("f", (), gaussians=GaussianPlace(np.array([3]), 1, 3))),)),
                          (), 1.0, 1, "", ""))
    with pytest.raises(NotAResult, match="beyond the 3"):
        from_json(told)

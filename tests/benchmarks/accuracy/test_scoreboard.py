"""The scoreboard on outcomes that are known by heart."""

from benchmarks.accuracy.intervals import Share
from benchmarks.accuracy.markdown import Measured, accuracy_page
from benchmarks.accuracy.scoreboard import figures, never_detected
from benchmarks.accuracy.shipped import patterns_json, to_json
from diagnostics.accuracy import read_records
from tests.lab.made_up import fault, found, healthy, outcome

FAULTS = {
    each.name: each for each in (
        fault(), fault("two-names", "OF-02 OF-03"), fault("no-trace", "DF-03", leaves_trace=False),
    )
}
OUTCOMES = (
    outcome(found("IF-04")), outcome(found("AF-01"), found("IF-01")), outcome(),
    outcome(found("OF-03"), name="two-names"), outcome(name="no-trace"),
    healthy(), healthy(found("AF-01")), healthy(found("AF-06", "minor")),
)


def test_every_figure_of_a_small_corpus() -> None:
    """Four runs with a trace, one without, three healthy ones: counted by hand."""
    told = figures(OUTCOMES, FAULTS)
    assert told.recall == Share(3, 4)
    assert told.precision == Share(3, 5)  # IF-04, AF-01, OF-03 fit; IF-01 and the healthy run's AF-01 do not
    assert told.false_alarms == Share(1, 3)
    assert told.top1 == Share(2, 4)
    assert told.top3 == Share(2, 4)
    assert told.traceless == Share(0, 1)
    assert told.confusion == {
        "poses-off": {"IF-04": 1, "AF-01": 1, "nothing": 1}, "two-names": {"OF-03": 1}, "no-trace": {"nothing": 1},
        "(healthy)": {"nothing": 1, "AF-01": 1, "AF-06": 1},
    }


def test_a_pattern_answers_for_the_runs_that_nobody_else_named_rightly() -> None:
    """OF-02 may stay silent where OF-03 named the same fault; where both are silent, both have missed."""
    patterns = figures(OUTCOMES, FAULTS).patterns
    assert patterns["IF-04"].recall == Share(1, 3)
    assert patterns["OF-03"].recall == Share(1, 1)
    assert patterns["OF-02"].recall == Share(0, 0)
    both_silent = figures((outcome(name="two-names"),), FAULTS).patterns
    assert both_silent["OF-02"].recall == both_silent["OF-03"].recall == Share(0, 1)


def test_a_pattern_is_precise_where_its_findings_fit_whatever_their_severity() -> None:
    """A minor pattern has a record too; its finding on a healthy run counts against it."""
    patterns = figures(OUTCOMES, FAULTS).patterns
    assert patterns["AF-01"].precision == Share(1, 2)
    assert patterns["AF-06"].precision == Share(0, 1)
    assert patterns["AF-06"].false_alarms == Share(1, 3)
    assert "DF-03" not in patterns  # its only fault leaves no trace, so nobody was expected to name it


def test_what_is_never_detected_is_said() -> None:
    """A fault that no artifact tells must stand on the page."""
    assert never_detected(OUTCOMES, FAULTS) == ("no-trace",)
    page = accuracy_page([Measured("mini", "test", OUTCOMES, figures(OUTCOMES, FAULTS))], FAULTS)
    assert "**no-trace** is counted as without trace" in page
    assert "0.75 (3 of 4; 0.19–0.99)" in page


def test_without_any_run_no_figure_is_made_up() -> None:
    """An empty half must not read as perfect, nor as a failure."""
    told = figures((), FAULTS)
    assert told.recall.value is None
    assert "none to count" in accuracy_page([Measured("mini", "test", (), told)], FAULTS)


def test_what_is_shipped_is_what_was_counted() -> None:
    """The product's sentence and the page must never differ; the tuning half is not shipped."""
    tuned = Measured("mini", "tuning", OUTCOMES[:1], figures(OUTCOMES[:1], FAULTS))
    tested = Measured("mini", "test", OUTCOMES, figures(OUTCOMES, FAULTS))
    shipped = patterns_json((tuned, tested), FAULTS)
    assert read_records(shipped)["IF-04"].sentence == "in our lab: found 1 of 3, 0 false alarms in 3 healthy runs"
    assert shipped["faulty_runs"] == 5
    assert to_json((tested,))["figures"][0]["recall"]["hits"] == 3

"""The track record beside a verdict: its numbers are those that were measured, and where none were it says nothing."""

from diagnostics.accuracy import measured_on, read_records, track_record
from diagnostics.catalogue import load_catalogue

SHIPPED = {
    "half": "test", "sizes": ["mini"], "healthy_runs": 30, "faulty_runs": 90,
    "patterns": {
        "IF-04": {"found": [11, 12], "fitting": [15, 16], "false_alarms": 0},
        "AF-01": {"found": [0, 0], "fitting": [3, 4], "false_alarms": 1},
        "N-99": {"found": [0, 0], "fitting": [0, 0], "false_alarms": 0},
    },
}


def test_a_record_says_what_was_found_and_what_was_not() -> None:
    """The sentence a user reads beside a verdict must hold the measured counts, and the singular where it is one."""
    records = read_records(SHIPPED)
    assert records["IF-04"].sentence == "in our lab: found 11 of 12, 0 false alarms in 30 healthy runs"
    assert records["AF-01"].sentence == "in our lab: no fault that it should name was tried, 1 false alarm in 30 healthy runs"


def test_a_pattern_that_was_never_tried_and_never_spoke_has_no_record() -> None:
    """"Found 0 of 0" would read like a failure."""
    assert "N-99" not in read_records(SHIPPED)


def test_without_shipped_figures_nothing_is_claimed() -> None:
    """A number that nobody measured must not be shown."""
    assert read_records({}) == {}
    assert track_record("no such code") is None


def test_the_shipped_figures_are_of_this_catalogue() -> None:
    """A record under a code that no pattern has would never be seen, and tells of a renamed pattern."""
    codes = {pattern.code for pattern in load_catalogue().values()}
    recorded = {code for code in codes if track_record(code)}
    assert bool(recorded) == bool(measured_on())
    for code in recorded:
        record = track_record(code)
        assert record is not None
        assert 0 <= record.found <= record.expected
        assert 0 <= record.fitting <= record.findings
        assert 0 <= record.false_alarms <= record.healthy_runs

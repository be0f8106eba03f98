"""How a run is marked: every figure of the scoreboard rests on these rules."""

import pytest

from tests.lab.faults.fault import codes
from tests.lab.made_up import fault, found, healthy, outcome
from tests.lab.truth import Hit, score

# What was found -> detected, named first, named among three, serious and fitting, serious and not.
MARKS = {
    "nothing": ((), (False, False, False, 0, 0)),
    "the fault alone": ((found("IF-04"),), (True, True, True, 1, 0)),
    "a consequence alone": ((found("AF-01"),), (True, False, False, 1, 0)),
    "a consequence first": ((found("AF-01"), found("IF-04")), (True, False, True, 2, 0)),
    "something else": ((found("IF-01"),), (False, False, False, 0, 1)),
    "something that nobody thought of": ((found("MF-05"),), (False, False, False, 0, 1)),
    "something else, but minor": ((found("IF-01", "minor"),), (False, False, False, 0, 0)),
    "the fault, but minor": ((found("IF-04", "minor"),), (True, True, True, 0, 0)),
    "the fault as the fourth": ((found("AF-01"), found("MF-01"), found("MF-02"), found("IF-04")), (True, False, False, 2, 2)),
}


@pytest.mark.parametrize("case", MARKS)
def test_a_sick_run_is_marked_by_what_fits(case: str) -> None:
    """Detection counts whatever fits; the cause counts only what is right; every other serious finding is a false one."""
    findings, expected = MARKS[case]
    marks = score(outcome(*findings), fault())
    counted = (marks.detected, marks.cause_first, marks.cause_early, len(marks.true_alarms), len(marks.false_alarms))
    assert counted == expected


def test_on_a_healthy_run_every_serious_finding_is_a_false_alarm() -> None:
    """The worst bug of a debugger; minor and info findings are no alarm."""
    marks = score(healthy(found("IF-04"), found("AF-06", "minor"), found("N-12", "critical")), None)
    assert [alarm.code for alarm in marks.false_alarms] == ["IF-04", "N-12"]
    assert not marks.detected


@pytest.mark.parametrize(("begins", "met"), [(200, True), (250, True), (300, True), (199, False), (301, False), (1, False)])
def test_the_begin_is_met_within_the_save_interval_around_it(begins: int, met: bool) -> None:
    """Between two saves nobody can tell more; a finding that begins outside of them points the user elsewhere."""
    run = outcome(found("IF-04", iterations=(begins, 400)), onset=240)
    assert score(run, fault()).onset_met is met


def test_who_did_not_name_the_fault_is_not_asked_when_it_began() -> None:
    """A miss is counted once, in recall."""
    assert score(outcome(found("AF-01"), onset=240), fault()).onset_met is None
    assert score(outcome(found("IF-04")), fault()).onset_met is None


def test_guilty_gaussians_are_compared_row_by_row() -> None:
    """Precision and recall of the rows that the right finding points at, in the last save alone."""
    pointing = found("IF-04", rows=(1, 2, 3, 9), rows_iteration=400)
    marks = score(outcome(pointing, guilty_rows=(1, 2)), fault())
    assert marks.rows == Hit(0.5, 1.0)
    earlier = found("IF-04", rows=(1, 2), rows_iteration=300)
    assert score(outcome(earlier, guilty_rows=(1, 2)), fault()).rows is None
    consequence = found("AF-01", rows=(1, 2), rows_iteration=400)
    assert score(outcome(consequence, guilty_rows=(1, 2)), fault()).rows is None


def test_guilty_cameras_are_compared_by_name() -> None:
    """A finding that names sound cameras sends the user to the wrong photos."""
    pointing = found("IF-04", cameras=("a.png", "b.png", "c.png", "d.png"))
    assert score(outcome(pointing, guilty_cameras=("a.png", "e.png")), fault()).cameras == Hit(0.25, 0.5)
    assert score(outcome(found("IF-04"), guilty_cameras=("a.png",)), fault()).cameras is None


def test_a_truth_that_contradicts_itself_is_refused() -> None:
    """A code that is right and wrong would make every figure meaningless."""
    with pytest.raises(ValueError, match="right and wrong"):
        fault(wrong=codes("IF-04"))
    with pytest.raises(ValueError, match="no code is right"):
        fault(right="")
    with pytest.raises(ValueError, match="strengths"):
        fault(strengths=(1.0, 1.0))

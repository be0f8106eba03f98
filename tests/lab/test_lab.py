"""The whole miniature suite: every fault in both halves, every healthy control; outcomes are held to margins, never to hashes.

It takes minutes, and is the proof that the diagnosis finds what is there and leaves alone what is sound. A single run is
diagnosed again by `python -m benchmarks.accuracy --only NAME --verbose`.
"""

from collections.abc import Sequence

import pytest

from benchmarks.accuracy.scoreboard import Figures, figures
from tests.lab.case import HALVES, Half
from tests.lab.corpus import cases
from tests.lab.faults import FAULTS
from tests.lab.outcome import Outcome
from tests.lab.suite import run_suite
from tests.lab.truth import score

WORKERS = 2
EVERY = 20  # runs between two lines of progress
# Below what ACCURACY.md says, by what numba's last bits and other machines may move.
LEAST_RECALL, LEAST_PRECISION, LEAST_TOP1 = 0.88, 0.93, 0.72
MOST_FALSE_ALARMS = 1 / 30


@pytest.fixture(scope="session")
def lab(request: pytest.FixtureRequest) -> tuple[Outcome, ...]:
    """All outcomes; the first call trains, later ones of the same sources read the cache."""
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")

    def told(done: int, of: int, _newest: Outcome) -> None:
        if terminal is not None and (done % EVERY == 0 or done == of):
            terminal.write_line(f"lab: {done} of {of} runs")

    return run_suite(cases("mini"), jobs=WORKERS, told=told)


@pytest.fixture(scope="session")
def board(lab: tuple[Outcome, ...]) -> Figures:
    return figures(lab, FAULTS)


def missed(outcomes: Sequence[Outcome]) -> list[str]:
    """For a failing test: what was not found, or wrongly."""
    marked = [(run, score(run, FAULTS[run.case.name] if run.case.sick else None)) for run in outcomes]
    return [f"{run.case.title}: {' '.join(run.codes) or 'nothing'}" for run, marks in marked
            if marks.false_alarms or (run.case.sick and FAULTS[run.case.name].leaves_trace and not marks.detected)]


def test_sound_trainings_raise_no_alarm(lab: tuple[Outcome, ...], board: Figures) -> None:
    """The worst bug of a debugger."""
    sound = [run for run in lab if not run.case.sick]
    assert board.false_alarms.of >= 30
    assert board.false_alarms.hits <= MOST_FALSE_ALARMS * board.false_alarms.of, missed(sound)


@pytest.mark.parametrize("half", HALVES)
def test_faults_that_leave_a_trace_are_found(lab: tuple[Outcome, ...], half: Half) -> None:
    """A miss is the second worst; both halves, so that limits are not fitted to the scenes they were tuned on."""
    runs = [run for run in lab if run.case.half == half]
    recall = figures(runs, FAULTS).recall.value
    assert recall is not None
    assert recall >= LEAST_RECALL, missed(runs)


def test_alarms_name_what_is_wrong(lab: tuple[Outcome, ...], board: Figures) -> None:
    """A serious finding that pins the trouble on something else sends the user away from it."""
    assert board.precision.value is not None
    assert board.precision.value >= LEAST_PRECISION, missed(lab)


def test_the_cause_is_named_first(board: Figures) -> None:
    """What stands first is what a user tries first."""
    assert board.top1.value is not None
    assert board.top1.value >= LEAST_TOP1, board.confusion


def test_every_pattern_is_found_where_it_is_the_one_to_be_found(board: Figures) -> None:
    """A detector that never fires in the whole lab is as good as none."""
    silent = [code for code, each in board.patterns.items() if each.recall.of and not each.recall.hits]
    assert silent == []


def test_no_detector_breaks_on_any_run(board: Figures) -> None:
    """Collapsed, empty and poisoned runs are what a debugger is for."""
    assert board.broken == ()

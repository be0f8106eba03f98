"""Lanes keep the window free; a late answer must never overwrite a newer one."""

import threading

import pytest
from PySide6.QtCore import QThread

from app.lanes import Job, Latest, Task
from app.session import Session
from diagnostics.evidence import Cancelled


@pytest.fixture
def lane():
    lane = Latest("test")
    yield lane
    lane.close()


def test_an_answer_arrives_on_the_gui_thread(lane, qtbot):
    """Widgets may only be touched there."""
    heard: list[tuple[int, bool]] = []
    lane.request(lambda _: 42, lambda value: heard.append((value, QThread.currentThread().isMainThread())))
    assert heard == []
    qtbot.waitUntil(lambda: heard == [(42, True)])
    assert not lane.busy


def test_the_newest_request_wins(lane, qtbot):
    """While scrubbing, an old checkpoint that loads slowly must not replace the one under the cursor."""
    started, gate = threading.Event(), threading.Event()
    arrived: list[int] = []

    def slow(_: Task) -> int:
        started.set()
        gate.wait(5)
        return 1

    lane.request(slow, arrived.append)
    assert started.wait(5)
    for value in (2, 3, 4):
        lane.request(lambda _, value=value: value, arrived.append)
    gate.set()
    qtbot.waitUntil(lambda: not lane.busy)
    assert arrived == [4]


def test_a_finished_answer_falls_away_when_a_newer_request_came(lane, qtbot):
    """Even an answer that already waits in the event queue is old news."""
    done, arrived = threading.Event(), []

    def work(_: Task) -> int:
        done.set()
        return 1

    lane.request(work, arrived.append)
    assert done.wait(5)
    lane.request(lambda _: 2, arrived.append)
    qtbot.waitUntil(lambda: not lane.busy)
    assert arrived == [2]


def test_work_can_see_that_it_is_no_longer_wanted(lane):
    """Without this a dropped diagnosis would hold the lane for minutes."""
    started, stopped = threading.Event(), threading.Event()

    def forever(task: Task) -> None:
        started.set()
        try:
            while True:
                task.beat()
        except Cancelled:
            stopped.set()
            raise

    lane.request(forever, pytest.fail)
    assert started.wait(5)
    lane.cancel()
    assert stopped.wait(5)
    assert not lane.busy


def test_an_error_reaches_the_gui_thread_once(lane, qtbot):
    """An error that stays in a thread is an error that nobody sees."""

    def broken(_: Task) -> None:
        raise ValueError("no such column")

    over: list[bool] = []
    with qtbot.capture_exceptions() as caught:
        lane.request(broken, pytest.fail, over=lambda: over.append(True))
        qtbot.waitUntil(lambda: not lane.busy)
    assert [str(error) for _, error, _ in caught] == ["no such column"]
    assert over == [True]


def test_a_job_shows_its_progress_and_takes_it_away(qtbot):
    """The user sees that something runs, how far it is, and that it ended."""
    session, partials, gate = Session(), [], threading.Event()
    job = Job("diagnose", session)
    seen: list[tuple[float, str] | None] = []
    session.watch(lambda state: seen.append(state.busy.get("diagnose")), "busy")

    def work(task: Task) -> str:
        task.progress(0.5, "needles")
        task.partial("a finding")
        gate.wait(5)
        return "all"

    arrived: list[str] = []
    job.start("Diagnosing", work, arrived.append, partials.append)
    qtbot.waitUntil(lambda: partials == ["a finding"])
    gate.set()
    qtbot.waitUntil(lambda: arrived == ["all"])
    assert seen == [None, (-1.0, "Diagnosing"), (0.5, "needles"), None]
    job.close()


def test_cancelling_a_job_clears_its_progress_at_once():
    """A cancel button that leaves the bar moving looks broken."""
    session, gate = Session(), threading.Event()
    job = Job("diagnose", session)
    job.start("Diagnosing", lambda _: gate.wait(5), pytest.fail)
    job.cancel()
    assert not session.state.busy
    gate.set()
    job.close()

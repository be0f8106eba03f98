"""An error that nobody sees is worse than the error; an error shown ten times is noise."""

import sys
import threading
from pathlib import Path

import pytest

from app.notices import NoticeBar, Notices
from runs.errors import UnreadableFile


@pytest.fixture
def notices():
    return Notices()


@pytest.fixture
def bar(notices, qtbot):
    bar = NoticeBar(notices)
    qtbot.addWidget(bar)
    return bar


def test_a_file_error_is_one_sentence_without_details(notices, bar, qtbot, capsys):
    """The user can act on the sentence; a traceback would only hide it."""
    notices.tell_error(UnreadableFile("this file is truncated", Path("a.ply")))
    qtbot.waitUntil(bar.isVisible)
    assert bar.label.text() == "This file is truncated: a.ply"
    assert not bar.copy.isVisible()
    assert capsys.readouterr().err == ""


def test_the_same_error_is_shown_once_until_dismissed(notices, bar, qtbot):
    """A lane that fails on every step of a drag must not stack bars."""
    for _ in range(3):
        notices.tell_error(UnreadableFile("damaged", Path("a.ply")))
    notices.tell_error(UnreadableFile("damaged", Path("b.ply")))
    qtbot.waitUntil(bar.isVisible)
    bar.close_button.click()
    assert bar.label.text() == "Damaged: b.ply"
    bar.close_button.click()
    assert not bar.isVisible()
    notices.tell_error(UnreadableFile("damaged", Path("a.ply")))
    qtbot.waitUntil(bar.isVisible)


def test_uncaught_errors_of_any_thread_are_heard(notices, bar, qtbot, capsys):
    """Qt hands a slot's exception to sys.excepthook, a thread's goes to threading.excepthook: both must be wired."""
    before = sys.excepthook
    restore = notices.install()
    try:
        error = RuntimeError("in a slot")
        sys.excepthook(RuntimeError, error, None)

        def broken() -> None:
            raise LookupError("in a thread")

        thread = threading.Thread(target=broken)
        thread.start()
        thread.join()
    finally:
        restore()
    assert sys.excepthook is before
    qtbot.waitUntil(bar.isVisible)
    assert "in a slot" in bar.label.text()
    assert bar.copy.isVisible()
    bar.close_button.click()
    assert "in a thread" in bar.label.text()
    assert "LookupError" in capsys.readouterr().err

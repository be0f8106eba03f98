"""Who presses cancel must not wait for work that knows no place to stop."""

import threading
import time

import pytest

from diagnostics.evidence import Cancelled
from diagnostics.patience import patiently


def nothing() -> None:
    pass


def test_it_hands_on_what_the_work_returns() -> None:
    """Else every fact would be lost on its way."""
    assert patiently(lambda: 7, nothing) == 7


def test_it_hands_on_what_the_work_raises() -> None:
    """A damaged file must reach the one who can name it."""
    with pytest.raises(ValueError, match="damaged"):
        patiently(lambda: int("damaged"), nothing)


def test_cancelling_does_not_wait_for_the_work() -> None:
    """The work here ends only after the caller has gone on."""
    gone_on = threading.Event()
    finished = threading.Event()

    def endless() -> None:
        assert gone_on.wait(30)
        finished.set()

    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        patiently(endless, cancel)
    assert not finished.is_set()
    gone_on.set()
    assert finished.wait(30)


def test_the_beat_is_heard_while_the_work_goes_on() -> None:
    """Several times, not once at the end."""
    heard: list[float] = []
    patiently(lambda: time.sleep(0.3), lambda: heard.append(0.0))
    assert len(heard) >= 3

"""A probe that fails, hangs or is killed hurts nobody, and none outlives its window."""

import os
import signal

import pytest

from app import probe_process
from app.lanes import settled
from runs.open_run import open_run
from tests.support.data import REPOSITORY
from tests.support.probes_panel import choose, click, gone, notice, start
from tests.support.training import healthy_run

PATTERN = "needle-gaussians"


@pytest.mark.parametrize(("behaviour", "says"), [
    ("fails", "probe: the photos cannot be read: a.png"), ("breaks", "was ended from outside (signal 6)")])
def test_a_probe_that_fails_is_told_once_and_the_next_one_runs(panel, qtbot, window, mood, name, behaviour, says):
    """One notice with its sentence, what it printed for a bug report, and a window that works."""
    choose(panel, qtbot, name)
    mood(behaviour)
    click(qtbot, panel.view.ask)
    qtbot.waitUntil(lambda: notice(window).isVisible())
    assert says in notice(window).label.text()
    assert notice(window).copy.isVisible() == (behaviour == "breaks")
    click(qtbot, notice(window).close_button)
    assert not notice(window).isVisible()
    mood("")
    pid = start(panel, qtbot, window, name)
    click(qtbot, panel.view.stop)
    qtbot.waitUntil(lambda: gone(pid) and not window.prober.busy)


def test_a_probe_killed_from_outside_is_one_notice(panel, qtbot, window, name):
    """Killing it leaves nothing behind, and hurts nobody."""
    told: list[object] = []
    window.notices.told.connect(told.append)
    pid = start(panel, qtbot, window, name)
    os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: notice(window).isVisible() and not window.prober.busy)
    assert "was ended from outside (signal 9)" in notice(window).label.text()
    assert len(told) == 1
    window.session.go_to(200)
    qtbot.waitUntil(lambda: window.session.state.shown.checkpoint.iteration == 200)


@pytest.mark.parametrize("behaviour", ["", "stubborn"])
def test_a_closing_window_takes_its_probe_along(panel, qtbot, window, mood, name, behaviour, monkeypatch):
    """Even one that does not listen."""
    monkeypatch.setattr(probe_process, "POLITE_MS", 300)
    mood(behaviour)
    pid = start(panel, qtbot, window, name)
    window.close()
    assert gone(pid)
    assert "probe" not in window.session.state.busy


def test_a_stopped_process_does_not_keep_the_window(panel, qtbot, window, name, monkeypatch):
    """A process that is frozen hears nothing and is killed."""
    monkeypatch.setattr(probe_process, "POLITE_MS", 200)
    monkeypatch.setattr(probe_process, "FIRM_MS", 200)
    pid = start(panel, qtbot, window, name)
    os.kill(pid, signal.SIGSTOP)
    window.close()
    qtbot.waitUntil(lambda: gone(pid))


def test_another_run_ends_the_probe_and_a_longer_one_does_not(panel, qtbot, window, name):
    """An answer about another run would be wrong; a training that goes on is the same run."""
    pid = start(panel, qtbot, window, name)
    window.session.renew(healthy_run())
    assert window.prober.busy
    window.session.open(open_run(REPOSITORY / "resources" / "sample_run"))
    assert gone(pid)
    assert not window.prober.busy
    qtbot.waitUntil(lambda: settled(window))

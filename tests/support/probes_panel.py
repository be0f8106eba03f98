"""What a user does with the Probes panel, for tests: choose, start, look at what is in front."""

import os
import sys

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTabBar

from app.notices import NoticeBar
from app.panels.probes import ProbesPanel
from app.probe_process import ProbeProcess
from app.window import Window
from tests.support.data import REPOSITORY

FAKE = (sys.executable, str(REPOSITORY / "tests" / "support" / "fake_probe.py"))


def tabs(window: Window) -> QTabBar:
    return next(bar for bar in window.findChildren(QTabBar) if "Probes" in [bar.tabText(i) for i in range(bar.count())])


def in_front(window: Window) -> str:
    """Which of the tabbed panels is seen; those behind it are "visible" to Qt, too."""
    return tabs(window).tabText(tabs(window).currentIndex())


def click(qtbot, widget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def choose(panel: ProbesPanel, qtbot, name: str) -> None:
    """With the mouse, and wait for the cost."""
    qtbot.mouseClick(panel.cards[name], Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert panel.stack.currentWidget() is panel.view
    qtbot.waitUntil(lambda: "of memory" in panel.view.cost.text())


def start(panel: ProbesPanel, qtbot, window: Window, name: str) -> int:
    """Choose, run, and wait until something came; the number of its process."""
    choose(panel, qtbot, name)
    click(qtbot, panel.view.ask)
    qtbot.waitUntil(lambda: window.session.state.working is not None and bool(window.session.state.working.curves))
    (process,) = [p for p in window.prober.findChildren(ProbeProcess) if "--estimate" not in p.process.arguments()]
    return process.process.processId()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def notice(window: Window) -> NoticeBar:
    return next(iter(window.findChildren(NoticeBar)))

"""The window that tests drive; no thread and no window may outlive the test that made it."""

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import theme
from app.lanes import settled
from app.panels.probes import ProbesPanel
from app.probe_trials import TRIAL
from app.show import dispose
from app.window import Window
from diagnostics.probes.registry import pages
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.open_run import open_run
from tests.support.data import REPOSITORY
from tests.support.probes_panel import FAKE, tabs
from tests.support.training import healthy_run


@pytest.fixture(scope="session", autouse=True)
def _kernels_are_compiled() -> None:
    """In a fresh checkout the first picture waits for a compiler, longer than a test waits for a window."""
    run = open_run(REPOSITORY / "resources" / "sample_run")
    rasterise(prepare(run.checkpoints[-1].gaussians), run.cameras[0], contributions=True)


@pytest.fixture(autouse=True)
def _leaves_nothing_behind(qapp: QApplication) -> Iterator[None]:
    """A worker or a window that survives its owner crashes the application when it ends."""
    threads, windows = set(threading.enumerate()), set(QApplication.topLevelWidgets())
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    left = [t.name for t in threading.enumerate() if t not in threads and not t.name.startswith("numba")]
    assert not left, f"threads outlived the test: {left}"
    open_windows = [w for w in QApplication.topLevelWidgets() if w not in windows]
    assert not open_windows, f"windows outlived the test: {open_windows}"


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings) -> Iterator[Window]:
    theme.apply(QApplication.instance(), theme.DARK)
    window = Window(settings)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    dispose(window)


@pytest.fixture
def name() -> str:
    """Of a probe that asks for no finding."""
    return next(name for name in pages() if name != TRIAL)


@pytest.fixture
def mood(monkeypatch) -> Callable[[str], None]:
    """How the next processes behave."""
    return lambda wanted: monkeypatch.setenv("FAKE_PROBE", wanted)


@pytest.fixture
def panel(window: Window, qtbot, mood) -> ProbesPanel:
    """Before a run of three saves, in front."""
    mood("")
    window.prober.command = FAKE
    window.session.open(healthy_run())
    qtbot.waitUntil(lambda: window.session.state.shown is not None and settled(window))
    bar = tabs(window)
    index = [bar.tabText(i) for i in range(bar.count())].index("Probes")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(index).center())
    found = window.panels["probes"]
    assert isinstance(found, ProbesPanel)
    return found

"""The window that tests drive; no thread and no window may outlive the test that made it."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import theme
from app.show import dispose
from app.window import Window
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.open_run import open_run
from tests.support.data import REPOSITORY


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

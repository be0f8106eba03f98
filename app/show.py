"""Shows the window: on the screen, or drawn into a picture where there is no screen."""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QSettings,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QWidget

from app import theme
from app.lanes import close_lanes, settled
from app.notices import Notice
from app.session import State
from app.warm import warm_up
from app.window import Window, user_settings
from diagnostics.diagnosis import Reported
from diagnostics.verdict import SEVERITIES

PATIENCE_S = 600.0  # for a picture of a large run
QUIET_S = 0.3  # nothing may happen for this long before the picture is taken


class CannotShow(OSError):
    """The window cannot be shown as asked; the message says why and what to do."""


def open_window(options: argparse.Namespace) -> int:
    """Open the window, alone or as one panel, and run until it is closed. Raises CannotShow."""
    if sys.platform == "linux" and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        raise CannotShow("there is no display here; use `splatdoctor diagnose RUN` or `splatdoctor screenshot RUN --out FILE`")
    settings = user_settings()
    app = application(theme.named(str(settings.value("theme", "system"))))
    window = Window(settings)
    restore = window.notices.install()
    signal.signal(signal.SIGINT, lambda *_: window.close())
    heartbeat = QTimer(window, interval=500)  # lets Python see Ctrl+C while Qt waits
    heartbeat.timeout.connect(lambda: None)
    heartbeat.start()
    prepare(window, options)
    if options.panel is not None:
        window.show_only(options.panel)
    window.show()
    code = app.exec()
    restore()
    return code


def draw_window(options: argparse.Namespace) -> int:
    """Draw the window with everything that was asked for into a PNG. Raises CannotShow."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    qInstallMessageHandler(_tell_warnings)
    application(theme.named(options.theme))
    with tempfile.TemporaryDirectory() as folder:  # what the user's window remembers is neither read nor changed
        return _draw(options, passing_settings(Path(folder)))


def passing_settings(folder: Path) -> QSettings:
    """Settings that go with their folder. Never give Qt the null device for this: run as root, it replaces the device."""
    return QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)


def _draw(options: argparse.Namespace, settings: QSettings) -> int:
    window = Window(settings)
    troubles: list[Notice] = []
    restore = window.notices.install()
    window.notices.told.connect(troubles.append)
    try:
        window.resize(*options.size)
        window.size_docks()
        prepare(window, options)
        window.show()
        _wait_for(window, lambda: window.session.state.run is not None, troubles)
        if options.diagnose or options.finding:
            window.doctor.diagnose()
            _wait_for(window, lambda: window.session.state.diagnosis is not None, troubles)
            visit(window, options.finding)
            _wait_for(window, lambda: True, troubles)
        _write(window, options.out)
    finally:
        window.close()
        restore()
        dispose(window)
    print(options.out)
    return 0


def application(chosen: theme.Theme | None) -> QApplication:
    """The application, dressed."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    sys.setswitchinterval(0.001)  # workers hand the interpreter over sooner, so that a drag does not stick
    app.setApplicationName("Splat Doctor")
    app.setDesktopFileName("splatdoctor")
    theme.apply(app, chosen)
    warm_up()
    return app


def prepare(window: Window, options: argparse.Namespace) -> None:
    """Open the run that was named and go to the named place once it is there. Raises CannotShow for an unknown colouring."""
    from app.widgets.viewport_looks import CHOICES

    if options.colour_by is not None and options.colour_by not in CHOICES:
        raise CannotShow(f"nothing can be coloured by {options.colour_by!r}; choose one of {', '.join(CHOICES)}")
    if options.run is None:
        return
    window.loader.open(options.run, options.data)

    def on_change(new: State, _old: State) -> None:
        if new.run is not None:
            window.session.changed.disconnect(on_change)
            window.session.look_at(options.iteration, options.camera, options.colour_by, options.time)

    window.session.changed.connect(on_change)


def visit(window: Window, code: str | None) -> None:
    """Open the finding with this code, or the worst one. Raises CannotShow where it was not found."""
    diagnosis = window.session.state.diagnosis
    found = diagnosis.findings if diagnosis is not None else ()
    wanted: list[Reported] = [f for f in found if code is None or code.casefold() in (f.pattern.code.casefold(), f.pattern.name)]
    if wanted:
        window.session.visit(min(wanted, key=lambda f: SEVERITIES.index(f.severity)))
    elif code is not None:
        raise CannotShow(f"the diagnosis did not find {code!r}")


def dispose(widget: QWidget) -> None:
    """Delete a window now, in the order Qt wants, and not when Python happens to."""
    close_lanes(widget)
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _wait_for(window: Window, ready: Callable[[], bool], troubles: list[Notice]) -> None:
    """Let the window work until `ready` and until every lane is quiet."""
    start = quiet_since = time.monotonic()
    while True:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        now = time.monotonic()
        if troubles:
            raise CannotShow(troubles[0].says)
        if not (ready() and settled(window)):
            quiet_since = now
        if now - quiet_since > QUIET_S:
            return
        if now - start > PATIENCE_S:
            raise CannotShow(f"the window was still working after {PATIENCE_S:g} s")
        time.sleep(0.005)


def _tell_warnings(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Qt's warnings go to standard error, except what only says that there is no window manager."""
    if "propagateSizeHints" not in message and kind != QtMsgType.QtDebugMsg:
        print(message, file=sys.stderr)


def _write(window: Window, path: Path) -> None:
    picture = window.grab()
    if not picture.save(str(path), "PNG"):
        raise CannotShow(f"this picture cannot be written: {path}")

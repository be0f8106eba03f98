"""What a hand does to the viewport and what an eye sees there: real mouse events, and the picture on the screen."""

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.viewport import ViewportPanel
from app.session import Session, Shown
from render.raster.cpu import rasterise
from render.splats import prepare
from render.viewport.choose import Choice
from runs.arrays import U8
from runs.gaussians import Gaussians
from runs.run import Run
from tests.support.runs import cloud, made_run, ring_cameras

SOFTWARE, GL = Choice("software", "the test asks for it"), Choice("gl", "the test asks for it")
LEFT, RIGHT, NO_KEY = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier


def made_up_run(gaussians: Gaussians | None = None) -> Run:
    first, last = cloud(300, seed=1, opacity=0.8), gaussians or cloud(400, opacity=0.8)
    return made_run(checkpoints={100: first, 200: last}, cameras=ring_cameras(8))


def show(session: Session) -> None:
    """What the window's loader does."""
    assert session.state.run is not None
    checkpoint = session.state.run.checkpoint(session.state.iteration)
    assert checkpoint is not None
    session.update(shown=Shown(checkpoint, checkpoint.gaussians, prepare(checkpoint.gaussians)))


def settle(qtbot: QtBot, panel: ViewportPanel) -> None:
    """Until the picture of the last wish is on the screen."""
    qtbot.waitUntil(lambda: not panel.busy and panel.stage.surface.settled(), timeout=20_000)
    QApplication.processEvents()


def picture(qtbot: QtBot, panel: ViewportPanel) -> U8:
    """uint8 [H, W, 3] as on the screen, overlays included."""
    settle(qtbot, panel)
    image = panel.stage.grab().toImage().convertToFormat(panel.stage.grab().toImage().Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def drag(panel: ViewportPanel, button: Qt.MouseButton, by: tuple[int, int], start: tuple[int, int] = (200, 140)) -> None:
    """Press, move in steps, release, at the pointer."""
    kinds = QMouseEvent.Type
    steps = [(kinds.MouseButtonPress, 0.0), *((kinds.MouseMove, i / 6) for i in range(1, 7)), (kinds.MouseButtonRelease, 1.0)]
    for kind, share in steps:
        at = QPointF(start[0] + share * by[0], start[1] + share * by[1])
        held = Qt.MouseButton.NoButton if kind == kinds.MouseButtonRelease else button
        pressed = Qt.MouseButton.NoButton if kind == kinds.MouseMove else button
        event = QMouseEvent(kind, at, panel.stage.pointer.mapToGlobal(at), pressed, held, NO_KEY)
        QApplication.sendEvent(panel.stage.pointer, event)
        QApplication.processEvents()


def wheel(panel: ViewportPanel, notches: int) -> None:
    at = QPointF(200, 140)
    event = QWheelEvent(at, panel.stage.pointer.mapToGlobal(at), QPoint(0, 0), QPoint(0, 120 * notches), LEFT & RIGHT, NO_KEY,
                        Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(panel.stage.pointer, event)


def lit_pixel(panel: ViewportPanel) -> QPoint:
    """Where the picture is most opaque, near the middle."""
    shown, view = panel.session.state.shown, panel.view()
    assert shown is not None
    assert view is not None
    alpha = rasterise(shown.splats, view).alpha[60:200, 80:320]
    y, x = np.unravel_index(alpha.argmax(), alpha.shape)
    return QPoint(int(x) + 80, int(y) + 60)


def eye(panel: ViewportPanel) -> list[float]:
    view = panel.view()
    assert view is not None
    return list(view.centre)

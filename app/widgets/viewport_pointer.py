"""Pointer: the transparent pane over the picture that turns mouse and keys into wishes, and paints frusta and marks."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from runs.arrays import F64

FLY_MS = 16
# Axes right, down, forward.
FLY_KEYS = {
    Qt.Key.Key_W: (0, 0, 1), Qt.Key.Key_S: (0, 0, -1), Qt.Key.Key_A: (-1, 0, 0), Qt.Key.Key_D: (1, 0, 0),
    Qt.Key.Key_Q: (0, 1, 0), Qt.Key.Key_E: (0, -1, 0),
}
FRUSTUM, TEST_FRUSTUM, HOVERED, MARK, DOT = "#5aa9ff", "#ffb454", "#ffffff", "#ffe14d", "#ff5140"


@dataclass(frozen=True, eq=False)
class Overlay:
    """What is painted over the picture, in widget pixels."""

    frusta: tuple[F64, ...] = ()  # float64 [L, 2, 2] each
    test: frozenset[int] = frozenset()  # indices of frusta of held-out photos
    hovered: int | None = None
    marks: F64 | None = None  # float64 [K, 2], selected Gaussians; the first is the one that the inspector shows
    dots: F64 | None = None  # float64 [K, 2], centres of tinted Gaussians
    photo: tuple[float, float, float, float] | None = None  # x, y, width, height of the photo that is looked through
    message: str = ""  # in the middle, where there is no picture
    note: str = ""  # in the corner, beside a picture


class Pointer(QWidget):
    """Signals carry widget pixels; `steps` of the wheel are notches, positive away from the user."""

    orbited = Signal(float, float)
    panned = Signal(float, float)
    dollied = Signal(float)
    flown = Signal(float, float, float)  # right, down, forward: seconds of flight
    clicked = Signal(float, float)
    double_clicked = Signal(float, float)
    hovered = Signal(float, float)
    framed = Signal()
    drag_ended = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Viewport")
        self.overlay = Overlay()
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._dragged = False
        self._keys: set[int] = set()
        self._fly = QTimer(self, interval=FLY_MS)
        self._fly.timeout.connect(self._fly_on)

    def show_overlay(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self.setCursor(Qt.CursorShape.PointingHandCursor if overlay.hovered is not None else Qt.CursorShape.ArrowCursor)
        self.update()

    # What the user does.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self._last = event.position()
        self._dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position()
        if self._pressed is None:
            self.hovered.emit(here.x(), here.y())
            return
        if not self._dragged and (here - self._pressed).manhattanLength() < QApplication.startDragDistance() / 2:
            return
        step, self._last, self._dragged = here - self._last, here, True
        panning = event.buttons() & (Qt.MouseButton.RightButton | Qt.MouseButton.MiddleButton)
        shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        (self.panned if panning or shifted else self.orbited).emit(step.x(), step.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        clicked = not self._dragged and event.button() == Qt.MouseButton.LeftButton
        self._pressed = None
        if clicked:
            self.clicked.emit(event.position().x(), event.position().y())
        elif self._dragged:
            self.drag_ended.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit(event.position().x(), event.position().y())

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.dollied.emit(event.angleDelta().y() / 120)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F and not event.modifiers():
            self.framed.emit()
        elif event.key() in FLY_KEYS and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            self._keys.add(event.key())
            if not self._fly.isActive():
                self._fly_on()
                self._fly.start()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat() or event.key() not in self._keys:
            super().keyReleaseEvent(event)
            return
        self._keys.discard(event.key())
        if not self._keys:
            self._land()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._keys.clear()  # the release goes to another window
        self._land()
        super().focusOutEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(-1e6, -1e6)
        super().leaveEvent(event)

    def _fly_on(self) -> None:
        fast = 4 if QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        step = np.sum([FLY_KEYS[Qt.Key(key)] for key in self._keys], axis=0) * fast * FLY_MS / 1000
        self.flown.emit(*(float(axis) for axis in step))

    def _land(self) -> None:
        if self._fly.isActive():
            self._fly.stop()
            self.drag_ended.emit()

    # What is painted.

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_photo_frame(painter)
        for index, lines in enumerate(self.overlay.frusta):
            self._paint_frustum(painter, index, lines)
        self._paint_dots(painter)
        self._paint_marks(painter)
        self._paint_words(painter)
        painter.end()

    def _paint_photo_frame(self, painter: QPainter) -> None:
        if self.overlay.photo is None:
            return
        painter.setPen(QPen(QColor(255, 255, 255, 150), 1, Qt.PenStyle.DashLine))
        painter.drawRect(QRectF(*self.overlay.photo))

    def _paint_frustum(self, painter: QPainter, index: int, lines: F64) -> None:
        hovered = index == self.overlay.hovered
        colour = QColor(HOVERED if hovered else TEST_FRUSTUM if index in self.overlay.test else FRUSTUM)
        painter.setPen(QPen(colour, 2.5 if hovered else 1.2))
        for start, end in lines[np.isfinite(lines).all(axis=(1, 2))]:
            painter.drawLine(QPointF(*start), QPointF(*end))

    def _paint_dots(self, painter: QPainter) -> None:
        if self.overlay.dots is None:
            return
        dots = [QPointF(x, y) for x, y in self.overlay.dots[np.isfinite(self.overlay.dots).all(axis=1)]]
        for pen in (QPen(QColor(0, 0, 0, 170), 5), QPen(QColor(DOT), 3)):  # dark rim: seen on any picture
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoints(dots)

    def _paint_marks(self, painter: QPainter) -> None:
        marks = self.overlay.marks
        for index, (x, y) in enumerate(() if marks is None else marks):
            if np.isfinite(x) and np.isfinite(y):
                radius = 11 if index == 0 else 5
                for pen in (QPen(QColor(0, 0, 0, 200), 4), QPen(QColor(MARK), 2)):  # dark rim: seen on any picture
                    painter.setPen(pen)
                    painter.drawEllipse(QPointF(x, y), radius, radius)

    def _paint_words(self, painter: QPainter) -> None:
        if self.overlay.message:
            room = QRectF(self.rect()).adjusted(30, 30, -30, -30)
            _paint_label(painter, room, Qt.AlignmentFlag.AlignCenter, self.overlay.message)
        if self.overlay.note:
            room = QRectF(18, 14, min(self.width() - 36, 460), self.height())
            _paint_label(painter, room, Qt.AlignmentFlag.AlignLeft, self.overlay.note)


def _paint_label(painter: QPainter, room: QRectF, align: Qt.AlignmentFlag, text: str) -> None:
    """White on a dark plate, which is read on any picture and in either theme."""
    flags = align | Qt.TextFlag.TextWordWrap
    box = painter.boundingRect(room, flags, text)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(16, 18, 22, 205))
    painter.drawRoundedRect(box.adjusted(-8, -5, 8, 5), 5, 5)
    painter.setPen(QColor("#ffffff"))
    painter.drawText(box, flags, text)

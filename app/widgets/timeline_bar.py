"""The painted bar of the timeline: saved iterations, marks, the chosen range, findings, and the playhead."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app import wording
from app.theme import Theme, theme_of
from app.widgets.iteration_axis import IterationAxis

MARGIN = 14.0  # px left and right of the axis
TRACK_TOP, TRACK_HEIGHT = 20.0, 22.0  # px
FINDINGS_TOP, FINDING_HEIGHT, FINDING_ROWS = 46.0, 4.0, 3  # px, px, rows before findings share one
LABELS_TOP = FINDINGS_TOP + FINDING_ROWS * (FINDING_HEIGHT + 1) + 2  # px
HEIGHT = round(LABELS_TOP) + 20  # px
GRIP_PX = 6.0  # how near to a handle a press takes it


@dataclass(frozen=True)
class Mark:
    """Something that happened at one iteration."""

    iteration: int
    kind: str  # "reset" | "state" | "densify end"
    says: str


@dataclass(frozen=True)
class Band:
    """A finding's interval; the worst comes first and gets the upper row."""

    first: int
    last: int
    colour: str
    says: str


@dataclass(frozen=True)
class Scene:
    """Everything that the bar paints."""

    extent: tuple[int, int] = (0, 1)
    saved: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    here: int = 0
    span: tuple[int, int] | None = None


class TimelineBar(QWidget):
    """Drag scrubs; shift-drag, or dragging a handle, chooses the range; Escape chooses the whole run."""

    scrubbed = Signal(int)
    span_chosen = Signal(int, int)
    span_cleared = Signal()
    stepped = Signal(int)
    play_toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene = Scene()
        self._anchor: int | None = None  # the fixed end of a range that is being dragged
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline")

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def show_scene(self, scene: Scene) -> None:
        self.scene = scene
        self.update()

    @property
    def axis(self) -> IterationAxis:
        return IterationAxis(*self.scene.extent, MARGIN, self.width() - MARGIN)

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.scene.saved:
            return
        x, iteration = event.position().x(), self.axis.iteration(event.position().x())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = iteration
        elif (handle := self._handle_at(x)) is not None and self.scene.span is not None:
            self._anchor = self.scene.span[1 - handle]
        else:
            self.scrubbed.emit(iteration)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x, iteration = event.position().x(), self.axis.iteration(event.position().x())
        if not event.buttons() & Qt.MouseButton.LeftButton:
            over_handle = self._handle_at(x) is not None
            self.setCursor(Qt.CursorShape.SizeHorCursor if over_handle else Qt.CursorShape.ArrowCursor)
        elif self._anchor is None:
            self.scrubbed.emit(iteration)
        elif iteration != self._anchor:
            self.span_chosen.emit(min(self._anchor, iteration), max(self._anchor, iteration))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._anchor = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        far = len(self.scene.saved)
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: -far, Qt.Key.Key_End: far,
                 Qt.Key.Key_PageUp: -5, Qt.Key.Key_PageDown: 5}
        if event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Space:
            self.play_toggled.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.span_cleared.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            at = event.pos()  # type: ignore[attr-defined]  # a ToolTip event is a QHelpEvent
            QToolTip.showText(event.globalPos(), self.describe(at.x()), self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def describe(self, x: float) -> str:
        """What lies under pixel `x`, one line each."""
        axis, lines = self.axis, []
        lines += [f"Saved iteration {wording.count(i)}" for i in self.scene.saved if abs(axis.x(i) - x) <= GRIP_PX]
        lines += [mark.says for mark in self.scene.marks if abs(axis.x(mark.iteration) - x) <= GRIP_PX]
        lines += [band.says for band in self.scene.bands if axis.x(band.first) - 3 <= x <= axis.x(band.last) + 3]
        return "\n".join(lines)

    def _handle_at(self, x: float) -> int | None:
        """0 or 1, the end of the range whose handle is under `x`."""
        if self.scene.span is None:
            return None
        away = [abs(self.axis.x(end) - x) for end in self.scene.span]
        return away.index(min(away)) if min(away) <= GRIP_PX else None

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_track(painter, theme)
        if self.scene.saved:
            self._paint_span(painter, theme)
            self._paint_ticks(painter, theme)
            self._paint_marks(painter, theme)
            self._paint_bands(painter)
            self._paint_playhead(painter, theme)
        painter.end()

    def _paint_track(self, painter: QPainter, theme: Theme) -> None:
        painter.setPen(QPen(QColor(theme.accent if self.hasFocus() else theme.line), 1))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(QRectF(MARGIN - 6, TRACK_TOP, self.width() - 2 * MARGIN + 12, TRACK_HEIGHT), 4, 4)
        painter.setPen(QColor(theme.muted))
        if not self.scene.saved:
            painter.drawText(QRectF(0, TRACK_TOP, self.width(), TRACK_HEIGHT), Qt.AlignmentFlag.AlignCenter, "No saved iteration")
            return
        for tick in self.axis.ticks(80):
            box = QRectF(self.axis.x(tick) - 40, LABELS_TOP, 80, 18)
            box.moveLeft(min(max(box.left(), 2.0), self.width() - 82.0))
            align = Qt.AlignmentFlag.AlignHCenter if 2 < box.left() < self.width() - 82 else (
                Qt.AlignmentFlag.AlignLeft if box.left() <= 2 else Qt.AlignmentFlag.AlignRight)
            painter.drawText(box, align, wording.count(tick))

    def _paint_span(self, painter: QPainter, theme: Theme) -> None:
        if self.scene.span is None:
            return
        left, right = (self.axis.x(end) for end in self.scene.span)
        fill = QColor(theme.accent)
        fill.setAlphaF(0.22)
        painter.fillRect(QRectF(left, TRACK_TOP, right - left, TRACK_HEIGHT), fill)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent))
        for x in (left, right):
            painter.drawRoundedRect(QRectF(x - 2, TRACK_TOP - 3, 4, TRACK_HEIGHT + 6), 2, 2)

    def _paint_ticks(self, painter: QPainter, theme: Theme) -> None:
        for iteration in self.scene.saved:
            here = iteration == self.scene.here
            painter.setPen(QPen(QColor(theme.text if here else theme.muted), 3 if here else 2))
            x = self.axis.x(iteration)
            painter.drawLine(QPointF(x, TRACK_TOP + 5), QPointF(x, TRACK_TOP + TRACK_HEIGHT - 5))

    def _paint_marks(self, painter: QPainter, theme: Theme) -> None:
        for mark in self.scene.marks:
            x = self.axis.x(mark.iteration)
            if mark.kind == "densify end":
                painter.setPen(QPen(QColor(theme.minor), 1.5, Qt.PenStyle.DashLine))
                painter.drawLine(QPointF(x, TRACK_TOP - 4), QPointF(x, TRACK_TOP + TRACK_HEIGHT + 2))
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.info if mark.kind == "reset" else theme.good))
            y = TRACK_TOP - 7
            shape = [QPointF(x - 4, y - 3), QPointF(x + 4, y - 3), QPointF(x, y + 4)]
            painter.drawPolygon(QPolygonF(shape if mark.kind == "reset" else [
                QPointF(x, y - 5), QPointF(x + 4, y), QPointF(x, y + 5), QPointF(x - 4, y)]))

    def _paint_bands(self, painter: QPainter) -> None:
        for index, band in enumerate(self.scene.bands):
            left, right = self.axis.x(band.first), self.axis.x(band.last)
            top = FINDINGS_TOP + min(index, FINDING_ROWS - 1) * (FINDING_HEIGHT + 1)
            painter.fillRect(QRectF(left - 1, top, max(right - left, 0) + 2, FINDING_HEIGHT), QColor(band.colour))

    def _paint_playhead(self, painter: QPainter, theme: Theme) -> None:
        x = self.axis.x(self.scene.here)
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.drawLine(QPointF(x, 8), QPointF(x, FINDINGS_TOP - 2))
        painter.setBrush(QColor(theme.accent))
        painter.drawEllipse(QPointF(x, 8), 5, 5)

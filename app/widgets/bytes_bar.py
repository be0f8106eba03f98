"""A stacked bar of bytes, with a mark where a GPU's memory ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QToolTip, QWidget

from app.theme import Theme, theme_of

HEIGHT, LABEL = 22, 16  # pixels of the bar and of the line of text above it
GAP = 2


@dataclass(frozen=True)
class Segment:
    """One part of the bar."""

    name: str
    amount: float  # any unit, the same for all
    tip: str


class BytesBar(QWidget):
    """Segments from left to right, `limit` as a line across it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._segments: tuple[Segment, ...] = ()
        self._limit: float | None = None
        self._limit_name = ""
        self.setMinimumHeight(HEIGHT + LABEL + 2)
        self.setAccessibleName("Where the bytes are")

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT + LABEL + 2)

    def show_segments(self, segments: Sequence[Segment], limit: float | None = None, limit_name: str = "") -> None:
        self._segments, self._limit, self._limit_name = tuple(segments), limit, limit_name
        self.setAccessibleDescription(", ".join(segment.tip for segment in segments))
        self.update()

    @property
    def segments(self) -> tuple[Segment, ...]:
        return self._segments

    def rectangles(self) -> list[QRectF]:
        """Where each segment is drawn."""
        total = max(sum(segment.amount for segment in self._segments), self._limit or 0.0)
        scale = (self.width() - 2) / total if total else 0.0
        found, left = [], 1.0
        for segment in self._segments:
            wide = segment.amount * scale
            found.append(QRectF(left, LABEL, wide, HEIGHT))
            left += wide
        return found

    def limit_x(self) -> float | None:
        """Pixels from the left edge; None without a limit."""
        total = max(sum(segment.amount for segment in self._segments), self._limit or 0.0)
        return None if self._limit is None or not total else 1 + self._limit * (self.width() - 2) / total

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.fillRect(QRectF(1, LABEL, self.width() - 2, HEIGHT), QColor(theme.raised))
        for index, rectangle in enumerate(self.rectangles()):
            painter.fillRect(rectangle.adjusted(0, 0, -1 if rectangle.width() > GAP else 0, 0), segment_colour(theme, index))
        end = self.limit_x()
        if end is not None:
            self._draw_limit(painter, theme, end)
        painter.end()

    def _draw_limit(self, painter: QPainter, theme: Theme, end: float) -> None:
        painter.setPen(QPen(QColor(theme.text), 2))
        x = min(end, self.width() - 1.0)
        painter.drawLine(QPointF(x, LABEL - 3), QPointF(x, LABEL + HEIGHT))
        wide = painter.fontMetrics().horizontalAdvance(self._limit_name)
        left = min(max(0.0, x - wide - 4), self.width() - wide - 2.0)
        painter.drawText(QPointF(left, LABEL - 4), self._limit_name)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            at = QPointF(event.pos())
            tips = [s.tip for s, r in zip(self._segments, self.rectangles(), strict=True) if r.contains(at)]
            QToolTip.showText(event.globalPos(), tips[0] if tips else "", self)
            return True
        return super().event(event)


def segment_colour(theme: Theme, index: int) -> QColor:
    """Told apart by place and name as well: there are more parts than safe colours."""
    colours = (*theme.curves, theme.muted, theme.good, theme.critical)
    return QColor(colours[index % len(colours)])


def swatch(colour: QColor) -> QPixmap:
    """A small square for a table's row."""
    picture = QPixmap(10, 10)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.fillRect(0, 0, 10, 10, colour)
    painter.end()
    return picture

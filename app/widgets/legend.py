"""Legend: what a colour of the viewport means, as a bar with round values and their unit."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from render.colouring import NO_VALUE, Scale, legend_ticks
from runs.arrays import U8

WIDTH, BAR, MARGIN = 250, 12, 10  # px; wider where the heading needs it


@dataclass(frozen=True, eq=False)
class LegendText:
    """What a scalar mode shows: its name, unit, range and colours."""

    title: str
    unit: str  # empty for a pure number
    scale: Scale
    colours: U8  # uint8 [256, 3]
    missing: bool = False  # some splats have no number and are grey


class Legend(QWidget):
    """Drawn over the picture; nothing to see while no scalar is shown. Lets the mouse through."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._shows: LegendText | None = None
        self.hide()

    @property
    def shows(self) -> LegendText | None:
        return self._shows

    def show_text(self, text: LegendText | None) -> None:
        """None hides the legend."""
        self._shows = text
        self.setVisible(text is not None)
        if text is not None:
            self.setAccessibleName(f"Legend: {heading(text)}")
            self.resize(self.sizeHint())
            self.update()

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        lines = 2 + bool(self._shows and self._shows.missing)
        wide = self.fontMetrics().horizontalAdvance(heading(self._shows)) + 2 * MARGIN if self._shows else 0
        return QSize(max(WIDTH, wide), BAR + lines * (line + 4) + MARGIN)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._shows is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(16, 18, 22, 205))  # dark behind the text on any picture
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        self._paint_bar(painter, self._shows)
        painter.end()

    def _paint_bar(self, painter: QPainter, text: LegendText) -> None:
        line, left, right = self.fontMetrics().height(), MARGIN, self.width() - MARGIN
        painter.setPen(QColor("#ffffff"))
        painter.drawText(QRectF(left, MARGIN / 2, right - left, line), Qt.AlignmentFlag.AlignLeft, heading(text))
        top = MARGIN / 2 + line + 4
        painter.drawImage(QRectF(left, top, right - left, BAR), strip(text.colours))
        self._paint_ticks(painter, text, top + BAR)
        if text.missing:
            below = top + BAR + 4 + line + 4
            painter.fillRect(QRectF(left, below + 2, 10, 10), QColor(*NO_VALUE))
            painter.drawText(QRectF(left + 16, below, right - left, line), Qt.AlignmentFlag.AlignLeft, "not available")

    def _paint_ticks(self, painter: QPainter, text: LegendText, top: float) -> None:
        metrics, taken = self.fontMetrics(), -1e9
        for tick in legend_ticks(text.scale):
            x = MARGIN + tick.position * (self.width() - 2 * MARGIN)
            width = metrics.horizontalAdvance(tick.text)
            start = min(max(x - width / 2, 2), self.width() - width - 2)
            painter.drawLine(int(x), int(top), int(x), int(top + 3))
            if start > taken + 6:  # two labels never run into each other
                painter.drawText(QRectF(start, top + 3, width + 2, metrics.height()), Qt.AlignmentFlag.AlignLeft, tick.text)
                taken = start + width


def heading(text: LegendText) -> str:
    """Title and unit, and the spacing where it is not linear."""
    notes = (text.title, text.unit, "logarithmic" if text.scale.log else "")
    return " · ".join(note for note in notes if note)


def strip(colours: U8) -> QImage:
    """The colour map as a picture of one row, low values left."""
    row = np.ascontiguousarray(colours[None])
    return QImage(row.tobytes(), row.shape[1], 1, row.shape[1] * 3, QImage.Format.Format_RGB888).copy()

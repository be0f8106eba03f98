"""Transport icons drawn from triangles and bars, so that they follow the theme and need no font."""

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF

Glyph = Literal["play", "pause", "previous", "next", "first", "last"]
SIZE_PX = 32  # drawn at twice the shown size

# Left edges of bars and, for triangles, (tip x, base x), on a unit square.
_BARS: Mapping[Glyph, tuple[float, ...]] = {
    "pause": (0.24, 0.58), "previous": (0.2,), "next": (0.66,), "first": (0.1,), "last": (0.76,),
}
_TRIANGLES: Mapping[Glyph, tuple[tuple[float, float], ...]] = {
    "play": ((0.85, 0.2),), "previous": ((0.36, 0.8),), "next": ((0.64, 0.2),),
    "first": ((0.24, 0.56), (0.56, 0.9)), "last": ((0.44, 0.1), (0.76, 0.44)),
}


def transport_icon(glyph: Glyph, colour: str, disabled: str) -> QIcon:
    """An icon in one colour, and in another for a button that cannot be pressed."""
    icon = QIcon(_drawn(glyph, colour))
    icon.addPixmap(_drawn(glyph, disabled), QIcon.Mode.Disabled)
    return icon


def _drawn(glyph: Glyph, colour: str) -> QPixmap:
    pixmap = QPixmap(SIZE_PX, SIZE_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    for left in _BARS.get(glyph, ()):
        painter.drawRect(QRectF(left * SIZE_PX, 0.2 * SIZE_PX, (0.18 if glyph == "pause" else 0.12) * SIZE_PX, 0.6 * SIZE_PX))
    for tip, base in _TRIANGLES.get(glyph, ()):
        corners = [(base, 0.2), (base, 0.8), (tip, 0.5)]
        painter.drawPolygon(QPolygonF([QPointF(x * SIZE_PX, y * SIZE_PX) for x, y in corners]))
    painter.end()
    return pixmap

"""The stage: a surface with the picture, the pointer above it, the legend in its corner."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.widgets.graphics_probe import chosen_backend, match_pyopengl
from app.widgets.legend import Legend, LegendText
from app.widgets.viewport_pointer import Pointer
from app.widgets.viewport_surface import SoftwareSurface, Surface
from render.viewport.choose import Choice

if TYPE_CHECKING:
    from app.widgets.gl_surface import GLSurface

LEGEND_GAP = 12  # px


class Stage(QWidget):
    """Stacks the three; `surface` is chosen once, for the display at hand."""

    resized = Signal()

    def __init__(self, choice: Choice | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = choice or chosen_backend()
        self.setMinimumSize(240, 160)
        self._surface = make_surface(self.choice, self)
        self.pointer = Pointer(self)
        self.legend = Legend(self)
        self.setFocusProxy(self.pointer)

    @property
    def surface(self) -> Surface:
        return self._surface

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height in device pixels, at least 1."""
        scale = self.devicePixelRatioF()
        return max(round(self.width() * scale), 1), max(round(self.height() * scale), 1)

    def show_legend(self, text: LegendText | None) -> None:
        self.legend.show_text(text)
        self._place_legend()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._surface.setGeometry(self.rect())
        self.pointer.setGeometry(self.rect())
        self._place_legend()
        self.resized.emit()
        super().resizeEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.resized.emit()
        return super().event(event)

    def _place_legend(self) -> None:
        self.legend.move(LEGEND_GAP, self.height() - self.legend.height() - LEGEND_GAP)


def make_surface(choice: Choice, parent: QWidget) -> "SoftwareSurface | GLSurface":
    """vispy and PyOpenGL are imported only where GL was chosen."""
    if choice.backend == "software":
        return SoftwareSurface(parent)
    match_pyopengl()
    from app.widgets.gl_surface import GLSurface

    return GLSurface(parent=parent)

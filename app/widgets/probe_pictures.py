"""Pictures that a probe made, one at a time: chosen by title, the newest one while it works."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QDialog, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from diagnostics.probes.answer import Shot
from runs.arrays import U8

TALLEST_PX = 260
ENLARGED = 0.8  # of the screen


class ProbePictures(QWidget):
    """Hidden while there are none; `camera_wanted` carries the name of the picture's camera."""

    camera_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shots: tuple[Shot, ...] = ()
        self._chosen = False  # by the user: then it stays
        self.titles, self.picture, self.camera = QComboBox(), Picture(), QToolButton()
        self.titles.setAccessibleName("Picture")
        self.titles.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.titles.setMinimumContentsLength(12)
        self.titles.activated.connect(self._on_chosen)
        self.picture.enlarged.connect(self._enlarge)
        self.camera.clicked.connect(lambda: self.camera_wanted.emit(self._shots[self.titles.currentIndex()].camera))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.titles)
        column.addWidget(self.picture)
        column.addWidget(self.camera, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_shots(self, shots: Sequence[Shot], *, live: bool) -> None:
        """While the probe is at work the newest one is shown, unless the user chose one."""
        if [id(shot) for shot in shots] == [id(shot) for shot in self._shots]:
            return
        before, changed = self._title(), [shot.title for shot in shots if not any(shot is old for old in self._shots)]
        self._shots = tuple(shots)
        titles = [shot.title for shot in shots]
        self.titles.clear()
        self.titles.addItems(titles)
        self._chosen = self._chosen and before in titles
        follows = live and not self._chosen and changed
        wanted = changed[-1] if follows else before
        self.titles.setCurrentIndex(titles.index(wanted) if wanted in titles else 0)
        self.titles.setVisible(len(titles) > 1)
        self._show()
        self.setVisible(bool(shots))

    def _title(self) -> str:
        return self.titles.currentText()

    def _on_chosen(self) -> None:
        self._chosen = True
        self._show()

    def _show(self) -> None:
        if self._shots:
            shot = self._shots[self.titles.currentIndex()]
            self.picture.show_pixels(shot.rgb, shot.title)
            self.camera.setText(f"Look through {shot.camera}")
            self.camera.setVisible(bool(shot.camera))

    def _enlarge(self) -> None:
        shot = self._shots[self.titles.currentIndex()]
        dialog = QDialog(self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(shot.title)
        large = Picture(tallest_px=100_000)
        large.show_pixels(shot.rgb, shot.title)
        column = QVBoxLayout(dialog)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(large)
        room = self.screen().availableSize() * ENLARGED
        dialog.resize(large.image.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio))
        dialog.show()


class Picture(QWidget):
    """As wide as its room, and never taller than it may be; a small one is drawn in whole pixels."""

    enlarged = Signal()

    def __init__(self, parent: QWidget | None = None, *, tallest_px: int = TALLEST_PX) -> None:
        super().__init__(parent)
        self._tallest_px = tallest_px
        self.image = QImage()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_pixels(self, rgb: U8, title: str) -> None:
        pixels = np.ascontiguousarray(rgb)
        height, width = pixels.shape[:2]
        self.image = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
        self.setAccessibleName(title)
        self.setToolTip(f"{title}: {width} × {height} px. Double-click to enlarge")
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        size = self.image.size()
        return min(self._tallest_px, round(width * size.height() / max(size.width(), 1)))

    def sizeHint(self) -> QSize:
        return QSize(260, self.heightForWidth(260))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.image.isNull():
            return
        size = self.image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter = QPainter(self)
        smaller = size.width() < self.image.width()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)  # smoothing would hide how coarse it worked
        left, top = (self.width() - size.width()) // 2, (self.height() - size.height()) // 2
        painter.drawImage(QRect(left, top, size.width(), size.height()), self.image)
        painter.end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.enlarged.emit()

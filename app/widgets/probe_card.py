"""A card for one probe: what it is called, what it asks, and how far it is with the open run."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.probe_states import Badge
from diagnostics.probes.registry import Page


class ProbeCard(QFrame):
    """Click it, or press Return, to open its page; `clicked` carries its name."""

    clicked = Signal(str)

    def __init__(self, page: Page, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page = page
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("What it costs, how it works, and to ask it")
        title, self.badge, question = QLabel(page.title), QLabel(), QLabel(page.question)
        title.setProperty("role", "heading")
        question.setProperty("role", "muted")
        for label in (title, question):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.badge.setAlignment(Qt.AlignmentFlag.AlignTop)
        top = QHBoxLayout()
        top.addWidget(title, 1)
        top.addWidget(self.badge)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(question)

    def show_badge(self, badge: Badge, theme: Theme) -> None:
        self.badge.setText(badge.text)
        self.badge.setStyleSheet(f"color: {badge.colour(theme)};")
        self.setAccessibleName(f"{self.page.title}: {badge.text}")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit(self.page.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit(self.page.name)
        else:
            super().keyPressEvent(event)

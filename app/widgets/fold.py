"""A heading that folds a list of clickable lines away."""

from collections.abc import Sequence
from html import escape
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget


class Fold(QWidget):
    """Closed at first; `clicked` carries the value of the line that was clicked."""

    clicked = Signal(object)

    def __init__(self, title: str, lines: Sequence[tuple[str, str, Any]], parent: QWidget | None = None) -> None:
        """Each line: link text, what follows it, and the value that a click sends."""
        super().__init__(parent)
        self._values = [value for _, _, value in lines]
        self.head = QToolButton()
        self.head.setText(f"{title} ({len(lines)})")
        self.head.setCheckable(True)
        self.head.setEnabled(bool(lines))
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setArrowType(Qt.ArrowType.RightArrow)
        self.head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.head.toggled.connect(self._on_toggled)
        self.body = QLabel("".join(
            f'<p style="margin:0 0 5px 0"><a href="{i}" style="text-decoration:none">{escape(link)}</a>{escape(rest)}</p>'
            for i, (link, rest, _) in enumerate(lines)))
        self.body.setTextFormat(Qt.TextFormat.RichText)
        self.body.setWordWrap(True)
        self.body.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard)
        self.body.setContentsMargins(22, 0, 4, 4)
        self.body.linkActivated.connect(lambda link: self.clicked.emit(self._values[int(link)]))
        self.body.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.head)
        column.addWidget(self.body)

    def _on_toggled(self, opened: bool) -> None:
        self.head.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.body.setVisible(opened)


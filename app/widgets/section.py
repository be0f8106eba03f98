"""A heading that folds a rich text away."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

INDENT_PX = 22


class Section(QWidget):
    """Closed at first; `followed` carries the target of the link that was clicked."""

    followed = Signal(str)

    def __init__(self, title: str, html: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = QToolButton()
        self.head.setText(title)
        self.head.setCheckable(True)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setArrowType(Qt.ArrowType.RightArrow)
        self.head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.head.toggled.connect(self._on_toggled)
        self.body = linked_label(html)
        self.body.setContentsMargins(INDENT_PX, 0, 4, 4)
        self.body.linkActivated.connect(self.followed)
        self.body.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.head)
        column.addWidget(self.body)

    def show_text(self, title: str, html: str) -> None:
        """Other words; open or closed as it was. Hidden where there is nothing to say."""
        self.head.setText(title)
        self.body.setText(html)
        self.setVisible(bool(html))

    def _on_toggled(self, opened: bool) -> None:
        self.head.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.body.setVisible(opened)


def linked_label(html: str = "") -> QLabel:
    """Rich text whose links can be reached by mouse and keyboard, and whose words can be copied."""
    label = QLabel(html)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByMouse)
    return label

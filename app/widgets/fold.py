"""A heading that folds a list of clickable lines away."""

from collections.abc import Sequence
from html import escape
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.section import Section


class Fold(Section):
    """Closed at first; `clicked` carries the value of the line that was clicked."""

    clicked = Signal(object)

    def __init__(self, title: str, lines: Sequence[tuple[str, str, Any]], parent: QWidget | None = None) -> None:
        """Each line: link text, what follows it, and the value that a click sends."""
        super().__init__(f"{title} ({len(lines)})", "".join(
            f'<p style="margin:0 0 5px 0"><a href="{i}" style="text-decoration:none">{escape(link)}</a>{escape(rest)}</p>'
            for i, (link, rest, _) in enumerate(lines)), parent)
        self._values = [value for _, _, value in lines]
        self.head.setEnabled(bool(lines))
        self.followed.connect(lambda link: self.clicked.emit(self._values[int(link)]))

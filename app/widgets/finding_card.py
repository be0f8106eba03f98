"""A card for one finding: severity in words and colour, one sentence with numbers, where and how sure."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app import wording
from app.theme import Theme
from app.widgets.section import linked_label
from diagnostics import accuracy
from diagnostics.diagnosis import Began, Reported
from diagnostics.probes.registry import Page
from diagnostics.report import wording as report
from diagnostics.report.finding_words import doubts
from diagnostics.report.probe_words import settling


class FindingCard(QFrame):
    """Click it, or press Return, to go there."""

    clicked = Signal(object)
    probe_wanted = Signal(str)

    def __init__(self, reported: Reported, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reported = reported
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Go where this was measured; click again to leave it")
        self.setAccessibleName(f"{reported.severity}: {reported.pattern.title}")
        colour = theme.severity(reported.severity)
        badge = QLabel(reported.severity.capitalize())
        badge.setStyleSheet(f"color: {colour}; font-weight: 700;")
        code = _muted(" · ".join(part for part in (doubts(reported), reported.pattern.code) if part))
        title = QLabel(reported.pattern.title)
        title.setProperty("role", "heading")
        title.setWordWrap(True)
        says = QLabel(reported.finding.says)
        says.setWordWrap(True)
        for label in (title, says):
            label.setTextFormat(Qt.TextFormat.PlainText)
        top = QHBoxLayout()
        top.addWidget(badge)
        top.addStretch(1)
        top.addWidget(code)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(title)
        column.addWidget(says)
        if reported.harmless:
            column.addWidget(_muted(reported.harmless.split(", and ")[0], wrap=True))
        column.addWidget(_muted(where(reported), wrap=True))
        if isinstance(reported.began, Began) and reported.began.telling:
            column.addWidget(_muted(f"{reported.began.says.split('; ')[0]}", wrap=True))
        record = accuracy.sentence_of(reported.pattern.code)
        if record:
            column.addWidget(_muted(report.capitalised(record), wrap=True))
        probes = settling(reported.pattern)
        if probes:
            column.addWidget(self._probes(probes))

    def _probes(self, probes: Sequence[Page]) -> QLabel:
        """Links to those that settle it."""
        names = [escape(page.name) for page in probes]
        links = linked_label(" · ".join(f'<a href="{name}">Ask the {name} probe</a>' for name in names))
        links.linkActivated.connect(self.probe_wanted)
        return links

    def mark(self, chosen: bool) -> None:
        """Outline the card of the finding that the window shows."""
        self.setProperty("chosen", "true" if chosen else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit(self.reported)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit(self.reported)
        else:
            super().keyPressEvent(event)


def where(reported: Reported) -> str:
    """Where it was measured, how sure, and what it follows from."""
    first, last = reported.iterations
    parts = [f"iteration {wording.count(first)}" if first == last else wording.span(reported.iterations)]
    place, cameras = reported.finding.gaussians, reported.finding.cameras
    if place is not None:
        share = report.percent(place.fraction)
        parts.append(f"{wording.count(place.count)} Gaussians ({share}) at {wording.count(place.iteration)}")
    if cameras:
        parts.append(cameras[0] if len(cameras) == 1 else f"{len(cameras)} cameras")
    parts.append(f"{report.percent(reported.finding.confidence)} sure")
    if reported.consequence_of:
        parts.append(f"follows from {', '.join(reported.consequence_of)}")
    return " · ".join(parts)


def _muted(text: str, *, wrap: bool = False) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "muted")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    return label

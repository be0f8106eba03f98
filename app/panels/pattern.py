"""Pattern page: the finding that is open with its numbers, then what the pattern is and where that is known from."""

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from app.session import Session, State
from app.theme import Theme, after_event, theme_of
from app.widgets.finding_html import finding_html
from diagnostics.registry import DETECTORS
from diagnostics.report.page import pattern_html

EMPTY = "<p>Open a finding, or any pattern in the diagnosis, to read about it here.</p>"


class PatternPanel(QWidget):
    """Links open in the system's browser."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.page = QTextBrowser(openLinks=False)
        self.page.document().setDocumentMargin(8)
        self.page.anchorClicked.connect(self._on_link)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addWidget(self.page)
        session.watch(self.show_pattern, "pattern", "finding")

    def show_pattern(self, state: State) -> None:
        theme, pattern, finding = theme_of(self), state.pattern, state.finding
        self.page.document().setDefaultStyleSheet(_style(theme))
        if pattern is None:
            self.page.setHtml(EMPTY)
            return
        detector = DETECTORS.get(pattern.name)
        page = pattern_html(pattern, detector.limits if detector is not None else {})
        about_this_run = finding is not None and finding.pattern.name == pattern.name
        self.page.setHtml(f"{finding_html(finding, theme)}<hr>{page}" if finding is not None and about_this_run else page)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            after_event(self, lambda: self.show_pattern(self._session.state))
        super().changeEvent(event)

    def _on_link(self, link: QUrl) -> None:
        if link.scheme() in ("http", "https"):  # a page never opens a file of this machine
            QDesktopServices.openUrl(link)


def _style(theme: Theme) -> str:
    return (f"a {{ color: {theme.accent}; }} h2 {{ font-size: 13pt; }} h3 {{ font-size: 10pt; color: {theme.muted}; }}"
            f" th {{ color: {theme.muted}; text-align: left; font-weight: 400; }} small {{ color: {theme.muted}; }}")

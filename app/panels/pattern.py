"""Pattern page: the finding that is open with its numbers, then what the pattern is and where that is known from."""

from html import escape

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from app.probe_trials import TRIAL, triable_fixes
from app.session import Session, State
from app.theme import Theme, after_event, theme_of
from app.widgets.finding_html import TRY, away_html, finding_html
from diagnostics.catalogue import Pattern
from diagnostics.registry import DETECTORS
from diagnostics.report.page import pattern_html
from diagnostics.report.probe_words import found_by, settling

ASK = "probe:"
EMPTY = "<p>Open a finding, or any pattern in the diagnosis, to read about it here.</p>"


class PatternPanel(QWidget):
    """Links to pages open in the system's browser; those to probes open the probe."""

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
        theme, pattern = theme_of(self), state.pattern
        self.page.document().setDefaultStyleSheet(_style(theme))
        if pattern is None:
            self.page.setHtml(EMPTY)
            return
        detector = DETECTORS.get(pattern.name)
        page = f"{_probes(pattern)}{pattern_html(pattern, detector.limits if detector is not None else {})}"
        told = _about_this_run(state, theme)
        self.page.setHtml(f"{told}<hr>{page}" if told else page)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            after_event(self, lambda: self.show_pattern(self._session.state))
        super().changeEvent(event)

    def _on_link(self, link: QUrl) -> None:
        finding = self._session.state.finding
        if link.scheme() in ("http", "https"):  # a page never opens a file of this machine
            QDesktopServices.openUrl(link)
        elif link.toString().startswith(ASK):
            self._session.ask_about(link.toString().removeprefix(ASK))
        elif link.toString().startswith(TRY) and finding is not None:
            self._session.ask_about(TRIAL, finding.pattern.code, int(link.toString().removeprefix(TRY)))


def _about_this_run(state: State, theme: Theme) -> str:
    """The finding of the open pattern: the one that was visited, or the one that was explained away."""
    if state.pattern is None:
        return ""
    if state.finding is not None and state.finding.pattern.name == state.pattern.name:
        heard = () if state.diagnosis is None else state.diagnosis.probed
        return finding_html(state.finding, theme, triable_fixes(state.finding, state.run), found_by(state.finding, heard))
    away = () if state.diagnosis is None else state.diagnosis.explained_away
    return next((away_html(one, theme) for one in away if one.reported.pattern.name == state.pattern.name), "")


def _probes(pattern: Pattern) -> str:
    """Links to the probes that settle the pattern."""
    links = (f"<p><a href='{ASK}{escape(page.name)}'>Ask the {escape(page.name)} probe</a>: {escape(page.question)}</p>"
             for page in settling(pattern))
    return "".join(links)


def _style(theme: Theme) -> str:
    return (f"a {{ color: {theme.accent}; }} h2 {{ font-size: 13pt; }} h3 {{ font-size: 10pt; color: {theme.muted}; }}"
            f" th {{ color: {theme.muted}; text-align: left; font-weight: 400; }} small {{ color: {theme.muted}; }}")

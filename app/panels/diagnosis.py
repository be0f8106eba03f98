"""Diagnosis panel: what is wrong, what is clear, and what could not be evaluated and why."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app import wording
from app.session import Session, State
from app.theme import after_event, theme_of
from app.widgets.finding_card import FindingCard
from app.widgets.fold import Fold
from diagnostics.accuracy import track_record
from diagnostics.catalogue import Pattern
from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.report.chains import chains
from diagnostics.report.story import brief
from diagnostics.report.undecided import groups, what_settles
from diagnostics.verdict import SEVERITIES

JOB = "diagnose"
INDENT_PX = 14  # of a card that follows from the one above
NO_RUN = "Open a run to diagnose it"
NOT_YET = "Not diagnosed yet\n\nDiagnose looks at the chosen range for every known failure pattern"


class DiagnosisPanel(QWidget):
    """Click a finding to go where it was measured, again to leave it; click any pattern to read its page."""

    diagnose_wanted = Signal()
    cancel_wanted = Signal()
    report_wanted = Signal()
    json_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.cards: list[FindingCard] = []
        self.range_label = QLabel()
        self.range_label.setProperty("role", "muted")
        self.range_label.setWordWrap(True)
        self.button = QPushButton("Diagnose")
        self.button.setObjectName("primary")
        self.cancel = QPushButton("Cancel")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.doing = QLabel()
        self.doing.setProperty("role", "muted")
        self.area = QScrollArea(widgetResizable=True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.report_button, self.json_button = QPushButton("Export report…"), QPushButton("Export JSON…")
        for button, wanted in ((self.button, self.diagnose_wanted), (self.cancel, self.cancel_wanted),
                               (self.report_button, self.report_wanted), (self.json_button, self.json_wanted)):
            button.clicked.connect(wanted)
        self._lay_out()
        session.watch(self.show_busy, "busy", "run", "span", "diagnosis")
        session.watch(self.show_diagnosis, "diagnosis", "run")
        session.watch(self.show_finding, "finding")

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.range_label, 1)
        top.addWidget(self.cancel)
        top.addWidget(self.button)
        bottom.addWidget(self.report_button, 1)
        bottom.addWidget(self.json_button, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(top)
        column.addWidget(self.bar)
        column.addWidget(self.doing)
        column.addWidget(self.area, 1)
        column.addLayout(bottom)

    def show_busy(self, state: State) -> None:
        fraction, text = state.busy.get(JOB, (0.0, ""))
        running = JOB in state.busy
        for widget in (self.cancel, self.bar, self.doing):
            widget.setVisible(running)
        self.bar.setRange(0, 0 if fraction < 0 else 1000)
        self.bar.setValue(round(fraction * 1000))
        self.doing.setText(text)
        self.button.setVisible(not running)
        self.button.setEnabled(state.run is not None)
        self.range_label.setText(f"Range: {wording.span(state.span)}")
        for button in (self.report_button, self.json_button):
            button.setEnabled(state.diagnosis is not None and not running)

    def show_diagnosis(self, state: State) -> None:
        scrolled = self.area.verticalScrollBar().value()
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        self.cards = []
        if state.diagnosis is None:
            column.addWidget(self._message(NOT_YET if state.run is not None else NO_RUN), 1)
        else:
            self._add_verdicts(column, state.diagnosis)
        self.area.setWidget(page)
        self.area.verticalScrollBar().setValue(scrolled)
        self.show_finding(state)

    def show_finding(self, state: State) -> None:
        for card in self.cards:
            card.mark(state.finding is not None and card.reported.pattern.name == state.finding.pattern.name)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            after_event(self, lambda: self.show_diagnosis(self._session.state))
        super().changeEvent(event)

    def _add_verdicts(self, column: QVBoxLayout, diagnosis: Diagnosis) -> None:
        head = QLabel(headline(diagnosis))
        head.setProperty("role", "heading")
        head.setWordWrap(True)
        column.addWidget(head)
        for chain in chains(diagnosis.findings):
            if len(chain.members) > 1:  # the story of one finding alone is its card
                column.addWidget(_paragraph(brief(chain)))
            for reported in chain.members:
                column.addLayout(self._card(reported, follows=reported is not chain.root))
        for fold in _folds(diagnosis):
            fold.clicked.connect(self._session.read_about)
            column.addWidget(fold)
        column.addStretch(1)

    def _card(self, reported: Reported, *, follows: bool) -> QHBoxLayout:
        """What follows from another finding stands under it, to the right."""
        card = FindingCard(reported, theme_of(self))
        card.clicked.connect(self._session.visit_or_leave)
        card.probe_wanted.connect(self._session.ask_about)
        self.cards.append(card)
        row = QHBoxLayout()
        row.addSpacing(INDENT_PX if follows else 0)
        row.addWidget(card)
        return row

    def _message(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setWordWrap(True)
        label.setProperty("role", "muted")
        return label


def _found_before(pattern: Pattern) -> str:
    """How far a clear verdict can be trusted: how many of the faults it should name the pattern found in our lab."""
    record = track_record(pattern.code)
    return f" – found {record.found} of {record.expected} in our lab" if record is not None and record.expected else ""


def _paragraph(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)  # sentences may quote file names
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setWordWrap(True)
    return label


def _folds(diagnosis: Diagnosis) -> Iterator[Fold]:
    """What is no finding: explained away, undecided by what would decide it, and clear."""
    if diagnosis.explained_away:
        yield Fold("Explained away", [
            (_name(one.reported.pattern), f" – {one.why}", one.reported.pattern) for one in diagnosis.explained_away])
    for group in groups(sorted(diagnosis.not_evaluable, key=lambda one: one.pattern.code)):
        lead = "needs " if group.reason == "missing" else ""
        yield Fold(group.title, [(_name(one.pattern), f" – {lead}{what_settles(one)}", one.pattern) for one in group.entries])
    clear = sorted(diagnosis.clear, key=lambda pattern: pattern.code)
    yield Fold("Clear", [(_name(pattern), _found_before(pattern), pattern) for pattern in clear])


def _name(pattern: Pattern) -> str:
    return f"{pattern.code} {pattern.title}{' (uncertain)' if pattern.uncertain else ''}"


def headline(diagnosis: Diagnosis) -> str:
    """How many of each severity, and over which range."""
    counts = [(severity, sum(f.severity == severity for f in diagnosis.findings)) for severity in SEVERITIES]
    told = ", ".join(f"{number} {severity}" for severity, number in counts if number)
    return f"{told or wording.no_finding(diagnosis)} · {wording.span(diagnosis.span)}"

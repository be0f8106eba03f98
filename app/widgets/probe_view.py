"""One probe's page: what it asks and costs, the buttons, what it tells while it works, its answer, and how it works."""

from html import escape

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.probe_question import Question
from app.probe_trials import TRIAL
from app.probe_values import Costed
from app.probe_words import cost_text, pattern_named
from app.session import Session, State
from app.theme import after_event, theme_of
from app.widgets.probe_answer import ProbeAnswer
from app.widgets.probe_curves import ProbeCurves
from app.widgets.probe_html import CAMERA, PATTERN, followed, limits_html, settles_html, sources_html
from app.widgets.probe_options import ProbeOptions
from app.widgets.probe_pictures import ProbePictures
from app.widgets.probe_states import badge_of, latest_of
from app.widgets.probe_trial import TrialChoice
from app.widgets.section import Section
from diagnostics.probes.registry import Page, pages
from diagnostics.verdict import NOT_AVAILABLE

ASK_AFTER_MS = 400  # without another change of the options, before it is asked what they cost
NO_RUN = "Open a run to see what it would cost."
COUNTING = "Finding out what it would cost…"
BUSY = "Another probe runs: one at a time. What this one would cost is found out when that one has ended."


class ProbeView(QWidget):
    """Acts are signals; what happens comes with the session's state."""

    run_wanted = Signal(Question)
    cost_wanted = Signal(Question)
    pause_wanted = Signal(bool)
    stop_wanted = Signal()
    save_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._page: Page | None = None
        self._put_head()
        self._put_parts()
        self._lay_out()
        self._connect()
        session.watch(self.show_page, "asked")
        session.watch(self.show_choices, "run", "iteration", "diagnosis", "asked")
        session.watch(self.show_cost, "cost", "working", "run", "span", "asked", "iteration", "diagnosis")
        session.watch(self.show_work, "working", "probed", "asked")

    def _put_head(self) -> None:
        self.back = QToolButton()
        self.back.setText("‹ All probes")
        self.title, self.badge, self.question, self.cost = QLabel(), QLabel(), QLabel(), QLabel()
        self.title.setProperty("role", "heading")
        for label in (self.title, self.question, self.cost):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.cost.setAccessibleName("Cost")

    def _put_parts(self) -> None:
        self.ask, self.pause, self.stop = QPushButton("Run"), QPushButton("Pause"), QPushButton("Stop")
        self.ask.setObjectName("primary")
        self.options_button = QToolButton()
        self.options_button.setText("Options")
        self.options_button.setCheckable(True)
        self.options, self.trial = ProbeOptions(), TrialChoice()
        self.options.hide()
        self.bar, self.doing = QProgressBar(textVisible=False), QLabel()
        self.bar.setFixedHeight(6)
        self.doing.setProperty("role", "muted")
        self.doing.setWordWrap(True)
        self.doing.setTextFormat(Qt.TextFormat.PlainText)
        self.curves, self.pictures, self.answer = ProbeCurves(), ProbePictures(), ProbeAnswer()
        self.about = {name: Section(name) for name in (
            "How it works", "What it needs", "What it does not say", "What it settles", "Limits", "Sources")}
        self._patience = QTimer(self, singleShot=True, interval=ASK_AFTER_MS)

    def _lay_out(self) -> None:
        top, buttons = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.back)
        top.addStretch(1)
        top.addWidget(self.badge)
        for button in (self.ask, self.pause, self.stop):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.options_button)
        page = QWidget()
        inside = QVBoxLayout(page)
        inside.setContentsMargins(8, 8, 8, 8)
        above: tuple[QWidget, ...] = (self.title, self.question, self.trial, self.cost)
        below: tuple[QWidget, ...] = (self.options, self.bar, self.doing, self.answer, self.curves, self.pictures)
        for widget in above:
            inside.addWidget(widget)
        inside.addLayout(buttons)
        for widget in (*below, *self.about.values()):
            inside.addWidget(widget)
        inside.addStretch(1)
        self.area = QScrollArea(widgetResizable=True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(top)
        column.addWidget(self.area, 1)

    def _connect(self) -> None:
        self.back.clicked.connect(self._session.show_probes)
        self.ask.clicked.connect(self._on_ask)
        self.pause.clicked.connect(self._on_pause)
        self.stop.clicked.connect(self.stop_wanted)
        self.options_button.toggled.connect(self.options.setVisible)
        self.options.changed.connect(lambda: self.show_cost(self._session.state))
        self.trial.changed.connect(lambda: self.show_cost(self._session.state))
        self.answer.save_wanted.connect(self.save_wanted)
        self.pictures.camera_wanted.connect(self._session.look_through)
        self.answer.followed.connect(self._follow)
        for section in self.about.values():
            section.followed.connect(self._follow)
        self._patience.timeout.connect(self._ask_cost)

    # What the session says

    def show_page(self, state: State) -> None:
        page = None if state.asked is None else pages().get(state.asked.probe)
        if page is None or page is self._page:
            return
        self._page = page
        self.title.setText(f"{page.title}{' (uncertain)' if page.uncertain else ''}")
        self.question.setText(page.question)
        self.trial.setVisible(page.name == TRIAL)
        texts = (escape(page.how), escape(page.needs), escape(page.does_not_say), settles_html(page), limits_html(page),
                 sources_html(page))
        for (name, section), html in zip(self.about.items(), texts, strict=True):
            section.show_text(name, html)
        self.area.verticalScrollBar().setValue(0)

    def show_choices(self, state: State) -> None:
        self.options.show_state(state)
        self.trial.show_state(state)

    def show_cost(self, state: State) -> None:
        """Cost, and what can be pressed."""
        question = self.wanted()
        costed = state.cost if state.cost is not None and state.cost.question == question else None
        says = self._cost_text(question, costed, state)
        self.cost.setText(says)
        self.cost.setVisible(bool(says))
        impossible = costed is not None and costed.cost is not None and bool(costed.cost.missing)
        self.ask.setEnabled(question is not None and state.working is None and not impossible)
        self.update()  # see paintEvent

    def _cost_text(self, question: Question | None, costed: Costed | None, state: State) -> str:
        if question is None:
            return "" if state.run is not None else NO_RUN
        if costed is not None and costed.cost is not None:
            return cost_text(costed.cost, question.limits)
        if costed is not None and costed.trouble:
            return f"What it would cost is {NOT_AVAILABLE}: {costed.trouble}."
        if state.working is not None:
            return "" if self._page is not None and state.working.question.probe == self._page.name else BUSY
        return COUNTING

    def show_work(self, state: State) -> None:
        """The live curves and pictures while it runs, else those of its last answer."""
        page, working = self._page, state.working
        if page is None:
            return
        live = working if working is not None and working.question.probe == page.name else None
        result = latest_of(page.name, state) if live is None else None
        for widget in (self.bar, self.doing, self.pause, self.stop):
            widget.setVisible(live is not None)
        self.ask.setVisible(live is None)
        self.ask.setText("Run" if result is None else "Run again")
        if live is not None:
            self.bar.setRange(0, 0 if live.fraction < 0 else 1000)
            self.bar.setValue(round(live.fraction * 1000))
            self.doing.setText(f"Paused: {live.text}" if live.paused else live.text)
            self.pause.setText("Continue" if live.paused else "Pause")
        badge = badge_of(page.name, state)
        self.badge.setText(badge.text)
        self.badge.setStyleSheet(f"color: {badge.colour(theme_of(self))};")
        self.answer.show_result(result, theme_of(self))
        told = live if live is not None else result
        self.curves.show_curves(() if told is None else told.curves)
        shots = live.shots if live is not None else () if result is None else result.answer.shots
        self.pictures.show_shots(shots, live=live is not None)

    def wanted(self) -> Question | None:
        """The question as it is put by what is chosen; None where nothing can be asked."""
        state, page = self._session.state, self._page
        if page is None or state.run is None:
            return None
        question = self.options.question(page.name, state.span)
        if page.name != TRIAL:
            return question
        trial = self.trial.chosen
        return None if trial is None else question.wishing(finding=trial.key[0], fix=trial.number)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Being painted is being seen: nobody waits for the cost of a probe behind another tab."""
        super().paintEvent(event)
        if self._unasked() is not None and not self._patience.isActive():
            self._patience.start()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange and self._page is not None:
            after_event(self, lambda: self.show_work(self._session.state))
        super().changeEvent(event)

    # Acts

    def _unasked(self) -> Question | None:
        """The question whose cost is not known and not being found out."""
        state, question = self._session.state, self.wanted()
        known = state.cost is not None and state.cost.question == question
        return None if state.asked is None or state.working is not None or known else question

    def _ask_cost(self) -> None:
        question = self._unasked()
        if question is not None and self.isVisible():
            self.cost_wanted.emit(question)

    def _on_ask(self) -> None:
        question = self.wanted()
        if question is not None:
            self.run_wanted.emit(question)

    def _on_pause(self) -> None:
        working = self._session.state.working
        self.pause_wanted.emit(working is not None and not working.paused)

    def _follow(self, link: str) -> None:
        kind, target = followed(link)
        if kind == CAMERA:
            self._session.look_through(target)
        elif kind == PATTERN:
            pattern = pattern_named(target)
            if pattern is not None:
                self._session.read_about(pattern)
        elif link.startswith(("http://", "https://")):
            QDesktopServices.openUrl(QUrl(link))

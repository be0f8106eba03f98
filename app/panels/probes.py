"""Probes panel: which questions a short optimisation can settle, what each costs, and what it found out."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.probe_question import Question
from app.session import Session, State
from app.theme import after_event, theme_of
from app.widgets.probe_card import ProbeCard
from app.widgets.probe_states import badge_of
from app.widgets.probe_view import ProbeView
from diagnostics.probes.registry import pages

ABOUT = ("A probe settles what files cannot: it draws or trains a little itself, in a process of its own, and writes nothing "
         "into the run. What it finds out goes into the diagnosis.")
NONE = "There are no probes."


class ProbesPanel(QWidget):
    """A list of all, and the page of the one that is asked about. Acts are signals; what happens comes with the state."""

    run_wanted = Signal(Question)
    cost_wanted = Signal(Question)
    pause_wanted = Signal(bool)
    stop_wanted = Signal()
    save_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.cards: dict[str, ProbeCard] = {}
        self.stack, self.view = QStackedWidget(), ProbeView(session)
        self.list = self._list()
        self.stack.addWidget(self.list)
        self.stack.addWidget(self.view)
        for its, mine in ((self.view.run_wanted, self.run_wanted), (self.view.cost_wanted, self.cost_wanted),
                          (self.view.pause_wanted, self.pause_wanted), (self.view.stop_wanted, self.stop_wanted),
                          (self.view.save_wanted, self.save_wanted)):
            its.connect(mine)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addWidget(self.stack)
        session.watch(self.show_asked, "asked")
        session.watch(self.show_badges, "working", "probed")

    def _list(self) -> QScrollArea:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        about = QLabel(ABOUT if pages() else NONE)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        column.addWidget(about)
        for name, each in pages().items():
            self.cards[name] = ProbeCard(each)
            self.cards[name].clicked.connect(self._session.ask_about)
            column.addWidget(self.cards[name])
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        return area

    def show_asked(self, state: State) -> None:
        known = state.asked is not None and state.asked.probe in pages()
        self.stack.setCurrentWidget(self.view if known else self.list)

    def show_badges(self, state: State) -> None:
        for name, card in self.cards.items():
            card.show_badge(badge_of(name, state), theme_of(self))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            after_event(self, lambda: self.show_badges(self._session.state))
        super().changeEvent(event)

"""Memory panel: where a training's GPU memory goes at the shown iteration and at its peak, and on which GPUs it fits."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QIcon, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app import wording
from app.lanes import Latest, Task
from app.session import Session, State
from app.theme import after_event, theme_of
from app.widgets.bytes_bar import BytesBar, Segment, segment_colour, swatch
from app.widgets.facts_tree import FactsTree
from app.wording_memory import by_size, full_at, millions
from diagnostics.memory.account import Account, account_of, card_of
from diagnostics.memory.gpus import known_gpus
from diagnostics.memory.model import PAIR
from diagnostics.memory.sizes import size_text
from diagnostics.memory.tiles import widest
from diagnostics.verdict import NOT_AVAILABLE
from render.splats import Splats
from runs.run import Run

NOTHING = "No memory to tell of\n\nOpen a run whose files hold a number of Gaussians"
COUNTING = "Adding up…"
HOW = ("Peak of what PyTorch allocates, by published measurements of this trainer. The CUDA context and blocks that its "
       "allocator keeps take about 0.5-2 GiB more (a rule of thumb, not verified).")
ANY = "Choose a GPU…"
Wanted = tuple[Run | None, int, Splats | None]  # run, iteration, its Gaussians once they have arrived


class MemoryPanel(QWidget):
    """Adds up in its own lane, and only while it can be seen: tile pairs of a large save take seconds."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lane = Latest("memory", self)
        self._account: Account | None = None
        self._wanted: Wanted = (None, 0, None)
        self._asked: Wanted = (None, 0, None)  # what the shown account is of
        self.title, self.answer, self.message = QLabel(), QLabel(), QLabel(NOTHING)
        self.title.setProperty("role", "heading")
        self.title.setToolTip(HOW)
        self.answer.setWordWrap(True)
        self.message.setProperty("role", "muted")
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.gpu = QComboBox()
        self.gpu.setAccessibleName("GPU")
        self.gpu.addItem(ANY, None)
        for gpu in known_gpus():
            self.gpu.addItem(f"{gpu.name.removeprefix('GeForce ')} · {gpu.gib:g} GiB", gpu)
        self.gpu.currentIndexChanged.connect(lambda _index: self._draw())
        self.bar = BytesBar()
        self.tree = FactsTree(["Part", "Here", "Peak"])
        self._lay_out()
        self._show(None)
        session.watch(self.show_state, "run", "iteration", "shown")

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(self.gpu)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(top)
        column.addWidget(self.bar)
        column.addWidget(self.answer)
        column.addWidget(self.message, 1)
        column.addWidget(self.tree, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Being painted is being seen: a panel behind another tab is "visible" to Qt, and never painted."""
        super().paintEvent(event)
        if self._wanted != self._asked:
            after_event(self, self._ask)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()
        super().changeEvent(event)

    def show_state(self, state: State) -> None:
        """Nothing is added up for a panel that nobody sees."""
        shown = state.shown
        splats = shown.splats if shown is not None and shown.checkpoint.iteration == state.iteration else None
        self._wanted = (state.run, state.iteration, splats)
        self.update()

    def _ask(self) -> None:
        if self._wanted == self._asked:
            return
        another = self._wanted[0] is not self._asked[0]
        self._asked = run, iteration, splats = self._wanted
        if run is None:
            self._lane.cancel()
            self._show(None)
            return
        if another:
            self._say(COUNTING)
        self._lane.request(lambda task: _add_up(task, run, iteration, splats), self._show, partial=self._show)

    def _show(self, account: Account | None) -> None:
        self._account = account
        if account is None:
            self._say(NOTHING)
        else:
            self._draw()

    def _say(self, text: str) -> None:
        self.message.setText(text)
        for widget in (self.title, self.gpu, self.bar, self.answer, self.tree):
            widget.setVisible(False)
        self.message.setVisible(True)

    def _draw(self) -> None:
        account = self._account
        if account is None:
            return
        self.message.setVisible(False)
        for widget in (self.title, self.gpu, self.bar, self.answer, self.tree):
            widget.setVisible(True)
        chosen = self.gpu.currentData()
        most = "" if account.peak.complete else "at least "
        self.title.setText(f"Peak {most}{size_text(account.peak.total)}")
        self.bar.show_segments(
            [Segment(p.name, p.bytes, f"{p.name}: {size_text(p.bytes)}") for p in account.peak.parts],
            None if chosen is None else chosen.bytes, "" if chosen is None else f"{chosen.gib:g} GiB")
        self.answer.setText(_answer(account, chosen))
        scrolled = self.tree.verticalScrollBar().value()
        opened = self.tree.opened()
        self.tree.clear()
        self._fill_parts(account, opened)
        self._fill_forecast(account, opened)
        self._fill_gpus(account, opened)
        self.tree.doItemsLayout()
        self.tree.verticalScrollBar().setValue(scrolled)

    def _fill_parts(self, account: Account, opened: dict[str, bool]) -> None:
        here = "" if account.iteration is None else f" at iteration {wording.count(account.iteration)}, and at the peak"
        group = self.tree.group(f"Bytes{here}", opened=opened.get("Bytes", True))
        now = {part.name: part for part in account.now.parts}
        self.tree.row(group, ["Gaussians", wording.count(account.now.count), wording.count(account.peak.count)])
        for index, part in enumerate(account.peak.parts):
            held = size_text(now[part.name].bytes) if part.name in now else ""
            item = self.tree.row(group, [part.name, held, size_text(part.bytes)], tip=f"{part.basis.capitalize()}: {part.why}")
            item.setIcon(0, QIcon(swatch(segment_colour(theme_of(self), index))))
        total = self.tree.row(group, ["Total" if account.now.complete else "At least", size_text(account.now.total),
                                      size_text(account.peak.total)], tip=HOW)
        font = total.font(0)
        font.setBold(True)
        for column in range(3):
            total.setFont(column, font)
        if account.footprint is not None:
            pairs = size_text(account.footprint.pairs * PAIR)
            self.tree.row(group, ["of it tile pairs here, widest view", pairs, ""],
                          tip=f"About {account.footprint.pairs:,.0f} pairs of {PAIR} bytes in view {account.footprint.camera}, "
                              "estimated from a sample; the measured lines hold ordinary ones")

    def _fill_forecast(self, account: Account, opened: dict[str, bool]) -> None:
        group = self.tree.group("Forecast and doubts", opened=opened.get("Forecast", True))
        course, logged = account.course, account.logged
        if course is not None and course.basis:
            self.tree.row(group, ["Expected count", "", wording.count(course.final)],
                          tip=f"Known until iteration {course.known_until:,}; then {course.basis}")
        if logged is not None:
            expected = NOT_AVAILABLE if logged.expected is None else f"{logged.expected:.2f} GiB"
            self.tree.row(group, ["Logged by the trainer", "", f"{logged.gib:.2f} GiB"],
                          tip=f"At iteration {logged.iteration:,}; the model gives {expected} for the count of that time")
        fit = account.setup.measured.fit
        if fit is not None:
            self.tree.sentence(group, f"Measured on {fit.name}", tip=f"{fit.scenes}; {fit.source}")
        for doubt in account.peak.doubts:
            self.tree.sentence(group, doubt[0].upper() + doubt[1:], tip=doubt)

    def _fill_gpus(self, account: Account, opened: dict[str, bool]) -> None:
        group = self.tree.group("GPUs (verdict, full at iteration)", opened=opened.get("GPUs", True))
        if not account.now.complete:
            self.tree.sentence(group, f"{NOT_AVAILABLE}: nobody measured this trainer")
            return
        for size, rows in by_size(account.gpus):
            names = ", ".join(row.gpu.name.removeprefix("GeForce ") for row in rows)
            tip = f"{names}\nRoom for about {millions(rows[0].most)} Gaussians"
            self.tree.row(group, [f"{size:g} GiB: {names}", rows[0].fits, full_at(rows[0].crossing)], tip=tip)


def _answer(account: Account, chosen: object) -> str:
    """One sentence about the chosen card."""
    card = card_of(account, chosen)
    if card is None:
        return HOW
    if not account.peak.complete:
        return f"Whether it fits is {NOT_AVAILABLE}: nobody measured this trainer."
    says = {"fits": "The peak fits.", "tight": "The peak fits narrowly: what lies beside it may be too much.",
            "too small": "The peak does not fit."}[card.fits]
    at = full_at(card.crossing).removeprefix("perhaps ")
    full = f" {'Full' if card.crossing.surely is not None else 'Perhaps full'} at iteration {at}." if at else ""
    return f"{says}{full} Room for about {millions(card.most)} Gaussians in its {card.gpu.gib:g} GiB."


def _add_up(task: Task, run: Run, iteration: int, splats: Splats | None) -> Account | None:
    """First without tile pairs, which take longer."""
    account = account_of(run, known_gpus(), iteration=iteration)
    if account is None or splats is None or not run.cameras:
        return account
    task.partial(account)
    footprint = widest(splats, run.cameras, task.beat)
    return account_of(run, known_gpus(), iteration=iteration, footprint=footprint)

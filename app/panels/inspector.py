"""Inspector panel: the selected Gaussian's parameters, its place in the population, its neighbours and its history."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QTreeWidgetItem, QVBoxLayout, QWidget

from app import wording
from app.inspection import Fact, Inspection, Population, history, inspect
from app.lanes import Latest, Task
from app.session import Contributor, Selection, Session, Shown, State
from app.widgets.facts_tree import FactsTree
from diagnostics.report import wording as report
from diagnostics.verdict import NOT_AVAILABLE
from runs.lineage.ancestry import History
from runs.lineage.moments import HERE, Moment

NOTHING_SELECTED = "No Gaussian selected\n\nClick one in the viewport, or open a finding that names some"
LOOKING = "Looking through the other saves"
ROW_ROLE, ITERATION_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 2  # between them: FactsTree's own


class InspectorPanel(QWidget):
    """Computes in its own lane; of a selection of many, one is read at a time."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lane = Latest("inspect", self)
        self._population: Population | None = None
        self._index = 0  # which of the selected rows is read
        self._selected: Selection | None = None
        self._history = QTreeWidgetItem()
        self._looking: QTreeWidgetItem | None = None  # the line that stands there until the history is known
        self._scrolled = 0  # how far down the tree was read: the next Gaussian is compared there
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.previous, self.next = self._stepper("‹", -1), self._stepper("›", 1)
        self.message = QLabel(NOTHING_SELECTED)
        self.message.setWordWrap(True)
        self.message.setProperty("role", "muted")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.tree = FactsTree(["Parameter", "Stored", "Activated", "Percentile"])
        self.tree.headerItem().setToolTip(3, "How many of this iteration's Gaussians lie below, per cent")
        self.tree.itemActivated.connect(self._on_activated)
        self._lay_out()
        session.watch(self.show_selection, "selected", "shown")

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(self.previous)
        top.addWidget(self.next)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(top)
        column.addWidget(self.message, 1)
        column.addWidget(self.tree, 1)

    def show_selection(self, state: State) -> None:
        selected, shown = state.selected, state.shown
        if selected is not self._selected:
            self._index = 0
        self._selected = selected
        if selected is None or not len(selected.rows):
            self._lane.cancel()
            self._say(NOTHING_SELECTED)
        elif shown is None or shown.checkpoint.iteration != selected.iteration or state.run is None:
            self._lane.cancel()
            self._say(f"Waiting for iteration {wording.count(selected.iteration)}")
        else:
            self._ask(selected, shown, state)

    def _ask(self, selected: Selection, shown: Shown, state: State) -> None:
        if self._population is None or self._population.gaussians is not shown.gaussians:
            self._population = Population(shown.gaussians)
        population, run, row = self._population, state.run, int(selected.rows[self._index])
        assert run is not None  # show_selection saw it
        self._scrolled = self.tree.verticalScrollBar().value()

        def look(task: Task) -> History | str:
            task.partial(inspect(population, row, selected.iteration, run, task.beat, shown.moved))
            return history(run, selected.iteration, row, task.beat, lambda done, of: task.progress(
                done / of, f"{LOOKING}: {wording.count(done)} of {wording.count(of)}"))

        self._lane.request(
            look, self.show_history, partial=lambda found: self.show_inspection(found, selected, shown.time),
            progress=self._show_progress)

    def show_inspection(self, found: Inspection, selected: Selection, time: float | None = None) -> None:
        many = len(selected.rows)
        place = f" · {wording.count(self._index + 1)} of {wording.count(many)} selected" if many > 1 else ""
        self.title.setText(f"{wording.ROWS[found.holds].capitalize()} {wording.count(found.row)}{place}")
        self.title.setToolTip(f"Row {found.row:,} of {found.of:,} at iteration {found.iteration:,}")
        self.previous.setVisible(many > 1)
        self.next.setVisible(many > 1)
        opened = self.tree.opened()
        self.tree.clear()
        only = "" if found.holds == "splats" else f"Of {wording.ROWS[found.holds]}s only the position is the trainer's"
        self._show_facts("Parameters", found.parameters, opened, found.colour, only)
        if found.at_moment:
            self._show_facts(f"At {wording.moment(time)} (canonical, now)", found.at_moment, opened)
        if found.quantities:
            self._show_facts("Quantities", found.quantities, opened)
        self._show_contributors(selected.contributors, opened)
        self._show_neighbours(found, opened)
        self._history = self.tree.group("History (opacity, largest scale, moved)", opened=opened.get("History", True))
        self._looking = self.tree.sentence(self._history, f"{LOOKING}…")
        self.message.hide()
        self.tree.show()
        self._scroll_back()

    def _show_facts(
        self, title: str, facts: tuple[Fact, ...], opened: dict[str, bool], colour: tuple[float, float, float] | None = None,
        says: str = "",
    ) -> None:
        group = self.tree.group(title, opened=opened.get(title, True))
        for fact in facts:
            stored = "" if fact.stored is None else wording.number(fact.stored)
            meant = NOT_AVAILABLE if fact.meant is None else wording.number(fact.meant)
            percentile = "" if fact.percentile is None else f"{fact.percentile:.1f} %"
            tip = f"{fact.name}: {meant} {fact.unit}".rstrip()
            if percentile:
                tip += f"\n{percentile} of the Gaussians of this iteration lie below"
            self.tree.row(group, [fact.name, stored, meant, percentile], tip=tip)
        if colour is not None:
            tip = "The colour from every side, before the view-dependent terms"
            item = self.tree.row(group, ["Colour of SH 0", "", "", ""], tip=tip)
            item.setBackground(2, QBrush(QColor.fromRgbF(*colour)))
        if says:
            self.tree.sentence(group, says)

    def _show_contributors(self, contributors: tuple[Contributor, ...], opened: dict[str, bool]) -> None:
        if not contributors:
            return
        group = self.tree.group("Under the pixel (depth, alpha, weight)", opened=opened.get("Under", True))
        for c in contributors:
            weight = report.percent(c.weight)
            cells = [f"Gaussian {wording.count(c.row)}", wording.number(c.depth), wording.number(c.alpha), weight]
            tip = (f"Front to back. Depth {c.depth:.4g} world units, alpha {c.alpha:.3f}, transmittance {c.transmittance:.3f}, "
                   f"weight {c.weight:.3f}")
            self._linked(self.tree.row(group, cells, tip=tip), c.row)

    def _show_neighbours(self, found: Inspection, opened: dict[str, bool]) -> None:
        group = self.tree.group("Neighbours (distance, in own σ)", opened=opened.get("Neighbours", True))
        for n in found.neighbours:
            sigmas = "" if n.sigmas is None else f"{n.sigmas:.2f} σ"
            cells = [f"{wording.ROWS[found.holds].capitalize()} {wording.count(n.row)}", "", wording.number(n.distance), sigmas]
            tip = f"{n.distance:.4g} world units away; double-click to inspect this one"
            self._linked(self.tree.row(group, cells, tip=tip), n.row)
        if not found.neighbours:
            self.tree.sentence(group, NOT_AVAILABLE)

    def show_history(self, told: History | str) -> None:
        """Below the inspection that is shown."""
        self._history.takeChildren()
        self._looking = None
        if isinstance(told, str):
            self.tree.sentence(self._history, f"{NOT_AVAILABLE}: {told}")
            return
        for one in told:
            if isinstance(one, Moment):
                self._show_moment(one)
            else:
                self.tree.sentence(self._history, wording.remark(one), tip=wording.told_by(one))
        self._scroll_back()

    def _show_progress(self, _fraction: float, says: str) -> None:
        """Of large or remote saves, of which each takes seconds."""
        if self._looking is not None:
            self._looking.setText(0, says)

    def _show_moment(self, moment: Moment) -> None:
        cells = [wording.relation(moment), wording.number(moment.opacity), wording.number(moment.max_scale),
                 wording.number(moment.moved)]
        is_here = moment.relation == HERE
        item = self.tree.row(
            self._history, cells, tip=wording.told_by(moment) + ("" if is_here else "\nDouble-click to go there"))
        if is_here:
            font = item.font(0)
            font.setBold(True)
            item.setFont(0, font)
        else:
            self._linked(item, moment.row, moment.iteration)

    def _scroll_back(self) -> None:
        self.tree.doItemsLayout()  # else the bar still has the range of before
        self.tree.verticalScrollBar().setValue(self._scrolled)

    def _linked(self, item: QTreeWidgetItem, row: int, iteration: int | None = None) -> None:
        item.setData(0, ROW_ROLE, row)
        item.setData(0, ITERATION_ROLE, iteration)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        row, iteration = item.data(0, ROW_ROLE), item.data(0, ITERATION_ROLE)
        if iteration is not None:
            self._session.follow(iteration, row)
        elif row is not None:
            self._session.select([row])

    def _say(self, text: str) -> None:
        self.title.setText("")
        self.previous.hide()
        self.next.hide()
        self.tree.hide()
        self.message.setText(text)
        self.message.show()

    def _stepper(self, text: str, by: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip("Another one of the selected Gaussians")
        button.clicked.connect(lambda: self._step(by))
        return button

    def _step(self, by: int) -> None:
        if self._selected is not None:
            self._index = (self._index + by) % len(self._selected.rows)
            self.show_selection(self._session.state)

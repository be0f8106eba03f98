"""Plots panel: the run's series as charts that share their iterations with the timeline."""

from collections.abc import Iterable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from app.session import Session, State
from app.theme import after_event, theme_of
from app.widgets.chart import READOUT_WIDTH_PX, Chart, WholeNumbers, dressed_axis, marks_of
from app.widgets.chart_choice import ChartSpec, charts, choosable, default_choice, family
from app.widgets.iteration_axis import extent
from runs.arrays import F64
from runs.run import Run

Outline = tuple[object, ...]


class PlotsPanel(QWidget):
    """Linked cursor, linked zoom: wheel zooms, drag pans, click or a drag of the cursor moves the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._chosen: tuple[str, ...] = ()
        self._zoomed = False  # by hand: then a rebuild keeps what is visible
        self._offered: tuple[str, ...] = ()  # in the menu
        self._drawn: Outline = ()
        self.charts: list[Chart] = []
        self.view = pg.GraphicsLayoutWidget()
        self.view.ci.layout.setSpacing(0)
        self.view.ci.layout.setContentsMargins(4, 4, 8, 4)
        self.view.ci.layout.setColumnStretchFactor(1, 1)
        self.view.ci.layout.setColumnMinimumWidth(2, READOUT_WIDTH_PX)
        self.menu = QMenu(self)
        self.chooser = QToolButton()
        self.chooser.setText("Series")
        self.chooser.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.chooser.setMenu(self.menu)
        self.fit = QToolButton()
        self.fit.setText("Whole run")
        self.fit.setToolTip("Show every iteration again")
        self.fit.clicked.connect(self.show_everything)
        self.empty = QLabel("No series: open a run that has a log")
        self.empty.setProperty("role", "muted")
        self._lay_out()
        session.watch(self.show_run, "run")
        session.watch(self.show_place, "iteration", "span", "finding")

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        for widget in (self.chooser, self.fit, self.empty):
            top.addWidget(widget)
        top.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 2, 4, 4)
        column.setSpacing(2)
        column.addLayout(top)
        column.addWidget(self.view)

    def show_run(self, state: State) -> None:
        if state.run is self._run and self.charts:
            return
        same_folder = self._run is not None and state.run is not None and state.run.path == self._run.path
        self._run = state.run
        series = state.run.series if state.run is not None else {}
        self._zoomed = self._zoomed and same_folder
        self._chosen = self._chosen if same_folder and self._chosen else default_choice(series)
        if same_folder and self._grown():
            return
        self._fill_menu()
        after_event(self, self._build)  # a turn of its own: with the other panels' work it would be felt

    def _grown(self) -> bool:
        """Whether the charts that are there could take up longer curves; a training that is followed would else blink."""
        specs = self._specs()
        if not self.charts or self._offered != self._choosable() or self._drawn != _outline(specs, self._resets()):
            return False
        for chart, spec in zip(self.charts, specs, strict=True):
            chart.take(spec)
            if self._run is not None:
                chart.keep_within(*extent(self._run))
        if not self._zoomed:
            self.show_everything()
        self.show_place(self._session.state)
        return True

    def _specs(self) -> tuple[ChartSpec, ...]:
        series = self._run.series if self._run is not None else {}
        return charts(series, self._chosen) if series else ()

    def _choosable(self) -> tuple[str, ...]:
        return choosable(self._run.series) if self._run is not None else ()

    def show_place(self, state: State) -> None:
        theme = theme_of(self)
        found = state.finding
        for chart in self.charts:
            chart.show_cursor(state.iteration)
            chart.show_range(state.span)
            chart.show_interval(found.iterations if found else None, theme.severity(found.severity) if found else theme.major)

    def show_everything(self) -> None:
        if self._run is not None and self.charts:
            first, last = extent(self._run)
            self.charts[0].vb.setXRange(first, last, padding=0.04)
            self._zoomed = False

    def choose(self, names: tuple[str, ...]) -> None:
        """Plot these series."""
        self._chosen = names
        self._build()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            after_event(self, self._build)
        super().changeEvent(event)

    def _fill_menu(self) -> None:
        self.menu.clear()
        last = ""
        self._offered = self._choosable()
        for name in self._offered:
            if family(name) != last:
                last = family(name)
                self.menu.addSection(last)
            action = QAction(name, self.menu, checkable=True, checked=name in self._chosen)
            action.toggled.connect(self._on_chosen)
            self.menu.addAction(action)

    def _on_cursor(self, x: float) -> None:
        self._session.go_to(round(x))
        self.show_place(self._session.state)  # back to a saved iteration, wherever the mouse let go

    def _on_zoomed(self) -> None:
        self._zoomed = True

    def _on_chosen(self, _on: bool) -> None:
        self.choose(tuple(action.text() for action in self.menu.actions() if action.isChecked()))

    def _build(self) -> None:
        theme = theme_of(self)
        kept = self.charts[0].vb.viewRange()[0] if self.charts and self._zoomed else None
        self.view.clear()
        self.view.setBackground(theme.panel)
        specs = self._specs()
        self._drawn = _outline(specs, self._resets())
        self.empty.setVisible(not specs)
        self.empty.setText("No series: this run has no log that could be read" if self._run else "Open a run to see its series")
        self.chooser.setEnabled(bool(specs))
        self.fit.setEnabled(bool(specs))
        for old in self.charts:
            old.deleteLater()
        self.charts = [Chart(spec, theme, self) for spec in specs]
        for row, chart in enumerate(self.charts):
            chart.put_into(self.view.ci, row)
            if row:
                chart.vb.setXLink(self.charts[0].vb)
            chart.cursor_moved.connect(self._on_cursor)
            chart.vb.sigRangeChangedManually.connect(self._on_zoomed)
            chart.range_moved.connect(self._session.choose_span)
            chart.show_resets(self._resets())
            if self._run is not None:
                chart.keep_within(*extent(self._run))
        if self.charts:
            axis = dressed_axis(WholeNumbers, "bottom", "Iteration", theme)
            axis.linkToView(self.charts[-1].vb)
            self.view.addItem(axis, row=len(self.charts), col=1)
        self.view.ci.setGeometry(self.view.range)  # an empty layout had shrunk it
        if kept is None:
            self.show_everything()
        elif self.charts:
            self.charts[0].vb.setXRange(*kept, padding=0)
        self.show_place(self._session.state)
        for chart in self.charts:
            chart.redraw()

    def _resets(self) -> F64:
        resets = self._run.series.get("opacity_reset") if self._run is not None else None
        return resets.iterations[resets.values > 0].astype(float) if resets is not None else NO_RESETS


NO_RESETS: F64 = np.zeros(0)


def _outline(specs: Iterable[ChartSpec], resets: F64) -> Outline:
    """All of the charts but the curves' points: where it is the same, a longer curve fits into the chart that is there."""
    curves = tuple((spec.title, tuple(map(marks_of, spec.series))) for spec in specs)
    return (*curves, tuple(resets.tolist()))

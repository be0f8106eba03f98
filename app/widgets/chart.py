"""One chart: curves as min/max envelopes, with the linked cursor, the chosen range, a finding's interval and reset marks."""

import itertools
from collections.abc import Sequence
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor

from app import wording
from app.theme import Theme
from app.widgets.chart_choice import ChartSpec
from app.widgets.envelope import envelope, not_finite
from runs.arrays import F64

AXIS_WIDTH_PX, READOUT_WIDTH_PX = 64, 170  # the same on every chart, so that equal iterations stand above each other
TITLE_FROM_PX = 90  # a lower chart has no room for a title along its axis; the readout beside it carries it as well


class WholeNumbers(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Iterations and counts, with thousands separators."""

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [f"{value:,.0f}" if float(value).is_integer() else "" for value in values]


class Chart(pg.PlotItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows; every act of the user is a signal."""

    cursor_moved = Signal(float)
    range_moved = Signal(int, int)

    def __init__(self, spec: ChartSpec, theme: Theme, *, labels_below: bool) -> None:
        axes = {"bottom": WholeNumbers("bottom")} | ({"left": WholeNumbers("left")} if spec.unit == "count" else {})
        super().__init__(axisItems=axes, enableMenu=False)
        self.spec, self._theme = spec, theme
        self.drawn: list[pg.PlotDataItem] = []
        self.readout = self._make_readout()
        self._quiet = False  # while the cursor and the range follow the session
        self._dress(labels_below)
        self._add_curves()
        self.cursor = self._add_cursor()
        self.region = self._add_region(theme.accent, movable=True)
        self.interval = self._add_region(theme.major, movable=False)
        self.vb.sigXRangeChanged.connect(self._on_view)  # no lambdas: they would keep a replaced chart alive
        self.vb.sigResized.connect(self._on_view)

    def _make_readout(self) -> pg.LabelItem:
        """Beside the chart, where it covers no curve: each series' name and its value at the cursor."""
        label = pg.LabelItem("", color=self._theme.text, size="8.5pt", justify="left")
        label.setFixedWidth(READOUT_WIDTH_PX)
        return label

    def _dress(self, labels_below: bool) -> None:
        theme, unit = self._theme, self.spec.unit
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(theme.line)
            axis.setTextPen(theme.muted)
            axis.enableAutoSIPrefix(False)
        self.getAxis("left").setWidth(AXIS_WIDTH_PX)
        self.title = f"{self.spec.title} ({unit})" if unit and unit != "count" else self.spec.title
        self.setLabel("left", self.title, color=theme.muted)
        self.getAxis("bottom").setStyle(showValues=labels_below, hideOverlappingLabels=False)
        if labels_below:
            self.setLabel("bottom", "Iteration", color=theme.muted)
        self.showGrid(x=True, y=True, alpha=0.12)
        self.setMenuEnabled(False)
        self.ctrlMenu.deleteLater()  # seven windows that nothing owns and nobody opens
        self.hideButtons()
        self.vb.setMouseEnabled(x=True, y=False)
        self.vb.enableAutoRange(x=False, y=True)
        self.vb.setAutoVisible(y=True)

    def _add_curves(self) -> None:
        if not self.spec.series:
            self.note = pg.TextItem("not available in this run", color=self._theme.muted, anchor=(0.5, 0.5))
            self.addItem(self.note, ignoreBounds=True)
            self.vb.setYRange(0, 1)
            self.getAxis("left").setStyle(showValues=False)
            return
        for index, series in enumerate(self.spec.series):
            colour = self._theme.curves[index % len(self._theme.curves)]
            few = len(series) <= 40
            curve = self.plot(pen=pg.mkPen(colour, width=1.5), symbol="o" if few else None, symbolSize=5,
                              symbolBrush=colour, symbolPen=None)
            self.drawn.append(curve)
            for iteration in not_finite(series.iterations, series.values)[:200]:
                self.addItem(pg.InfiniteLine(iteration, pen=pg.mkPen(self._theme.critical, width=1)), ignoreBounds=True)

    def _add_cursor(self) -> pg.InfiniteLine:
        pen, hover = (pg.mkPen(colour, width=2) for colour in (self._theme.accent, self._theme.text))
        line = pg.InfiniteLine(0, movable=True, pen=pen, hoverPen=hover)
        line.setZValue(20)
        line.sigPositionChanged.connect(self._on_cursor)
        self.addItem(line, ignoreBounds=True)
        return line

    def _add_region(self, colour: str, *, movable: bool) -> pg.LinearRegionItem:
        brush, hover = _see_through(colour, 0.16), _see_through(colour, 0.24)
        region = pg.LinearRegionItem(movable=movable, brush=brush, hoverBrush=hover, pen=pg.mkPen(colour, width=1))
        region.setZValue(5 if movable else -5)  # a finding's interval lies behind the curves
        region.hide()
        if movable:
            region.sigRegionChangeFinished.connect(self._on_region)
        self.addItem(region, ignoreBounds=True)
        return region

    def redraw(self) -> None:
        """Recompute the envelopes for what is visible."""
        first, last = self.vb.viewRange()[0]
        columns = max(int(self.vb.width()), 50)
        for curve, series in zip(self.drawn, self.spec.series, strict=True):
            curve.setData(*envelope(series.iterations, series.values, first, last, columns))
        if not self.spec.series:
            self.note.setPos((first + last) / 2, 0.5)

    def show_cursor(self, iteration: int) -> None:
        self._quiet = True
        self.cursor.setValue(iteration)
        self._quiet = False
        lines = [f'<span style="color:{self._theme.muted}">{escape(self.title)}</span>']
        for series, colour in zip(self.spec.series, itertools.cycle(self._theme.curves), strict=False):
            value = value_text(series.iterations, series.values, iteration, series.unit)
            lines.append(f'<span style="color:{colour}">{escape(series.name)}</span>&nbsp; {escape(value)}')
        self.readout.setText("<br>".join(lines))

    def show_range(self, span: tuple[int, int] | None) -> None:
        self._show_region(self.region, span)

    def show_interval(self, span: tuple[int, int] | None, colour: str) -> None:
        self.interval.setBrush(_see_through(colour, 0.14))
        for line in self.interval.lines:
            line.setPen(pg.mkPen(colour, width=1))
        self._show_region(self.interval, span)

    def show_resets(self, iterations: F64) -> None:
        for iteration in iterations:
            pen = pg.mkPen(self._theme.muted, width=1, style=Qt.PenStyle.DotLine)
            self.addItem(pg.InfiniteLine(iteration, pen=pen), ignoreBounds=True)

    def mouseClickEvent(self, event: object) -> None:
        """A click anywhere on the chart moves the cursor there."""
        if getattr(event, "button", lambda: None)() == Qt.MouseButton.LeftButton:
            at: QPointF = self.vb.mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
            self.cursor_moved.emit(at.x())

    def _show_region(self, region: pg.LinearRegionItem, span: tuple[int, int] | None) -> None:
        region.setVisible(span is not None)
        if span is not None:
            self._quiet = True
            region.setRegion(span)
            self._quiet = False

    def _on_view(self, *_: object) -> None:
        self.showLabel("left", self.vb.height() >= TITLE_FROM_PX)
        self.redraw()

    def _on_cursor(self) -> None:
        if not self._quiet:
            self.cursor_moved.emit(float(self.cursor.value()))

    def _on_region(self) -> None:
        if not self._quiet:
            first, last = self.region.getRegion()
            self.range_moved.emit(round(first), round(last))


def value_text(iterations: np.ndarray, values: np.ndarray, at: int, unit: str) -> str:
    """The value logged at `at`, else the last one before it with its own iteration, else "not available"."""
    index = int(np.searchsorted(iterations, at, side="right")) - 1
    if index < 0:
        return wording.number(None)
    text = wording.number(float(values[index]), "" if unit == "count" else unit)
    return text if iterations[index] == at else f"{text} (at {wording.count(int(iterations[index]))})"


def _see_through(colour: str, alpha: float) -> QColor:
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result

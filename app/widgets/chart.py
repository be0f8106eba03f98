"""One chart: curves as min/max envelopes, with the linked cursor, the chosen range, a finding's interval and reset marks.

Built from a ViewBox and an axis: pyqtgraph's PlotItem brings a hidden settings dialog that takes most of the time to build.
"""

import itertools
import math
from collections.abc import Sequence
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor

from app import wording
from app.theme import Theme
from app.widgets.chart_choice import ChartSpec
from app.widgets.envelope import envelope, not_finite
from runs.arrays import F64, Array
from runs.series import Series

AXIS_WIDTH_PX, READOUT_WIDTH_PX = 64, 170  # the same on every chart, so that equal iterations stand above each other
TITLE_FROM_PX = 66  # a lower chart has no room for a title along its axis; the readout beside it carries it as well
LABEL_PX = 15  # height of a label of a tick
FEW = 40  # a curve of so few points shows them as dots
MOST_MARKS = 200


class WholeNumbers(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Iterations and counts, with thousands separators."""

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [f"{value:,.0f}" if float(value).is_integer() else "" for value in values]


class Values(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """A vertical axis whose labels never touch, however low the chart is."""

    def tickSpacing(self, low: float, high: float, size_px: float) -> list[tuple[float, float]]:
        return [(tick_step(high - low, size_px), 0)]


class Counts(WholeNumbers, Values):
    """A vertical axis of counts."""


class ClickBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Wheel and drag zoom and pan along the iterations; a click is told as the iteration under it."""

    clicked = Signal(float)

    def mouseClickEvent(self, event: object) -> None:
        if getattr(event, "button", lambda: None)() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.mapSceneToView(event.scenePos()).x())  # type: ignore[attr-defined]


class Chart(QObject):
    """Shows; every act of the user is a signal."""

    cursor_moved = Signal(float)
    range_moved = Signal(int, int)

    def __init__(self, spec: ChartSpec, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.spec, self._theme = spec, theme
        self.title = f"{spec.title} ({spec.unit})" if spec.unit and spec.unit != "count" else spec.title
        self.vb = ClickBox(enableMenu=False)
        self.left = dressed_axis(Counts if spec.unit == "count" else Values, "left", self.title, theme)
        self.readout = pg.LabelItem("", color=theme.text, size="8.5pt", justify="left")
        self._quiet = False  # while the cursor and the range follow the session
        self._dress()
        self.drawn = [self._add_curve(series, colour) for series, colour in self._coloured()]
        self.note = self._add_note()
        self.cursor = self._add_cursor()
        self.region = self._add_region(theme.accent, movable=True)
        self.interval = self._add_region(theme.major, movable=False)
        self.vb.clicked.connect(self.cursor_moved)
        self.vb.sigXRangeChanged.connect(self._on_view)  # no lambdas: they would keep a replaced chart alive
        self.vb.sigResized.connect(self._on_view)

    def put_into(self, layout: pg.GraphicsLayout, row: int) -> None:
        """Axis, picture and readout, side by side."""
        for column, item in enumerate((self.left, self.vb, self.readout)):
            layout.addItem(item, row=row, col=column)

    def take(self, spec: ChartSpec) -> None:
        """Show longer curves of the same names, with the same marks."""
        self.spec = spec
        self.redraw()

    def redraw(self) -> None:
        """Recompute the envelopes for what is visible."""
        first, last = self.vb.viewRange()[0]
        columns = max(int(self.vb.width()), 50)
        for curve, series in zip(self.drawn, self.spec.series, strict=True):
            curve.setData(*envelope(series.iterations, series.values, first, last, columns))
        if self.note is not None:
            self.note.setPos((first + last) / 2, 0.5)

    def keep_within(self, first: int, last: int) -> None:
        """Zoom stays between one iteration per picture and the whole run with some room."""
        room = 0.1 * max(last - first, 1)
        self.vb.setLimits(xMin=first - room, xMax=last + room, minXRange=1)

    def show_cursor(self, iteration: int) -> None:
        self._quiet = True
        self.cursor.setValue(iteration)
        self._quiet = False
        lines = [f'<span style="color:{self._theme.muted}">{escape(self.title)}</span>']
        for series, colour in self._coloured():
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
        pen = pg.mkPen(self._theme.muted, width=1, style=Qt.PenStyle.DotLine)
        for iteration in iterations[:MOST_MARKS]:
            self.vb.addItem(pg.InfiniteLine(iteration, pen=pen), ignoreBounds=True)

    def _dress(self) -> None:
        self.left.setWidth(AXIS_WIDTH_PX)
        self.readout.setMaximumWidth(READOUT_WIDTH_PX)
        self.left.setGrid(30)
        self.left.linkToView(self.vb)
        self.vb.setMouseEnabled(x=True, y=False)
        self.vb.enableAutoRange(x=False, y=True)
        self.vb.setAutoVisible(y=True)
        self.vb.setBorder(self._theme.line)

    def _coloured(self) -> list[tuple[Series, str]]:
        return list(zip(self.spec.series, itertools.cycle(self._theme.curves), strict=False))

    def _add_curve(self, series: Series, colour: str) -> pg.PlotDataItem:
        dots = {"symbol": "o", "symbolSize": 5, "symbolBrush": colour, "symbolPen": None} if len(series) <= FEW else {}
        curve = pg.PlotDataItem(pen=pg.mkPen(colour, width=1), **dots)
        self.vb.addItem(curve)
        for iteration in not_finite(series.iterations, series.values)[:MOST_MARKS]:
            self.vb.addItem(pg.InfiniteLine(iteration, pen=pg.mkPen(self._theme.critical, width=1)), ignoreBounds=True)
        return curve

    def _add_note(self) -> pg.TextItem | None:
        if self.spec.series:
            return None
        note = pg.TextItem("not available in this run", color=self._theme.muted, anchor=(0.5, 0.5))
        self.vb.addItem(note, ignoreBounds=True)
        self.vb.setYRange(0, 1)
        self.left.setStyle(showValues=False)
        return note

    def _add_cursor(self) -> pg.InfiniteLine:
        pen, hover = (pg.mkPen(colour, width=2) for colour in (self._theme.accent, self._theme.text))
        line = pg.InfiniteLine(0, movable=True, pen=pen, hoverPen=hover)
        line.setZValue(20)
        line.sigPositionChanged.connect(self._on_cursor)
        self.vb.addItem(line, ignoreBounds=True)
        return line

    def _add_region(self, colour: str, *, movable: bool) -> pg.LinearRegionItem:
        brush, hover = _see_through(colour, 0.16), _see_through(colour, 0.24)
        region = pg.LinearRegionItem(movable=movable, brush=brush, hoverBrush=hover, pen=pg.mkPen(colour, width=1))
        region.setZValue(5 if movable else -5)  # a finding's interval lies behind the curves
        region.hide()
        if movable:
            region.sigRegionChangeFinished.connect(self._on_region)
        self.vb.addItem(region, ignoreBounds=True)
        return region

    def _show_region(self, region: pg.LinearRegionItem, span: tuple[int, int] | None) -> None:
        region.setVisible(span is not None)
        if span is not None:
            self._quiet = True
            region.setRegion(span)
            self._quiet = False

    def _on_view(self, *_: object) -> None:
        self.left.showLabel(self.vb.height() >= TITLE_FROM_PX)
        self.redraw()

    def _on_cursor(self) -> None:
        if not self._quiet:
            self.cursor_moved.emit(float(self.cursor.value()))

    def _on_region(self) -> None:
        if not self._quiet:
            first, last = self.region.getRegion()
            self.range_moved.emit(round(first), round(last))


def marks_of(series: Series) -> tuple[str, str, bool, int]:
    """What a curve's looks depend on beside its points: its name, unit, whether its points are dots, and its marks."""
    return series.name, series.unit, len(series) <= FEW, len(not_finite(series.iterations, series.values))


def tick_step(span: float, size_px: float) -> float:
    """The smallest of 1, 2, 4, 5 × 10ⁿ at which labels keep apart on an axis of `size_px` pixels that shows `span` > 0."""
    least = max(span, 1e-30) * LABEL_PX / max(size_px, 1.0)
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1.0, 2.0, 4.0, 5.0, 10.0) if step * power >= least * (1 - 1e-9))


def dressed_axis(kind: type[pg.AxisItem], side: str, label: str, theme: Theme) -> pg.AxisItem:
    """An axis in the theme's colours, without SI prefixes: "18k iterations" is not how anybody writes it."""
    axis = kind(side)
    axis.enableAutoSIPrefix(False)
    axis.setPen(theme.line)
    axis.setTextPen(theme.muted)
    axis.setLabel(label, color=theme.muted)
    return axis


def value_text(iterations: Array, values: Array, at: int, unit: str) -> str:
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

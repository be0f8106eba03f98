"""What a probe measures, as it comes: one chart for each unit, and under it each curve's colour, name and last value."""

import itertools
import math
from collections.abc import Sequence
from html import escape

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.theme import Theme, after_event, theme_of
from app.widgets.chart import AXIS_WIDTH_PX, Values, WholeNumbers, dressed_axis
from app.widgets.envelope import envelope
from diagnostics.probes.answer import Curve
from diagnostics.report import wording

CHART_PX = 130
MOST_NAMED = 8  # in a legend; all are drawn
COLUMNS, FEWEST_COLUMNS = 2400, 30  # of all envelopes of a chart together, and of one: they are painted ten times a second


class ProbeCurves(QWidget):
    """Takes all curves each time; hidden while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: tuple[Curve, ...] = ()
        self.charts: dict[str, _UnitChart] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.hide()

    def show_curves(self, curves: Sequence[Curve]) -> None:
        if curves == self._curves:
            return
        self._curves = tuple(curves)
        by_unit: dict[str, list[Curve]] = {}
        for curve in self._curves:
            by_unit.setdefault(curve.unit, []).append(curve)
        for unit in [unit for unit in self.charts if unit not in by_unit]:
            self._drop(unit)
        for unit, same in by_unit.items():
            if unit not in self.charts:
                self.charts[unit] = _UnitChart(unit, theme_of(self))
                self._column.addWidget(self.charts[unit])
            self.charts[unit].show_curves(same)
        self.setVisible(bool(curves))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange and self.charts:
            after_event(self, self._redress)
        super().changeEvent(event)

    def _redress(self) -> None:
        curves = self._curves
        self._curves = ()
        for unit in list(self.charts):
            self._drop(unit)
        self.show_curves(curves)

    def _drop(self, unit: str) -> None:
        chart = self.charts.pop(unit)
        self._column.removeWidget(chart)
        chart.deleteLater()


class _UnitChart(QWidget):
    """Curves of one unit in one picture."""

    def __init__(self, unit: str, theme: Theme) -> None:
        super().__init__()
        self._unit, self._theme = unit, theme
        self._items: list[pg.PlotDataItem] = []
        self._view = pg.GraphicsLayoutWidget()
        self._view.setBackground(theme.panel)
        self._view.setFixedHeight(CHART_PX)
        self._view.ci.setContentsMargins(0, 4, 4, 0)
        self._view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # the wheel scrolls the page
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, border=theme.line)
        self._left = dressed_axis(Values, "left", unit or "value", theme)
        self._bottom = dressed_axis(WholeNumbers, "bottom", "step", theme)
        self._left.setWidth(AXIS_WIDTH_PX)
        self._left.setGrid(30)
        for axis in (self._left, self._bottom):
            axis.linkToView(self._box)
        self._view.addItem(self._left, row=0, col=0)
        self._view.addItem(self._box, row=0, col=1)
        self._view.addItem(self._bottom, row=1, col=1)
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._view)
        column.addWidget(self.legend)

    def show_curves(self, curves: Sequence[Curve]) -> None:
        while len(self._items) < len(curves):
            self._items.append(pg.PlotDataItem())
            self._box.addItem(self._items[-1])
        while len(self._items) > len(curves):
            self._box.removeItem(self._items.pop())
        colours = list(zip(curves, itertools.cycle(self._theme.curves), strict=False))
        for item, (curve, colour) in zip(self._items, colours, strict=True):
            _draw(item, curve, colour, max(COLUMNS // len(curves), FEWEST_COLUMNS))
        named = [f'<span style="color:{colour}">●</span>&nbsp;{escape(curve.name)}: {escape(last_value(curve))}'
                 for curve, colour in colours[:MOST_NAMED]]
        more = [f"and {wording.count(len(curves) - MOST_NAMED, 'more curve')}"] if len(curves) > MOST_NAMED else []
        self.legend.setText("<br>".join((*named, *more)))


def _draw(item: pg.PlotDataItem, curve: Curve, colour: str, columns: int) -> None:
    steps, values = np.array(curve.steps, np.float64), np.array(curve.values, np.float64)
    order = np.argsort(steps, kind="stable")
    x, y = envelope(steps[order], values[order], -math.inf, math.inf, columns)
    dots = {"symbol": "o", "symbolSize": 5, "symbolBrush": colour, "symbolPen": None} if len(x) < 3 else {"symbol": None}
    item.setData(x, y, pen=pg.mkPen(colour, width=1.5), **dots)


def last_value(curve: Curve) -> str:
    """The newest number with its unit, or that the newest is none."""
    if not curve.values:
        return wording.number(None)
    value = curve.values[-1]
    return wording.number(value, curve.unit) if math.isfinite(value) else "not a number"

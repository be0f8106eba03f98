"""Plots of the report as vectors: axes with units, curves, the range, the finding's interval, resets."""

import numpy as np
from reportlab.lib.colors import Color
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

from diagnostics.report import pdf_style as style
from diagnostics.report.fonts import BOLD, SANS, displayable
from diagnostics.report.plots import Curve, Plot, stretches

SMALL = 6.4  # points, all text inside a plot
LEFT, RIGHT, BELOW = 36.0, 8.0, 24.0  # points around the axes' rectangle
LINE = 10.0  # points per line of title or legend
DOTS_UP_TO = 40  # short curves show their points, because nothing is known between them
DASHES = {"opacity reset": (0.8, 1.6), "densification ends": (4.0, 2.0)}


class PlotBox(Flowable):
    """One Plot, drawn with lines and text only."""

    def __init__(self, plot: Plot, width: float, height: float = 96.0) -> None:
        """`height` is that of the axes' rectangle; title and legend come on top."""
        super().__init__()
        self.plot, self.width = plot, width
        self.legend = _legend_lines(plot.curves, width)
        self.axes_px = (width - LEFT - RIGHT, height)
        self.height = height + BELOW + LINE * (1 + len(self.legend)) + 8

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: ARG002 - reportlab's signature
        return self.width, self.height

    def draw(self) -> None:
        self._heading()
        self.canv.saveState()
        self.canv.translate(LEFT, BELOW)
        self._bands()
        self._grid()
        self._marks()
        for index, curve in enumerate(self.plot.curves):
            self._curve(curve, index)
        self.canv.restoreState()

    def _heading(self) -> None:
        unit = f" ({self.plot.unit})" if self.plot.unit not in ("", "count") else ""
        scale = ", logarithmic" if self.plot.up.log else ""
        _say(self.canv, 0, self.height - 7.5, f"{self.plot.title}{unit}{scale}", BOLD, 7.2)
        for line, entries in enumerate(self.legend):
            y = self.height - 7.5 - LINE * (line + 1)
            for index, x in entries:
                _stroke(self.canv, index)
                self.canv.line(x, y + 2.2, x + 14, y + 2.2)
                _say(self.canv, x + 18, y, self.plot.curves[index].label)
        self.canv.setDash()

    def _bands(self) -> None:
        """The range, and over it the finding's interval, which also has a bar on top."""
        height = self.axes_px[1]
        if self.plot.span is not None:
            self._band(self.plot.span, style.RANGE_BAND, 0, height)
        if self.plot.interval is not None:
            self._band(self.plot.interval, style.FINDING_BAND, 0, height)
            self._band(self.plot.interval, style.FINDING_EDGE, height, 2.4)

    def _band(self, span: tuple[int, int], colour: Color, bottom: float, height: float) -> None:
        left, right = (self._x(float(np.clip(end, self.plot.across.low, self.plot.across.high))) for end in span)
        self.canv.setFillColor(colour)
        self.canv.rect(left, bottom, max(right - left, 1.2), height, stroke=0, fill=1)

    def _grid(self) -> None:
        width = self.axes_px[0]
        self.canv.setLineWidth(0.4)
        for tick, label in zip(self.plot.up.ticks, self.plot.up.labels(), strict=True):
            y = self._y(tick)
            self.canv.setStrokeColor(style.RULE)
            self.canv.line(0, y, width, y)
            _say(self.canv, -4, y - 2.2, label, align="right")
        self.canv.setStrokeColor(style.MUTED)
        self.canv.line(0, 0, width, 0)
        for tick, label in zip(self.plot.across.ticks, self.plot.across.labels(), strict=True):
            x = self._x(tick)
            self.canv.line(x, 0, x, -2.5)
            self._inside(x, -9.6, label)
        _say(self.canv, width, -19, self.plot.along, align="right")

    def _inside(self, x: float, y: float, label: str) -> None:
        """A centred label that never sticks out of the plot on the right."""
        half = stringWidth(label, SANS, SMALL) / 2
        _say(self.canv, min(x, self.axes_px[0] + RIGHT - half) - half, y, label)

    def _marks(self) -> None:
        for mark in self.plot.marks:
            x = self._x(mark.iteration)
            self.canv.setStrokeColor(style.MUTED)
            self.canv.setLineWidth(0.7)
            self.canv.setDash(DASHES[mark.label])
            self.canv.line(x, 0, x, self.axes_px[1])
        self.canv.setDash()

    def _curve(self, curve: Curve, index: int) -> None:
        self.canv.saveState()
        _stroke(self.canv, index)
        for run in stretches(curve):
            xs = (self.plot.across.places(curve.iterations[run]) * self.axes_px[0]).tolist()
            ys = (self.plot.up.places(curve.values[run]) * self.axes_px[1]).tolist()
            path = self.canv.beginPath()
            path.moveTo(xs[0], ys[0])
            for x, y in zip(xs[1:], ys[1:], strict=True):
                path.lineTo(x, y)
            self.canv.drawPath(path, stroke=1, fill=0)
            if len(curve.iterations) <= DOTS_UP_TO or len(xs) == 1:
                self._dots(xs, ys, index)
        self._crosses(curve)
        self.canv.restoreState()

    def _dots(self, xs: list[float], ys: list[float], index: int) -> None:
        self.canv.setFillColor(style.CURVE_STYLES[index % len(style.CURVE_STYLES)][0])
        for x, y in zip(xs, ys, strict=True):
            self.canv.circle(x, y, 1.3, stroke=0, fill=1)

    def _crosses(self, curve: Curve) -> None:
        self.canv.setStrokeColor(style.BAD)
        self.canv.setDash()
        for iteration in curve.nonfinite[:200]:
            x, y = self._x(float(iteration)), self.axes_px[1] - 4
            self.canv.line(x - 2, y - 2, x + 2, y + 2)
            self.canv.line(x - 2, y + 2, x + 2, y - 2)

    def _x(self, value: float) -> float:
        return self.plot.across.place(value) * self.axes_px[0]

    def _y(self, value: float) -> float:
        return self.plot.up.place(value) * self.axes_px[1]


def _legend_lines(curves: tuple[Curve, ...], width: float) -> list[list[tuple[int, float]]]:
    """Lines of (curve, x); a curve's entry goes to the next line where it does not fit. A curve without a name has none."""
    lines: list[list[tuple[int, float]]] = [[]]
    x = 0.0
    for index, curve in enumerate(curves):
        if not curve.label:
            continue
        needed = 18 + stringWidth(displayable(curve.label), SANS, SMALL) + 12
        if lines[-1] and x + needed > width:
            lines.append([])
            x = 0.0
        lines[-1].append((index, x))
        x += needed
    return lines


def _stroke(canvas: Canvas, index: int) -> None:
    colour, dash = style.CURVE_STYLES[index % len(style.CURVE_STYLES)]
    canvas.setStrokeColor(colour)
    canvas.setLineWidth(0.9)
    canvas.setLineJoin(1)
    canvas.setDash(list(dash))


def _say(
    canvas: Canvas, x: float, y: float, words: str, font: str = SANS, size: float = SMALL, *, align: str = "left",
) -> None:
    canvas.setFont(font, size)
    canvas.setFillColor(style.MUTED if font == SANS else style.INK)
    draw = canvas.drawRightString if align == "right" else canvas.drawString
    draw(x, y, displayable(words, font))

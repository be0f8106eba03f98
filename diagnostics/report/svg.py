"""Plots of the HTML report as SVG: axes with units, curves, the range, the finding's interval, resets; no script, no file."""

from collections.abc import Iterator
from html import escape

import numpy as np

from diagnostics.report.plots import Curve, Plot, stretches

WIDTH, HEIGHT = 460.0, 190.0  # of the whole drawing, in its own units
LEFT, RIGHT, ABOVE, BELOW = 54.0, 20.0, 36.0, 30.0
ACROSS, UP = WIDTH - LEFT - RIGHT, HEIGHT - ABOVE - BELOW
DASHES = {"opacity reset": "2 3", "densification ends": "7 4"}
CURVE_DASHES = ("", "6 3", "2 2", "8 3 2 3")  # colour and dashes together tell curves apart
DOTS_UP_TO = 40  # short curves show their points, because nothing is known between them
MOST_CROSSES = 200


def svg(plot: Plot) -> str:
    """One plot; its colours come from the page's style sheet."""
    unit = f" ({plot.unit})" if plot.unit not in ("", "count") else ""
    title = f"{plot.title}{unit}{', logarithmic' if plot.up.log else ''}"
    parts = (*_bands(plot), *_grid(plot), *_marks(plot),
             *(part for index, curve in enumerate(plot.curves) for part in _curve(plot, curve, index)))
    names = (f'<tspan class="curve{index % 4}">{escape(curve.label)}</tspan>' for index, curve in enumerate(plot.curves))
    return (f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{escape(title)}">'
            f'<text x="0" y="13" class="title">{escape(title)}</text>'
            f'<text x="0" y="28">{" · ".join(names)}</text>{"".join(parts)}</svg>')


def _bands(plot: Plot) -> Iterator[str]:
    yield _band(plot, plot.span, "range", ABOVE, UP)
    if plot.interval is not None:
        yield _band(plot, plot.interval, "interval", ABOVE, UP)
        yield _band(plot, plot.interval, "edge", ABOVE - 3, 3)


def _band(plot: Plot, span: tuple[int, int], name: str, top: float, height: float) -> str:
    left, right = (_x(plot, float(np.clip(end, plot.across.low, plot.across.high))) for end in span)
    return f'<rect class="{name}" x="{left:.1f}" y="{top:g}" width="{max(right - left, 1.5):.1f}" height="{height:g}"/>'


def _grid(plot: Plot) -> Iterator[str]:
    bottom = ABOVE + UP
    for tick, label in zip(plot.up.ticks, plot.up.labels(), strict=True):
        y = _y(plot, tick)
        yield f'<path class="grid" d="M{LEFT:g} {y:.1f}h{ACROSS:g}"/>'
        yield f'<text x="{LEFT - 6:g}" y="{y + 3.5:.1f}" text-anchor="end">{escape(label)}</text>'
    for tick, label in zip(plot.across.ticks, plot.across.labels(), strict=True):
        x = _x(plot, tick)
        yield f'<path class="axis" d="M{x:.1f} {bottom:g}v4"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 15:g}" text-anchor="middle">{escape(label)}</text>'
    yield f'<path class="axis" d="M{LEFT:g} {bottom:g}h{ACROSS:g}"/>'
    yield f'<text x="{WIDTH - RIGHT:g}" y="{HEIGHT - 2:g}" text-anchor="end">iteration</text>'


def _marks(plot: Plot) -> Iterator[str]:
    for mark in plot.marks:
        yield (f'<path class="mark" stroke-dasharray="{DASHES[mark.label]}" d="M{_x(plot, mark.iteration):.1f} {ABOVE:g}v{UP:g}">'
               f"<title>{escape(mark.label)} at {mark.iteration:,}</title></path>")


def _curve(plot: Plot, curve: Curve, index: int) -> Iterator[str]:
    dash = f' stroke-dasharray="{CURVE_DASHES[index % 4]}"' if CURVE_DASHES[index % 4] else ""
    for run in stretches(curve):
        points = [f"{_x(plot, x):.1f} {_y(plot, y):.1f}" for x, y in zip(curve.iterations[run], curve.values[run], strict=True)]
        yield f'<path class="line line{index % 4}"{dash} d="M{"L".join(points)}"/>'
        if len(curve.iterations) <= DOTS_UP_TO or len(points) == 1:
            yield from (f'<circle class="dot{index % 4}" cx="{x}" cy="{y}" r="2.2"/>' for x, y in map(str.split, points))
    for iteration in curve.nonfinite[:MOST_CROSSES]:
        yield f'<path class="bad" d="M{_x(plot, float(iteration)) - 3:.1f} {ABOVE + 3:g}l6 6m0 -6l-6 6"/>'


def _x(plot: Plot, iteration: float) -> float:
    return LEFT + plot.across.place(iteration) * ACROSS


def _y(plot: Plot, value: float) -> float:
    return ABOVE + (1 - plot.up.place(value)) * UP

"""Plots of the HTML report as SVG: axes with units, curves, the range, the finding's interval, resets; no script, no file."""

from collections.abc import Iterator
from html import escape

import numpy as np

from diagnostics.report.plots import Curve, Plot, stretches

WIDTH, HEIGHT = 460.0, 194.0  # of the whole drawing, in its own units
LEFT, RIGHT, ABOVE, BELOW = 54.0, 20.0, 40.0, 30.0
ACROSS, UP = WIDTH - LEFT - RIGHT, HEIGHT - ABOVE - BELOW
DASHES = {"opacity reset": "2 3", "densification ends": "7 4"}
CURVE_DASHES = ("", "6 3", "2 2", "8 3 2 3")  # together with as many more colours they tell curves apart
LOOKS = 2 * len(CURVE_DASHES)
LEGEND_LINE, LETTER, SAMPLE = 14.0, 6.4, 20.0  # height of a line, widest usual letter, and the bit of curve before a name
DOTS_UP_TO = 40  # short curves show their points, because nothing is known between them
MOST_CROSSES = 200


def svg(plot: Plot) -> str:
    """One plot; its colours come from the page's style sheet."""
    unit = f" ({plot.unit})" if plot.unit not in ("", "count") else ""
    title = f"{plot.title}{unit}{', logarithmic' if plot.up.log else ''}"
    legend = _legend_lines(plot.curves)
    down = LEGEND_LINE * (len(legend) - 1)
    parts = (*_bands(plot), *_grid(plot), *_marks(plot),
             *(part for index, curve in enumerate(plot.curves) for part in _curve(plot, curve, index)))
    return (f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT + down:g}" role="img" aria-label="{escape(title)}">'
            f'<text x="0" y="13" class="title">{escape(title)}</text>{"".join(_legend(plot, legend))}'
            f'<g transform="translate(0 {down:g})">{"".join(parts)}</g></svg>')


def _legend(plot: Plot, lines: list[list[tuple[int, float]]]) -> Iterator[str]:
    for line, entries in enumerate(lines):
        y = 28 + LEGEND_LINE * line
        for index, x in entries:
            yield f'<path class="sample line{index % LOOKS}"{_dash(index)} d="M{x:g} {y - 4:g}h{SAMPLE - 6:g}"/>'
            yield f'<text x="{x + SAMPLE:g}" y="{y:g}">{escape(plot.curves[index].label)}</text>'


def _legend_lines(curves: tuple[Curve, ...]) -> list[list[tuple[int, float]]]:
    """Lines of (curve, x); a curve's entry goes to the next line where it might not fit. A curve without a name has none."""
    lines: list[list[tuple[int, float]]] = [[]]
    x = 0.0
    for index, curve in enumerate(curves):
        needed = SAMPLE + LETTER * len(curve.label) + 12
        if not curve.label:
            continue
        if lines[-1] and x + needed > WIDTH:
            lines.append([])
            x = 0.0
        lines[-1].append((index, x))
        x += needed
    return lines


def _dash(index: int) -> str:
    dashes = CURVE_DASHES[index % len(CURVE_DASHES)]
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def _bands(plot: Plot) -> Iterator[str]:
    if plot.span is not None:
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
    yield f'<text x="{WIDTH - RIGHT:g}" y="{HEIGHT - 2:g}" text-anchor="end">{escape(plot.along)}</text>'


def _marks(plot: Plot) -> Iterator[str]:
    for mark in plot.marks:
        yield (f'<path class="mark" stroke-dasharray="{DASHES[mark.label]}" d="M{_x(plot, mark.iteration):.1f} {ABOVE:g}v{UP:g}">'
               f"<title>{escape(mark.label)} at {mark.iteration:,}</title></path>")


def _curve(plot: Plot, curve: Curve, index: int) -> Iterator[str]:
    for run in stretches(curve):
        points = [f"{_x(plot, x):.1f} {_y(plot, y):.1f}" for x, y in zip(curve.iterations[run], curve.values[run], strict=True)]
        yield f'<path class="line line{index % LOOKS}"{_dash(index)} d="M{"L".join(points)}"/>'
        if len(curve.iterations) <= DOTS_UP_TO or len(points) == 1:
            yield from (f'<circle class="dot{index % LOOKS}" cx="{x}" cy="{y}" r="2.2"/>' for x, y in map(str.split, points))
    for iteration in curve.nonfinite[:MOST_CROSSES]:
        yield f'<path class="bad" d="M{_x(plot, float(iteration)) - 3:.1f} {ABOVE + 3:g}l6 6m0 -6l-6 6"/>'


def _x(plot: Plot, iteration: float) -> float:
    return LEFT + plot.across.place(iteration) * ACROSS


def _y(plot: Plot, value: float) -> float:
    return ABOVE + (1 - plot.up.place(value)) * UP

"""One curve of a faulty training over the same of a sound one, as a drawing that takes the page's colours."""

from html import escape

import numpy as np

from diagnostics.report.axes import Axis, iteration_axis, linear_axis, log_axis
from runs.arrays import F64
from runs.series import Series

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 250, 72, 30, 30, 34
MOST_POINTS = 240  # of a line; more are no longer told apart
LOGARITHMIC = ("lr/xyz",)


def drawing(series: Series, sound: Series, title: str) -> str:
    """An SVG of both; gaps where a value is not finite."""
    both = [series, sound]
    finite = np.concatenate([one.values[np.isfinite(one.values)] for one in both])
    log = series.name in LOGARITHMIC and bool((finite > 0).all())
    down = log_axis(finite.min(), finite.max()) if log else linear_axis(float(finite.min()), float(finite.max()))
    along = iteration_axis(int(min(one.iterations[0] for one in both)), int(max(one.iterations[-1] for one in both)))
    lines = "".join(_line(one, along, down, name) for one, name in ((sound, "healthy"), (series, "sick")))
    key = (f'<text x="{LEFT}" y="16" fill="var(--sick)">faulty training</text>'
           f'<text x="{LEFT + 130}" y="16" fill="var(--healthy)">sound training of the same scene</text>')
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" font-size="13" fill="currentColor">'
            f"{_grid(along, down)}{lines}{key}</svg>")


def _line(series: Series, along: Axis, down: Axis, name: str) -> str:
    iterations, values = _thinned(series)
    x = LEFT + (WIDTH - LEFT - RIGHT) * along.places(iterations)
    y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * down.places(values)
    stretches = np.split(np.arange(len(x)), np.flatnonzero(~np.isfinite(y)))
    drawn = [" ".join(f"{x[i]:.1f},{y[i]:.1f}" for i in stretch if np.isfinite(y[i])) for stretch in stretches]
    style = f'fill="none" stroke="var(--{name})" stroke-width="1.8"'
    return "".join(f'<polyline {style} points="{points}"/>' for points in drawn if points)


def _thinned(series: Series) -> tuple[F64, F64]:
    """Of each share of the values its lowest and its highest, so that no spike is lost."""
    iterations, values = series.iterations.astype(np.float64), series.values
    if len(values) <= MOST_POINTS:
        return iterations, values
    kept: list[int] = []
    for part in np.array_split(np.arange(len(values)), MOST_POINTS // 2):
        known = np.where(np.isfinite(values[part]), values[part], np.nan)
        ends = [part[0]] if np.isnan(known).all() else [part[np.nanargmin(known)], part[np.nanargmax(known)]]
        kept += sorted({int(end) for end in ends})
    return iterations[kept], values[kept]


def _grid(along: Axis, down: Axis) -> str:
    told = []
    for tick, label in zip(down.ticks, down.labels(), strict=True):
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * down.place(tick)
        told.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
                    f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>')
    for tick, label in zip(along.ticks, along.labels(), strict=True):
        x = LEFT + (WIDTH - LEFT - RIGHT) * along.place(tick)
        told.append(f'<text x="{x:.1f}" y="{HEIGHT - 12}" text-anchor="middle">{escape(label)}</text>')
    return "".join(told)

"""The catalogue's drawings must show what the runs logged: no spike lost, no gap bridged, nothing that breaks a page."""

import re

import numpy as np

from benchmarks.book.curves import BOTTOM, HEIGHT, MOST_POINTS, TOP, drawing
from runs.series import Series
from tests.diagnostics.book.pages import Page


def series(values: np.ndarray) -> Series:
    return Series("test/psnr", np.arange(1, len(values) + 1), values.astype(np.float64), "dB", "metrics.jsonl")


def lines(svg: str, name: str) -> list[list[tuple[float, float]]]:
    found = re.findall(rf'stroke="var\(--{name}\)"[^>]* points="([^"]*)"', svg)
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in line.split())] for line in found]


def test_a_single_spike_among_many_values_is_drawn() -> None:
    """Thinning to what a line can show must keep extremes."""
    values = np.full(20_000, 20.0)
    values[7_777] = 30.0
    drawn = lines(drawing(series(values), series(np.full(10, 20.0)), "PSNR"), "sick")
    highest = min(y for line in drawn for _, y in line)
    assert sum(len(line) for line in drawn) <= MOST_POINTS + 2
    assert abs(highest - TOP) < 1


def test_values_that_are_no_numbers_are_gaps() -> None:
    """A line over them would show what was never measured."""
    values = np.array([1.0, 2, 3, np.nan, np.nan, 6, 7])
    drawn = lines(drawing(series(values), series(np.arange(1.0, 8)), "PSNR"), "sick")
    assert [len(line) for line in drawn] == [3, 2]


def test_both_curves_share_one_scale() -> None:
    """Else the comparison lies."""
    svg = drawing(series(np.linspace(0, 10, 11)), series(np.linspace(0, 5, 11)), "PSNR")
    (sick,), (healthy,) = lines(svg, "sick"), lines(svg, "healthy")
    floor, height = HEIGHT - BOTTOM, HEIGHT - TOP - BOTTOM
    assert abs((floor - sick[-1][1]) / height - 1) < 0.01
    assert abs((floor - healthy[-1][1]) / height - 0.5) < 0.01


def test_the_drawing_can_stand_in_a_page() -> None:
    """Its title may hold what HTML would take for its own."""
    page = Page(drawing(series(np.arange(5.0)), series(np.arange(5.0)), 'a "title" & <more>'))
    assert not page.faults
    assert next(told for tag, told in page.tags if tag == "svg")["aria-label"] == 'a "title" & <more>'

"""Numbers beside a curve that run into each other cannot be read, and the chart is low on a small screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.chart import LABEL_PX, tick_step


@given(st.floats(1e-12, 1e12), st.floats(20, 2000))
def test_labels_keep_apart_and_are_round(span, size_px):
    """Never nearer than a label is high, never needlessly far, and only 1, 2, 4 or 5 times a power of ten."""
    step = tick_step(span, size_px)
    assert step / span * size_px >= LABEL_PX * (1 - 1e-6)
    assert step / span * size_px <= 2 * LABEL_PX * (1 + 1e-6)
    assert round(float(f"{step:.6e}".split("e")[0]), 4) in (1, 2, 4, 5)


@pytest.mark.parametrize(("span", "size_px", "step"), [
    (0.85, 72, 0.2), (0.85, 57, 0.4), (20, 75, 4), (20, 70, 5), (18_000, 180, 2000), (1, 15, 1),
])
def test_steps_of_usual_charts(span, size_px, step):
    """The loss over 0.85 on a chart of the default window, then of the smallest one; a PSNR over 20 dB; a count."""
    assert tick_step(span, size_px) == pytest.approx(step)


def test_an_empty_axis_has_a_step():
    """A curve that stands still spans nothing for a moment."""
    assert tick_step(0.0, 50) > 0

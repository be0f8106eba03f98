"""A debugger's plots may lose no spike: the one bad iteration in 30,000 is what the user looks for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.widgets.envelope import envelope, not_finite

curves = arrays(np.float64, st.integers(1, 3000), elements=st.floats(-1e6, 1e6) | st.just(np.nan) | st.just(np.inf))


@given(curves, st.integers(50, 200), st.floats(0, 1), st.floats(0, 1))
def test_extremes_of_what_is_visible_survive_any_zoom(values, columns, one, other):
    """Whatever part is shown at whatever width, its lowest and highest finite values are points of the drawn curve."""
    iterations = np.arange(len(values)) * 10
    first, last = sorted((one * iterations[-1], other * iterations[-1]))
    x, y = envelope(iterations, values, first, last, columns)
    assert len(x) <= 4 * columns + 2
    assert (np.diff(x) > 0).all()
    visible = values[(iterations >= first) & (iterations <= last)]
    visible = visible[np.isfinite(visible)]
    if len(visible):
        assert visible.min() in y
        assert visible.max() in y


@given(curves)
def test_drawn_points_are_logged_points(values):
    """An envelope that interpolates would show a number nobody measured."""
    iterations = np.arange(len(values)) * 3 + 1
    x, y = envelope(iterations, values, -10, 1e9, 60)
    assert np.isin(x, iterations).all()
    assert (values[((x - 1) / 3).astype(int)] == y).all()


def test_a_single_spike_in_the_last_sample_is_kept():
    """Cutting a curve into equal chunks and dropping the rest loses exactly this one."""
    values = np.zeros(10_007)
    values[-1] = 5.0
    assert envelope(np.arange(10_007), values, 0, 10_006, 50)[1].max() == 5.0


def test_zoomed_in_nothing_is_left_out():
    """Where there is room for every sample, every sample is drawn, and the line leaves the picture on both sides."""
    iterations = np.arange(1000)
    x, _ = envelope(iterations, iterations * 1.0, 400.5, 420.5, 100)
    assert x.tolist() == list(range(400, 422))


def test_values_that_are_no_numbers_get_marks():
    """A NaN loss is the finding; a gap in the curve would hide it."""
    assert not_finite(np.array([1, 2, 3]), np.array([0.5, np.nan, np.inf])).tolist() == [2, 3]

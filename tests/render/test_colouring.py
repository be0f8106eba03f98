"""Colours stand for numbers: equal steps must look equal, to colour-blind eyes too, and missing must not look like a value."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.colouring import COLOUR_MAPS, DIVERGING, KNOTS, NO_VALUE, Scale, colour_map, legend_ticks, scale_for, to_rgb

# Deuteranopia, severity 1 (Machado, Oliveira, Fernandes 2009), on linear RGB.
DEUTERANOPIA = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])


def linear(rgb: np.ndarray) -> np.ndarray:
    value = rgb / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lightness(rgb: np.ndarray) -> np.ndarray:
    """CIE L*, 0..100."""
    luminance = linear(rgb) @ [0.2126, 0.7152, 0.0722]
    return np.where(luminance > 0.008856, 116 * np.cbrt(luminance) - 16, 903.3 * luminance)


@pytest.mark.parametrize("name", KNOTS)
def test_sequential_maps_rise_evenly_in_lightness(name: str) -> None:
    """Readable in grey, and no step of the number looks larger than another (within 8-bit rounding)."""
    steps = np.diff(lightness(colour_map(name))[::15])
    assert steps.min() > 0.45 * steps.mean()
    assert steps.max() < 1.6 * steps.mean()


@pytest.mark.parametrize("name", KNOTS)
def test_sequential_maps_rise_for_colour_blind_eyes(name: str) -> None:
    """About one man in twelve does not tell red from green."""
    seen = np.clip(linear(colour_map(name)) @ DEUTERANOPIA.T, 0, 1) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(np.cbrt(seen)[::15]) > 0).all()


def test_diverging_map_is_lightest_in_the_middle_and_its_ends_differ_for_colour_blind_eyes() -> None:
    """Sign must be told apart, size must be told by darkness alone."""
    table = colour_map(DIVERGING)
    light = lightness(table)
    assert (np.diff(light[:128:8]) > 0).all()
    assert (np.diff(light[128::8]) < 0).all()
    assert abs(light[0] - light[-1]) < 6
    ends = np.clip(linear(table[[0, -1]]) @ DEUTERANOPIA.T, 0, 1)
    assert abs(ends[0, 2] - ends[1, 2]) > 0.3


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_maps_are_shared_and_cannot_be_written(name: str) -> None:
    """A panel that edits its map would change everyone's."""
    table = colour_map(name)
    assert (table.shape, table.dtype) == ((256, 3), np.uint8)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_an_unknown_map_is_named() -> None:
    """A typo must not fall back to some map."""
    with pytest.raises(KeyError, match="jet"):
        colour_map("jet")


def test_the_scale_ignores_outliers_and_what_is_missing() -> None:
    """One far Gaussian must not paint all others in one colour."""
    values = np.r_[np.linspace(0, 1, 1000), 1e9, np.nan, np.inf]
    scale = scale_for(values)
    assert 0 <= scale.low < 0.05
    assert 0.95 < scale.high < 1.1


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("values", [[], [np.nan], [3.0, 3.0], [0.0], [-1.0, -1.0]])
def test_a_scale_always_has_a_range(values: list[float], log: bool) -> None:
    """Nothing to show, or all the same: still a legend that can be drawn."""
    scale = scale_for(np.array(values), log)
    assert scale.low < scale.high
    assert scale.log == log
    assert len(legend_ticks(scale)) >= 2


@given(st.floats(1e-6, 1e6), st.floats(1.001, 1e9), st.booleans())
def test_positions_run_from_nought_to_one(low: float, factor: float, log: bool) -> None:
    """Clipped at both ends; on a log scale the middle is the geometric mean."""
    scale = Scale(low, low * factor, log)
    middle = low * np.sqrt(factor) if log else low * (1 + factor) / 2
    np.testing.assert_allclose(scale.position(np.array([low, middle, low * factor, 0.0, 1e30])), [0, 0.5, 1, 0, 1], atol=1e-9)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_linear_ticks_are_round_and_inside(low: float, width: float) -> None:
    """A legend with 0.1372 on it is read wrongly."""
    ticks = legend_ticks(Scale(low, low + width))
    assert 2 <= len(ticks) <= 12
    assert all(0 <= tick.position <= 1 for tick in ticks)
    step = float(f"{ticks[1].value - ticks[0].value:.0e}")
    assert f"{step:e}"[0] in "125"
    assert all(second.value - first.value == pytest.approx(step, rel=1e-5) for first, second in pairwise(ticks))
    assert all(tick.value == pytest.approx(step * round(tick.value / step), abs=1e-5 * step) for tick in ticks)


@given(st.floats(1e-6, 1e6), st.floats(1.0001, 1e6), st.booleans())
def test_a_tick_says_the_value_at_its_place(low: float, factor: float, log: bool) -> None:
    """Opacities from 0.9990 to 0.9999 were all called 0.999 or 1: five places, two numbers."""
    ticks = legend_ticks(Scale(low, low * factor, log))
    said = [float(tick.text) for tick in ticks]
    closest = min(second.value - first.value for first, second in pairwise(ticks))
    assert all(first < second for first, second in pairwise(said))
    assert np.abs(np.array(said) - [tick.value for tick in ticks]).max() < 0.01 * closest


def test_log_ticks_are_decades_with_their_unit() -> None:
    """Sizes span magnitudes."""
    ticks = legend_ticks(Scale(1e-3, 1e2, log=True), "m")
    assert [tick.text for tick in ticks] == ["0.001 m", "0.01 m", "0.1 m", "1 m", "10 m", "100 m"]


def test_missing_values_have_their_own_colour() -> None:
    """NaN drawn as the lowest value would be an invented number."""
    rgb = to_rgb(np.array([0.0, np.nan, 1.0]), Scale(0, 1), "viridis")
    np.testing.assert_array_equal(rgb, [colour_map("viridis")[0], NO_VALUE, colour_map("viridis")[255]])

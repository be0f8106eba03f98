"""Few bits and linear values have ends where a logarithm is infinite; what stands there instead is stated and finite."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.formats.exchange.quantised import ALPHA_LOGITS, OTHERS, logits_of_opacities, logs_of_scales, with_largest


def test_every_byte_of_opacity() -> None:
    """v/255 in between; half a step at the ends, which rounds back to the same byte."""
    opacities = 1 / (1 + np.exp(-ALPHA_LOGITS.astype(np.float64)))
    np.testing.assert_allclose(opacities[1:-1], np.arange(1, 255) / 255, rtol=1e-6)
    np.testing.assert_allclose(opacities[[0, -1]], [0.5 / 255, 254.5 / 255], rtol=1e-6)
    assert (np.diff(ALPHA_LOGITS) > 0).all()


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20))
def test_logits_are_finite_and_go_back(values: list[float]) -> None:
    opacities = np.array(values, np.float32)
    logits = logits_of_opacities(opacities, 2.0**-150, 2.0**-25)
    assert np.isfinite(logits).all()
    np.testing.assert_allclose(1 / (1 + np.exp(-logits.astype(np.float64))), opacities, rtol=2e-5, atol=1e-40)


def test_an_opacity_that_is_no_number_stays_none() -> None:
    assert np.isnan(logits_of_opacities(np.array([np.nan]), 0.1, 0.1)).all()


@pytest.mark.parametrize(("kind", "least"), [(np.float32, -149), (np.float16, -24)])
def test_a_scale_of_zero_was_below_half_the_smallest_number(kind: type[np.floating], least: int) -> None:
    found = logs_of_scales(np.array([0, 1, 2.0**least], kind))
    np.testing.assert_allclose(found, np.log(2.0) * np.array([least - 1, 0, least]), rtol=1e-6)


def test_a_negative_scale_is_none() -> None:
    assert np.isnan(logs_of_scales(np.array([-1.0], np.float32))).all()


def test_the_largest_component_comes_back() -> None:
    """For each place of the largest, in the order that all these formats share."""
    rng = np.random.default_rng(0)
    quats = rng.normal(size=(200, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    largest = np.abs(quats).argmax(axis=1)
    quats *= np.sign(quats[np.arange(200), largest])[:, None]
    three = np.take_along_axis(quats, OTHERS[largest], axis=1).astype(np.float32)
    np.testing.assert_allclose(with_largest(three, largest.astype(np.uint8)), quats, atol=1e-6)


def test_components_that_are_too_long_leave_nothing_for_the_largest() -> None:
    """A damaged row must not become NaN: it keeps its three components."""
    found = with_largest(np.full((1, 3), 0.9, np.float32), np.zeros(1, np.uint8))
    np.testing.assert_allclose(found, [[0, 0.9, 0.9, 0.9]], rtol=1e-6)

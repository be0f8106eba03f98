"""Sums of loss terms are recovered from what was logged, coefficient by coefficient."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.losses import fitted_sum, fitted_weight, misfit, photometric

RNG = np.random.default_rng(0)
L1 = RNG.uniform(0.01, 0.2, 60)
DISSIMILARITY = L1 * RNG.uniform(1.5, 4, 60)


@given(st.floats(0, 1))
def test_any_weight_is_recovered(weight: float) -> None:
    """Twenty iterations would do; noise of float32 does not matter."""
    total = photometric(L1, DISSIMILARITY, weight).astype(np.float32).astype(float)
    assert fitted_weight(total, L1, DISSIMILARITY) == pytest.approx(weight, abs=1e-4)
    assert misfit(total, photometric(L1, DISSIMILARITY, weight)) < 1e-6


@given(st.floats(-2, 2), st.floats(-2, 2), st.floats(0.5, 1))
def test_any_sum_is_recovered(a: float, b: float, c: float) -> None:
    """Wrong signs and constants are read off, whatever they are."""
    total = a * L1 + b * DISSIMILARITY + c
    found = fitted_sum(total, L1, DISSIMILARITY)
    assert (found.l1, found.dissimilarity, found.constant) == pytest.approx((a, b, c), abs=1e-6)


def test_a_formula_leaves_out_what_is_nothing() -> None:
    """The user reads a formula, not a fit."""
    assert fitted_sum(L1.copy(), L1, DISSIMILARITY).told == "1·L1"
    assert fitted_sum(0.8 * L1 - 0.2 * DISSIMILARITY + 0.2, L1, DISSIMILARITY).told == "0.8·L1 − 0.2·(1 − SSIM) + 0.2"


def test_terms_that_do_not_differ_have_no_weight() -> None:
    """With L1 = 1 - SSIM any weight gives the same loss."""
    assert np.isnan(fitted_weight(L1, L1, L1.copy()))

"""Numbers in a report are read as measurements, so their wording must never invent or lose one."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.report.wording import count, iterations, listed, number, percent, setting, shortened

NB = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(("value", "unit", "reads"), [
    (None, "dB", "not available"), (math.nan, "dB", "not available"), (math.inf, "", "infinite"), (-math.inf, "", "−infinite"),
    (0, "", "0"), (-3, "dB", f"−3{NB}dB"), (1234567, "count", "1,234,567"), (24.3141, "dB", f"24.31{NB}dB"),
    (0.15, "share", f"15{NB}%"), (0.0002, "share", f"0.02{NB}%"), (1.6e-6, "", f"1.6{NB}×{NB}10⁻⁶"),
    (2.5e9 + 0.5, "", f"2.5{NB}×{NB}10⁹"),
    (True, "", "yes"), ("24 by 32", "px", "24 by 32"), (0.99999, "", "1"), (-0.00016, "", f"−1.6{NB}×{NB}10⁻⁴"),
])
def test_a_value_reads_as_it_was_measured(value: float | int | str | None, unit: str, reads: str) -> None:
    """Missing is never 0, and a power of ten keeps its sign."""
    assert number(value, unit) == reads


@given(st.floats(1e-12, 1e15))
def test_a_worded_number_is_within_half_a_per_cent(value: float) -> None:
    """Rounding for the reader must not change what was measured."""
    text = number(value).replace(",", "").replace(NB, "")
    mantissa, _, power = text.partition("×10")
    exponent = int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))) if power else 0
    assert math.isclose(float(mantissa) * 10.0**exponent, value, rel_tol=5.1e-3)


@pytest.mark.parametrize(("share", "reads"), [(0.0, "0"), (0.0004, f"<{NB}0.1"), (0.034, "3.4"), (0.8, "80"), (1.0, "100")])
def test_percent(share: float, reads: str) -> None:
    """A small share is not rounded to nothing."""
    assert percent(share) == f"{reads}{NB}%"


def test_small_words() -> None:
    """Plural, one iteration, and a setting that was not stored."""
    assert (count(1, "finding"), count(3000, "finding")) == (f"1{NB}finding", f"3,000{NB}findings")
    assert (iterations((600, 600)), iterations((0, 1500))) == ("iteration 600", "iterations 0–1,500")
    assert (setting(None), setting(0.05), setting("none"), setting(False)) == ("not available", "0.05", "none", "False")
    assert listed("abcd", most=2) == "a, b … and 2 more"


@given(st.text(), st.integers(3, 40))
def test_a_shortened_name_keeps_both_ends(name: str, length: int) -> None:
    """The end of a file name tells as much as its start."""
    short = shortened(name, length)
    assert len(short) <= max(length, 0)
    assert short == name if len(name) <= length else (short[0], short[-1]) == (name[0], name[-1])

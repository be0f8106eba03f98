"""Masked losses: which division the log used, and when that matters."""

import pytest

from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.dilution import divided_by_all, inside, masked

NAME = "mask-dilution"


def test_the_true_difference_is_told_beside_the_logged_one() -> None:
    """A third of the picture counts, so the log is better than the truth by a factor of about three, and PSNR by 5 dB."""
    finding = found(NAME, divided_by_all())
    assert float(finding.facts["times"]) == pytest.approx(96 / 28, rel=0.02)
    assert float(finding.facts["decibels"]) == pytest.approx(5.35, abs=0.1)


def test_masks_that_leave_more_than_half_matter_little() -> None:
    """Less than a factor of two."""
    assert verdict(NAME, masked(0.6, 0.6 * inside(0.6))) is None


def test_a_log_that_fits_neither_division_is_not_explained_by_masks() -> None:
    """Something else is in that loss."""
    assert verdict(NAME, masked(0.3, 5 * inside())) is None
    assert verdict(NAME, masked(0.3, 0.1 * inside())) is None

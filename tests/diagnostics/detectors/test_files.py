"""Broken rows: public reports rebuilt small; each kind of value gets its own cause and severity."""

import numpy as np
import pytest

from diagnostics.detectors.files import DIVERGED, LOG_OF_ZERO, NAN, OVERFLOW, SATURATED, non_finite_rows, zero_quaternions
from diagnostics.facts.rows import ZeroRows
from diagnostics.measures.nonfinite import find_flaws
from diagnostics.verdict import Finding
from diagnostics.wording import percent
from runs.arrays import Array
from runs.gaussians import Gaussians
from tests.support.runs import changed, cloud

CLOUD = cloud(2000)


def broken(column: str, rows: Array, value: float) -> Gaussians:
    values = CLOUD.load(column).copy()
    values[rows] = value
    return changed(CLOUD, **{column: values})


def judged(*saves: Gaussians) -> Finding:
    found = non_finite_rows(tuple(find_flaws(save, 1000 * (i + 1)) for i, save in enumerate(saves)))
    assert isinstance(found, Finding)
    return found


@pytest.mark.parametrize(("column", "value", "cause", "severity"), [
    ("logit_opacities", np.inf, SATURATED, "minor"),  # LichtFeld-Studio #2079
    ("log_scales", -np.inf, LOG_OF_ZERO, "major"),  # supersplat #189
    ("log_scales", 95.0, OVERFLOW, "major"),  # gaussian-splatting #781: infinite scale before an illegal access
    ("log_scales", np.nan, NAN, "major"),
    ("means", np.nan, DIVERGED, "critical"),
])
def test_each_kind_of_value_has_its_own_cause(column: str, value: float, cause: str, severity: str) -> None:
    """"NaN somewhere" helps nobody: saturated opacities are harmless, NaN positions are a diverged run."""
    found = judged(broken(column, np.arange(40), value))
    assert found.cause == cause
    assert found.severity == severity


def test_growth_from_save_to_save_is_told() -> None:
    """The public case: 3 rows, then 366 of 36,000; the first bad save and the growth are the verdict."""
    found = judged(CLOUD, broken("logit_opacities", np.arange(3), np.inf), broken("logit_opacities", np.arange(366), np.inf))
    assert found.iterations == (2000, 3000)
    assert [row.value for row in found.evidence if row.what == "rows with non-finite values"] == [0, 3, 366]
    assert "still clean at 1,000" in found.says
    assert found.gaussians is not None
    assert found.gaussians.rows.tolist() == list(range(366))


def test_rows_that_recovered_before_the_last_save_are_still_told() -> None:
    """Pruning may remove broken rows; that they were there names the iteration to look at."""
    found = judged(broken("means", np.arange(5), np.nan), CLOUD)
    assert found.iterations == (1000, 1000)


def test_a_long_history_is_told_by_its_turning_points() -> None:
    """Fifty saves with the same number would bury the two that bracket the step that broke the rows."""
    bad = broken("log_scales", np.arange(25), np.nan)
    found = judged(CLOUD, CLOUD, bad, bad, bad, CLOUD, CLOUD)
    history = [(row.iteration, row.value) for row in found.evidence if row.what == "rows with non-finite values"]
    assert history == [(2000, 0), (3000, 25), (5000, 25), (7000, 0)]


def test_stray_nan_positions_are_not_called_a_diverged_run() -> None:
    """25 of 5,030 NaN rows cost nothing at all in a measured run."""
    assert judged(broken("means", np.arange(3), np.nan)).severity == "major"


def test_blank_rows_point_at_the_export() -> None:
    """splat-transform PR 288: a file of almost only zeros is a truncated export, not an untrained model."""
    blank = ZeroRows(7, 1000, np.arange(900), np.arange(900))
    untrained = ZeroRows(7, 1000, np.arange(475), np.zeros(0, np.int64))  # SpacetimeGaussians #96: 47.5 %
    first, second = zero_quaternions(blank), zero_quaternions(untrained)
    assert isinstance(first, Finding)
    assert isinstance(second, Finding)
    assert "export" in first.cause
    assert second.cause == ""
    assert percent(0.475) in second.says
    assert second.severity == "major"
    assert zero_quaternions(ZeroRows(7, 1000, np.zeros(0, np.int64), np.zeros(0, np.int64))) is None

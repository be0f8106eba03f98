"""Flaws: which values are not finite, in which column and of which sign."""

import numpy as np

from diagnostics.measures.nonfinite import find_flaws
from tests.support.runs import changed, cloud


def test_a_clean_save_has_no_flaws() -> None:
    """One wrong count here is a false alarm on every run."""
    flaws = find_flaws(cloud(50), 7)
    assert flaws.columns == ()
    assert len(flaws.rows) == 0
    assert (flaws.iteration, flaws.of) == (7, 50)


def test_each_sign_is_counted_by_row_and_column() -> None:
    """+inf opacities, -inf scales and NaN positions have three different causes (LichtFeld #2079, supersplat #189)."""
    gaussians = cloud(50)
    means, scales, logits = gaussians.means.copy(), gaussians.log_scales.copy(), gaussians.logit_opacities.copy()
    means[3] = np.nan  # three values, one row
    scales[4, 1], scales[5, 0] = -np.inf, 90
    logits[[6, 7]] = np.inf
    flaws = find_flaws(changed(gaussians, means=means, log_scales=scales, logit_opacities=logits), 1)
    assert flaws.rows.tolist() == [3, 4, 5, 6, 7]
    told = {c.column: (c.nan, c.plus_inf, c.minus_inf, c.overflowing) for c in flaws.columns}
    assert told == {"means": (1, 0, 0, 0), "log_scales": (0, 0, 1, 1), "logit_opacities": (0, 2, 0, 0)}


def test_view_dependent_colours_are_looked_at_too() -> None:
    """A NaN in the last SH coefficient poisons every pixel its splat touches."""
    gaussians = cloud(10)
    rest = gaussians.sh_rest.copy()
    rest[9, -1, 2] = np.nan
    assert find_flaws(changed(gaussians, sh_rest=rest), 1).rows.tolist() == [9]

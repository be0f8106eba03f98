"""A filter that the file does not tell: only where training had one, and only where it shows."""

import pytest

from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures import filters as runs
from tests.support.training import LAST, healthy_run, moved


@pytest.mark.parametrize("settings", [{"antialiasing": True}, {"rasterize_mode": "antialiased"}, {"mip_filter": True}])
def test_each_trainers_switch_is_known(settings: dict[str, object]) -> None:
    finding = found("filter-mismatch", healthy_run(checkpoints={LAST: runs.tiny()}, settings=settings))
    assert next(iter(settings)) in finding.says


@pytest.mark.parametrize("settings", [{}, {"antialiasing": False}, {"rasterize_mode": "classic"}])
def test_without_a_filter_small_splats_are_no_mismatch(settings: dict[str, object]) -> None:
    """Sound MCMC runs have up to 83 % of them."""
    assert verdict("filter-mismatch", healthy_run(checkpoints={LAST: runs.tiny()}, settings=settings)) is None


def test_where_splats_are_large_nobody_sees_a_difference() -> None:
    assert verdict("filter-mismatch", runs.antialiased(moved())) is None

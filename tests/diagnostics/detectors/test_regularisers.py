"""Regularisers: judged by their weight, what they add to the loss, and what they have done to the Gaussians."""

from typing import Any

import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.loss import terms
from tests.diagnostics.fixtures.regularisers import FADED, faded, mcmc
from tests.support.training import LAST, healthy_run

STRONG, COLLAPSE = "regulariser-dominates", "opacity-regulariser-collapse"


def test_the_regulariser_is_the_cause_and_the_collapse_its_effect() -> None:
    """Who reads the collapse first would change how often it is refined."""
    codes = {f.pattern.code: f.consequence_of for f in diagnose(faded()).findings}
    assert codes["OF-06"] == ()
    assert "OF-06" in codes["N-09"]


@pytest.mark.parametrize(("times", "sick"), [(0.1, False), (2, False), (5, False), (50, True)])
@pytest.mark.parametrize("name", ["opacity_reg", "scale_reg"])
def test_only_far_stronger_weights_are_told(name: str, times: float, sick: bool) -> None:
    """Five times the usual weight still trained well; a strong weight without harm is minor."""
    weight: dict[str, Any] = {name: 0.01 * times}
    run = mcmc(**weight)
    assert (verdict(STRONG, run) is not None) is sick
    if sick:
        assert found(STRONG, run).severity == "minor"


@pytest.mark.parametrize(("name", "state"), [("opacity_reg", {"opacity": FADED}), ("scale_reg", {"size": 0.02})])
def test_harm_makes_it_serious(name: str, state: dict[str, Any]) -> None:
    """Faint opacities speak for the one regulariser, dots for the other."""
    other = "scale_reg" if name == "opacity_reg" else "opacity_reg"
    assert found(STRONG, mcmc(**{**state, name: 1.0})).severity is None
    assert found(STRONG, mcmc(**{**state, other: 1.0})).severity == "minor"


def test_a_term_larger_than_the_picture_s_is_found_whatever_its_weight() -> None:
    """Where a unit of length is small, scales are large numbers."""
    logged = terms()
    values = {"loss/l1": logged.l1, "loss/ssim": 1 - logged.ssim, "loss/total": logged.l1}
    series = {name: dict(zip(range(1, LAST + 1), column.tolist(), strict=True)) for name, column in values.items()}
    run = healthy_run(series=series, settings={"scale_reg": 0.01}, checkpoints={LAST: mcmc(size=200.0).checkpoints[-1].gaussians})
    assert found(STRONG, run).severity is None


@pytest.mark.parametrize(("shares", "severity"), [([0.1, 0.2, 0.6, 0.7, 0.8], None), ([0.05, 0.1, 0.12, 0.15, 0.2], "minor")])
def test_relocations_alone_tell_it(shares: list[float], severity: str | None) -> None:
    """Half of all at each event is a collapse, a growing sixth its beginning."""
    series = [0.0] * 5 + shares
    assert found(COLLAPSE, mcmc(relocated=lambda event: series[event])).severity == severity


@pytest.mark.parametrize("shares", [[0.3, 0.2, 0.2, 0.15, 0.1], [0.1] * 5, [0.0] * 4 + [0.6]])
def test_relocations_that_settle_or_happen_once_are_clear(shares: list[float]) -> None:
    """A wide start is sorted out once; a few percent each time is how MCMC works."""
    series = [0.0] * 5 + shares
    assert verdict(COLLAPSE, mcmc(relocated=lambda event: series[event])) is None


def test_a_trainer_that_prunes_does_not_relocate() -> None:
    """Faint opacities there are another pattern."""
    assert isinstance(verdict(COLLAPSE, healthy_run()), NotEvaluable)

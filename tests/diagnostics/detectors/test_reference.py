"""References: what is comparable, what is noise, and what is missing where nothing may be compared."""

from dataclasses import replace
from typing import Any

import pytest

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.reference import GARDEN, below_published, beside, far_apart, garden
from tests.support.runs import made_run
from tests.support.training import healthy_run

BELOW, APART = "below-known-quality", "runs-disagree"


def test_every_published_figure_is_named_and_the_lowest_counts() -> None:
    """27.29 (gsplat's docs), 27.37 (NerfBaselines) and 27.41 dB (paper): the user sees whose."""
    finding = found(BELOW, below_published())
    assert finding.evidence[0].value == pytest.approx(27.29 - 24.0)
    assert {row.value for row in finding.evidence[1:]} == {27.29, 27.37, 27.41}


@pytest.mark.parametrize(("change", "says"), [
    ({"eval": False}, "held-out views"), ({"images": "images_8"}, "photos of the published size"),
    ({"resolution": 4}, "photos of the published size"), ({"white_background": True}, "the published background"),
    ({"sh_degree": 1}, "the published recipe (sh_degree = 3, here 1)"),
    ({"densify_grad_threshold": 0.0004}, "the published recipe (densify_grad_threshold"),
    ({"source_path": "/data/garden"}, "a published scene"), ({"source_path": "/data/360_v2/office"}, "a published scene"),
])
def test_anything_else_is_not_compared(change: dict[str, Any], says: str) -> None:
    """A figure at another size, split or recipe is another figure; the user is told which."""
    answer = verdict(BELOW, garden(20.0, **change))
    assert isinstance(answer, NotEvaluable)
    assert any(why.startswith(says) for why in answer.missing)


def test_other_trainers_and_iterations_have_no_figures() -> None:
    """Nobody published garden at 12,000 iterations."""
    run = made_run(series={"test/psnr": {12_000: 18.0}}, settings=dict(GARDEN))
    assert isinstance(verdict(BELOW, run), NotEvaluable)


def test_below_its_own_kind_needs_more_than_noise() -> None:
    """One reference: public reports tell how far single runs lie apart. Three: they measure it."""
    assert found(BELOW, beside(24.0, 27.0)).evidence[0].limit == pytest.approx(1.9)
    assert verdict(BELOW, beside(25.5, 27.0)) is None
    assert found(BELOW, beside(25.5, 27.0, 27.1, 27.2)).evidence[0].limit == pytest.approx(0.5)


def test_a_run_of_other_settings_is_no_reference() -> None:
    """What differs is named: a lower threshold gains decibels of its own."""
    other = healthy_run(series={"test/psnr": {2000: 40.0}}, settings={"densify_grad_threshold": 1e-4})
    run = replace(healthy_run(), references=(other, other))
    answer = verdict(APART, run)
    assert isinstance(answer, NotEvaluable)
    assert "densify_grad_threshold" in answer.missing[0]


def test_the_noise_of_the_scene_is_measured() -> None:
    """45 runs with one seed ended between 24.23 and 28.06 dB: no seed is advised."""
    finding = found(APART, far_apart())
    assert finding.evidence[0].value == pytest.approx(3.83)
    assert finding.evidence[1].value == pytest.approx(1.92, abs=0.01)
    assert finding.facts["runs"] == 3


def test_two_runs_measure_nothing() -> None:
    """Two numbers always differ."""
    assert isinstance(verdict(APART, beside(24.0, 28.0)), NotEvaluable)

"""The run's own settings: a probe that trains with others answers another question."""

from dataclasses import fields, replace

import pytest

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.probes.own_settings import OURS, fitting, our_name, own_settings
from runs.settings import Setting, Settings
from tests.lab.corpus import plan_of
from tests.lab.opened import by_slug, opened
from tests.support.runs import made_run

GSPLAT = "gsplat-layout-garden_garden-2_mini"


@pytest.mark.parametrize("slug", ["colour-rate-too-high-at-20_court-0_mini", "noise-too-strong-at-100_court-0_mini"])
def test_what_the_run_tells_is_taken_over(slug: str) -> None:
    """Every setting that the trainer recorded, in a run of either strategy."""
    told, own = plan_of(by_slug()[slug]).recorded, own_settings(opened(slug))
    names = [field.name for field in fields(OptimiserSettings) if field.name not in OURS and field.name in told]
    assert {name: getattr(own.values, name) for name in names} == {name: told[name] for name in names}
    assert own.values.strategy == told["strategy"]
    assert not own.refused


def test_what_cannot_be_trained_with_is_refused_with_its_reason() -> None:
    own = own_settings(made_run(settings={
        "opacity_lr": -1.0, "iterations": 7_000.0, "white_background": "yes", "rotation_lr": float("nan")}))
    assert own.values.iterations == 7_000
    assert own.values.opacity_lr == OptimiserSettings().opacity_lr
    assert set(own.refused) == {"opacity_lr", "white_background", "rotation_lr"}
    assert own.refused["opacity_lr"] == "opacity_lr is -1.0, it must be a finite number of at least 0"


def test_a_number_in_another_unit_is_not_taken_over() -> None:
    """gsplat's absolute gradients are several times as large as the mean ones that the compact trainer knows."""
    run = opened(GSPLAT)
    stored = {**run.settings.by_name, "strategy.absgrad": Setting("strategy.absgrad", True, "cfg.yml")}
    absolute = replace(run, sources=replace(run.sources, settings=lambda: Settings(stored, run.settings.aliases)))
    assert "densify_grad_threshold" in own_settings(run).taken
    assert "in another unit" in own_settings(absolute).refused["densify_grad_threshold"]


def test_names_of_other_trainers() -> None:
    run = opened(GSPLAT)
    assert our_name(run, "strategy.grow_grad2d") == "densify_grad_threshold"
    assert our_name(run, "densify_grad_threshold") == "densify_grad_threshold"
    assert our_name(run, "pose_opt") is None
    assert our_name(run, "seed") is None


@pytest.mark.parametrize(("name", "value", "wanted"), [
    ("sh_degree", 1.0, (1, "")), ("opacity_lr", 1, (1, "")), ("sh_degree", True, (None, "True is of another kind")),
    ("opacity_lr", "high", (None, "'high' is no number")), ("sh_degree", 7, (None, "sh_degree is 7, it must be 0, 1, 2 or 3")),
])
def test_values_in_the_type_of_our_settings(name: str, value: object, wanted: tuple[object, str]) -> None:
    assert fitting(name, value) == wanted

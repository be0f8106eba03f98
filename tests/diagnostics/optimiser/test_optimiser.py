"""The engine of the probes and the lab: it must learn, log what it did, stop when asked, and repeat itself."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit

from diagnostics.optimiser import schedule
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import Step
from diagnostics.optimiser.train import train
from render.raster.differentiable import render
from render.raster.gradients import Gradients
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import F32
from runs.cameras import Camera
from tests.diagnostics.optimiser.made_up import quick, tiny_scene
from tests.diagnostics.optimiser.recorder import Recorder


def steps_of(settings: OptimiserSettings, recipe: Recipe | None = None) -> tuple[Optimiser, list[Step]]:
    steps: list[Step] = []
    optimiser, _ = train(tiny_scene(), settings, recipe, progress=steps.append)
    return optimiser, steps


def same(one: Parameters, other: Parameters) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in GROUPS)


@pytest.mark.parametrize("strategy", ["default", "mcmc"])
def test_a_short_training_gains_five_decibels_on_views_it_never_saw(strategy: str) -> None:
    changes = {"strategy": "mcmc", "cap_max": 60, "opacity_reg": 0.01, "scale_reg": 0.01} if strategy == "mcmc" else {}
    settings = quick(iterations=300, position_lr_max_steps=300, test_iterations=(1, 300), **changes)
    _, outcome = train(tiny_scene(), settings)
    assert (outcome.iteration, outcome.cancelled) == (300, False)
    assert list(outcome.evaluations) == [1, 300]
    assert outcome.evaluations[300]["test"] > outcome.evaluations[1]["test"] + 5


def test_events_fall_where_the_schedule_says() -> None:
    settings = quick()
    _, steps = steps_of(settings)
    assert [step.iteration for step in steps if step.growth] == [40, 60, 80]
    assert [step.iteration for step in steps if step.opacity_reset] == [50]
    assert [step.sh_degree for step in steps] == [schedule.sh_degree(it, settings) for it in range(1, 121)]
    for step, following in pairwise(steps):
        grown = step.growth
        change = grown["cloned"] + grown["split"] - grown["pruned"] if grown else 0
        assert following.count == step.count + change
    assert {step.view for step in steps[:6]} == {view.name for view in tiny_scene().train}


def test_adam_loses_its_step_where_arrays_are_replaced_and_at_the_end() -> None:
    """In INRIA's trainer: on a densify iteration all groups, on a reset the opacities, and nobody would see the last one."""
    optimiser, _ = steps_of(quick())
    lost = {name: 120 - memory.step for name, memory in optimiser.adam.moments.items()}
    assert lost == {name: 3 + 1 + int(name == "logit_opacities") for name in GROUPS}


def test_a_lost_step_moves_nothing() -> None:
    optimiser = Optimiser(tiny_scene(), quick(densify_grad_threshold=1e9))
    optimiser.run(39)
    before = optimiser.parameters.take(np.arange(optimiser.parameters.count))
    assert optimiser.step().growth
    assert same(before, optimiser.parameters)


def test_after_the_reset_no_opacity_is_above_one_percent() -> None:
    optimiser = Optimiser(tiny_scene(), quick())
    optimiser.run(50)
    assert expit(optimiser.parameters.logit_opacities).max() <= 0.0101
    assert not optimiser.adam.moments["logit_opacities"].mean.any()


def test_mcmc_stays_under_its_cap_and_never_resets() -> None:
    optimiser, steps = steps_of(quick(strategy="mcmc", cap_max=32))
    assert optimiser.parameters.count == 32
    assert max(step.count for step in steps) == 32
    assert not any(step.opacity_reset for step in steps)
    assert {key for step in steps for key in step.growth} == {"relocated", "added"}
    assert {memory.step for memory in optimiser.adam.moments.values()} == {119}


def test_the_same_seed_gives_the_same_training_and_another_seed_another() -> None:
    one, other, third = (steps_of(quick(seed=seed))[0].parameters for seed in (5, 5, 6))
    assert same(one, other)
    assert one.count != third.count or not same(one, third)


def test_cancelled_between_steps_and_continued() -> None:
    """Cancelling loses nothing: what was cancelled can be run on to the same end."""
    settings = quick(iterations=60)
    seen: list[Step] = []
    optimiser = Optimiser(tiny_scene(), settings)
    outcome = optimiser.run(cancelled=lambda: len(seen) >= 17, progress=seen.append)
    assert (outcome.cancelled, outcome.iteration, len(seen)) == (True, 17, 17)
    assert not optimiser.run().cancelled
    assert same(optimiser.parameters, steps_of(settings)[0].parameters)


def test_refuses_to_train_past_its_end() -> None:
    optimiser = Optimiser(tiny_scene(), quick(iterations=1))
    assert optimiser.run(0).iteration == 0
    assert optimiser.run().iteration == 1
    assert optimiser.run().last is None
    with pytest.raises(ValueError, match="the training is over after 1 iterations"):
        optimiser.step()


def test_records_a_run_in_the_order_of_inrias_trainer() -> None:
    recorder = Recorder()
    optimiser, outcome = train(tiny_scene(), quick(), recorder=recorder)
    assert recorder.calls[0] == "begin"
    assert recorder.calls[-1] == "finish"
    assert recorder.points is tiny_scene().points
    assert recorder.cameras == [view.name for view in (*tiny_scene().train, *tiny_scene().test)]
    assert recorder.settings["densify_grad_threshold"] == 2e-3
    assert list(recorder.rows) == list(range(1, 121))
    assert (list(recorder.saves), list(recorder.states)) == ([60, 120], [60])
    assert recorder.saves[60].count == recorder.rows[60]["n"]  # saved before the densification of that iteration
    assert recorder.states[60].gaussians.count == recorder.rows[61]["n"]  # and this after it
    assert recorder.rows[120]["eval"] == outcome.evaluations[120]
    np.testing.assert_array_equal(recorder.saves[120].means, optimiser.parameters.means)  # the last step is not taken


def test_rows_have_the_keys_of_metrics_jsonl_and_only_what_was_measured() -> None:
    _, steps = steps_of(quick())
    usual = {"l1", "ssim", "loss", "n", "vis", "lr_xyz", "sh", "view", "ms"}
    assert set(steps[1].logged()) == usual
    assert set(steps[0].logged()) == usual | {"eval"}
    row = steps[49].logged()
    assert set(row) == usual | {"psnr", "gn", "reset"}
    assert set(row["gn"]) == {"xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation"}
    assert row["loss"] == pytest.approx(0.8 * row["l1"] + 0.2 * (1 - row["ssim"]))
    assert set(steps[39].logged()["densify"]) == {"cloned", "split", "pruned", "grad_med", "hot"}


def test_logged_evaluations_are_those_of_the_save() -> None:
    """The product re-renders saves and compares with the log: a healthy run must agree with itself."""
    recorder = Recorder()
    _, outcome = train(tiny_scene(), quick(), recorder=recorder)
    saved = Optimiser(tiny_scene(), quick(), Recipe(initialise=lambda *_: Parameters.of(recorder.saves[120])))
    saved.iteration = 120
    again = np.mean(list(saved.evaluate(tiny_scene().test).values()))
    assert again == pytest.approx(outcome.evaluations[120]["test"], abs=1e-9)


def test_the_recorder_is_finished_even_when_the_training_fails() -> None:
    recorder = Recorder()

    def fails(*_: object) -> F32:
        raise RuntimeError("planted")

    with pytest.raises(RuntimeError, match="planted"):
        train(tiny_scene(), quick(), Recipe(statistic=fails), recorder=recorder)
    assert recorder.calls[-1] == "finish"


def test_every_step_of_the_recipe_can_be_replaced() -> None:
    """A step that is not asked for could not be made faulty: each is wrapped, and each must be called."""
    called: set[str] = set()

    def spy(name: str) -> object:
        healthy = getattr(Recipe(), name)

        def wrapped(*args: object) -> object:
            called.add(name)
            return healthy(*args)
        return wrapped

    recipe = replace(Recipe(), **{name: spy(name) for name in Recipe.__dataclass_fields__})  # type: ignore[arg-type]
    steps_of(quick(), recipe)
    mcmc_only = {"relocate", "noise"}
    assert called == set(Recipe.__dataclass_fields__) - mcmc_only
    steps_of(quick(strategy="mcmc", cap_max=40), recipe)
    assert called == set(Recipe.__dataclass_fields__)


def test_nan_gradients_kill_the_run_but_not_on_a_densify_iteration() -> None:
    """As measured: injected exactly at a densification they have no effect at all, elsewhere they are in the parameters."""
    def poisoned(at: int) -> Recipe:
        def poison(context: Context, gradients: Gradients) -> Gradients:
            if context.iteration == at:
                gradients.sh0[:] = np.nan
            return gradients
        return replace(Recipe(), gradients=poison)

    assert same(steps_of(quick(), poisoned(60))[0].parameters, steps_of(quick())[0].parameters)
    optimiser, steps = steps_of(quick(), poisoned(95))
    assert np.isnan(optimiser.parameters.sh0).all()
    assert steps[-1].visible == 0


def test_a_training_that_pruned_everything_goes_on_with_an_empty_picture() -> None:
    """A fault to be reported by the diagnosis, not a crash of the lab."""
    recipe = Recipe(prune=lambda _, parameters: np.ones(parameters.count, bool))
    optimiser, steps = steps_of(quick(), recipe)
    assert optimiser.parameters.count == 0
    assert steps[-1].visible == 0
    assert np.isfinite(steps[-1].loss)


def test_random_backgrounds_are_for_training_only() -> None:
    backgrounds: list[tuple[float, float, float]] = []

    def spying(parameters: Parameters, camera: Camera, **how: object) -> object:
        if camera.name.startswith("test"):
            assert how["background"] == (0, 0, 0)
        else:
            backgrounds.append(how["background"])  # type: ignore[arg-type]
        return render(parameters, camera, **how)  # type: ignore[arg-type]

    settings = quick(iterations=10, random_background=True, test_iterations=(10,))
    Optimiser(tiny_scene(), settings, engine=spying).run()  # type: ignore[arg-type]
    assert len(set(backgrounds[:9])) == 9


def test_statistics_in_pixels_are_half_a_picture_smaller() -> None:
    """The wrong unit is a fault of the lab: the recipe's step gets what it needs to make it."""
    in_px = replace(Recipe(), statistic=lambda means2d_px, _: np.linalg.norm(means2d_px, axis=1))
    _, steps = steps_of(quick(), in_px)
    _, healthy = steps_of(quick())
    assert steps[39].growth["grad_med"] < 0.2 * healthy[39].growth["grad_med"]

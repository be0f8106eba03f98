"""Optimiser: a compact 3DGS trainer, one iteration per call, built from a recipe of replaceable steps.

The order within an iteration is that of INRIA's trainer: render, loss, gradients, evaluate, save, densify, reset, Adam,
checkpoint. Where the Gaussians densify their arrays are replaced and Adam's step is lost, as there. The order of the MCMC
strategy is gsplat's: Adam first, then relocation, then noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol

import numpy as np

from diagnostics.optimiser import mcmc, phases, schedule, state
from diagnostics.optimiser.adam import Adam
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.growth import Tally
from diagnostics.optimiser.loss import Loss, Target
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import Step
from diagnostics.optimiser.strategies import Events, densify, relocate_and_add
from diagnostics.optimiser.views import TrainingData, View
from render.raster import differentiable
from render.raster.gradients import Gradients, Rendering
from render.raster.parameters import GROUPS, Parameters
from render.raster.truncated import surrogate
from runs.arrays import F32
from runs.cameras import Camera
from runs.checkpoints import TrainingState
from runs.writers.protocol import RunWriter

# Training views that INRIA's trainer evaluates beside the test views, modulo their number.
EVALUATED_TRAIN_VIEWS = (5, 10, 15, 20, 25)


class Engine(Protocol):
    """Renders with gradients: `differentiable.render`, `cuda.render`, or one of them with further arguments bound."""

    def __call__(
        self, parameters: Parameters, camera: Camera, *, background: tuple[float, float, float], sh_degree: int,
        dilation_px2: float,
    ) -> Rendering: ...


@dataclass(frozen=True)
class Outcome:
    """How a stretch of training ended."""

    iteration: int  # the last that was done
    cancelled: bool
    last: Step | None  # None where nothing was done
    evaluations: dict[int, dict[str, float]]  # by iteration: mean PSNR in dB of "train" and "test" views


class Optimiser:
    """A training between two iterations. The same data, settings and recipe give the same training.

    With `resume_from` it continues after that state's iteration; what the state lacks starts anew, as in a trainer.
    """

    def __init__(
        self, data: TrainingData, settings: OptimiserSettings, recipe: Recipe | None = None, *,
        engine: Engine = differentiable.render, recorder: RunWriter | None = None, resume_from: TrainingState | None = None,
    ) -> None:
        self.data, self.settings, self.recipe = data, settings, recipe or Recipe()
        self.engine, self.recorder = engine, recorder
        self.iteration = resume_from.iteration if resume_from else 0  # the last that was done
        self._targets: dict[int, Target] = {}
        if resume_from:
            self.adam = state.resumed_adam(resume_from, settings.adam_eps)
            self.tally = state.resumed_tally(resume_from, self.adam.parameters.count)
        else:
            start = self.recipe.initialise(data, settings, schedule.generator(settings.seed, schedule.START))
            self.adam = Adam(start, settings.adam_eps)
            self.tally = Tally.zeros(start.count)

    @property
    def parameters(self) -> Parameters:
        """The Gaussians as they are now; the arrays change with the next step."""
        return self.adam.parameters

    def run(
        self, iterations: int | None = None, *, cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[Step], None] = lambda _: None,
    ) -> Outcome:
        """Train up to `iterations` (the settings' by default); `cancelled` is asked before and `progress` told after each."""
        last_one = self.settings.iterations
        wanted = last_one if iterations is None else min(iterations, last_one)
        last, evaluations = None, {}
        while self.iteration < wanted and not cancelled():
            last = self.step()
            if last.evaluation:
                evaluations[last.iteration] = dict(last.evaluation)
            progress(last)
        return Outcome(self.iteration, self.iteration < wanted, last, evaluations)

    def step(self) -> Step:
        """One iteration. Raises ValueError after the last one of the settings."""
        if self.iteration >= self.settings.iterations:
            raise ValueError(f"the training is over after {self.settings.iterations} iterations")
        started = perf_counter()
        self.iteration += 1
        view = self.data.train[self.recipe.view_index(self.iteration, len(self.data.train), self.settings.seed)]
        rng = schedule.generator(self.settings.seed, schedule.ITERATION, self.iteration)
        rendered, loss, gradients = self._looked(view, rng)
        total = loss.total + mcmc.regularise(self.parameters, gradients, self.settings)
        context = Context(self.iteration, self.settings, self.data.extent, rng, gradients)
        edited = self.recipe.gradients(context, gradients)
        context = context if edited is gradients else replace(context, gradients=edited)
        taken = Step(
            self.iteration, view.name, loss.l1, loss.ssim, loss.psnr, total, self.parameters.count,
            int((rendered.radii_px > 0).sum()), self.active_sh_degree, self._rates(), 0.0,
            self._gradient_norms(context.gradients), self._evaluated(),
        )
        self._save()
        growth, reset = self._moved(context, rendered, taken)
        taken = replace(taken, growth=growth, opacity_reset=reset, milliseconds=1e3 * (perf_counter() - started))
        self._record(taken)
        return taken

    @property
    def active_sh_degree(self) -> int:
        return self.recipe.sh_degree(self.iteration, self.settings)

    def render(self, camera: Camera, background: F32 | None = None) -> Rendering:
        """The current Gaussians, before the settings' background."""
        shown = self._background() if background is None else background
        return self.engine(self.parameters, camera, background=_rgb(shown), sh_degree=self.active_sh_degree,
                           dilation_px2=self.settings.dilation_px2)

    def evaluate(self, views: Sequence[View]) -> dict[str, float]:
        """PSNR in dB by camera name."""
        return {view.name: self.recipe.score(self.render(view.camera).rgb, view.photo) for view in views}

    def captured(self) -> TrainingState:
        """A copy of the training between this iteration and the next; its path is the writer's to know."""
        return state.captured(self.iteration, self.adam, self.tally, self._rates(), sh_degree=self.active_sh_degree,
                              extent=self.data.extent)

    def _looked(self, view: View, rng: np.random.Generator) -> tuple[Rendering, Loss, Gradients]:
        rendered = self.render(view.camera, self.recipe.background(self.settings, rng))
        loss = self.recipe.loss(rendered.rgb, self._target(view), self.settings)
        gradients = rendered.backward(loss.rgb_gradient)
        truncation = phases.truncation_at(self.iteration, self.settings, view.camera.size_px)
        if truncation is not None:
            gradients = surrogate(rendered, loss.rgb_gradient, truncation).added_to(gradients)
        return rendered, loss, gradients

    def _target(self, view: View) -> Target:
        """Kept per view: the photo's moments are half of the work of SSIM."""
        key = id(view)
        if key not in self._targets:
            self._targets[key] = Target.of(view)
        return self._targets[key]

    def _background(self) -> F32:
        """What evaluations are drawn on: random backgrounds are for training only."""
        still = replace(self.settings, random_background=False)
        return self.recipe.background(still, schedule.generator(self.settings.seed, schedule.ITERATION, self.iteration))

    def _rates(self) -> dict[str, float]:
        return dict(self.recipe.learning_rates(self.iteration, self.settings, self.data.extent))

    def _gradient_norms(self, gradients: Gradients) -> dict[str, float]:
        if self.iteration % self.settings.metrics_interval:
            return {}
        return {name: float(np.linalg.norm(getattr(gradients, name))) for name in GROUPS}

    def _evaluated(self) -> dict[str, float]:
        if self.iteration not in self.settings.test_iterations:
            return {}
        train = self.data.train
        chosen = dict.fromkeys(index % len(train) for index in EVALUATED_TRAIN_VIEWS)
        parts = {"train": [train[index] for index in chosen], "test": self.data.test}
        return {name: float(np.mean(list(self.evaluate(views).values()))) for name, views in parts.items() if views}

    def _moved(self, context: Context, rendered: Rendering, taken: Step) -> tuple[Events, bool]:
        """Let the strategy and Adam change the Gaussians; what happened to their number, and whether opacities were reset."""
        if self.settings.strategy == "mcmc":
            return self._mcmc(context, taken), False
        growth = self._densified(context, rendered)
        reset = schedule.resets_opacities(self.iteration, self.settings)
        if reset:
            logits = self.parameters.logit_opacities
            logits[:] = self.recipe.reset_opacities(context, logits)
            self.adam.moments["logit_opacities"].forget()
        if not growth:  # replaced arrays have no gradient
            self._step_adam(context, taken, tuple(name for name in GROUPS if not (reset and name == "logit_opacities")))
        return growth, reset

    def _densified(self, context: Context, rendered: Rendering) -> Events:
        if self.iteration >= self.settings.densify_until_iter:
            return {}
        norms = self.recipe.statistic(context.gradients.means2d_px, (rendered.rgb.shape[1], rendered.rgb.shape[0]))
        self.tally.add(norms, rendered.radii_px)
        allowed = phases.growth_at(self.iteration, self.settings)
        if allowed is None:
            return {}
        events = densify(self.adam, self.tally, context, self.recipe, allowed)
        self.tally = Tally.zeros(self.parameters.count)
        return events

    def _mcmc(self, context: Context, taken: Step) -> Events:
        self._step_adam(context, taken, GROUPS)
        events: Events = {}
        if schedule.densifies(self.iteration, self.settings):
            events = relocate_and_add(self.adam, context, self.recipe)
            self.tally = Tally.zeros(self.parameters.count)
        self.parameters.means[:] += self.recipe.noise(context, self.parameters, taken.learning_rates["means"])
        return events

    def _step_adam(self, context: Context, taken: Step, groups: tuple[str, ...]) -> None:
        if self.iteration < self.settings.iterations:  # as INRIA's trainer: nobody would see the last step
            self.adam.step(context.gradients, taken.learning_rates, groups)

    def _save(self) -> None:
        if self.recorder and self.iteration in self.settings.save_iterations:
            self.recorder.save(self.iteration, self.parameters.gaussians())

    def _record(self, taken: Step) -> None:
        if self.recorder is None:
            return
        self.recorder.log(taken.iteration, taken.logged())
        if taken.iteration in self.settings.checkpoint_iterations:
            self.recorder.save_state(self.captured())


def _rgb(values: F32) -> tuple[float, float, float]:
    red, green, blue = (float(value) for value in values)
    return red, green, blue

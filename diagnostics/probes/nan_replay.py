"""A stretch of training under the watch: from one save on, to the first value that is not finite or to the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from PIL import Image

from diagnostics.facts.nan_inputs import FLOAT_MODES
from diagnostics.optimiser import schedule
from diagnostics.optimiser.optimiser import Engine, Optimiser
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import Step
from diagnostics.optimiser.views import View
from diagnostics.probes.bench import Bench
from diagnostics.probes.nan_start import Start
from diagnostics.probes.nan_watch import Broken, Largest, Watch, look_at_moments, look_at_parameters, magnitudes
from diagnostics.probes.resume_views import Shown
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import Mask
from runs.run import Run
from runs.storage import open_file

GROWTH = 2  # times as many Gaussians as the save holds: on smaller pictures thresholds on gradients do not mean the same


@dataclass(frozen=True, eq=False)
class Replay:
    """How a stretch went."""

    first: int  # iteration of the first step
    steps: int  # that were done and stayed finite
    broken: Broken | None
    largest: Largest  # over all steps
    growth: float  # of the last step's largest gradient over the median of those before; NaN where it is not known
    rates: Mapping[str, float]  # of the last step, by parameter group
    gaussians: int


@dataclass(frozen=True, eq=False)
class Desk:
    """What every stretch shares."""

    shown: Shown
    settings: OptimiserSettings
    engine: Engine
    extent: float  # world units, as the trainer has it
    start: Start

    def optimiser(self, steps: int, watch: Watch, changes: Mapping[str, Any]) -> Optimiser:
        """With growth and resets as the settings have them, and this watch in its recipe.

        Raises ValueError for points that nothing can start from.
        """
        settings = replace(self.settings, **{"iterations": self.start.iteration + steps + 1, "test_iterations": (), **changes})
        extent = self.extent
        recipe = Recipe(
            learning_rates=lambda iteration, told, _: schedule.learning_rates(iteration, told, extent),
            view_index=self.shown.view_index, loss=watch.loss, gradients=watch.gradients,
        )
        return Optimiser(self.shown.data, settings, recipe, engine=self.engine, resume_from=self.start.state)


@dataclass(eq=False)
class _Course:
    """What is known so far."""

    largest: Largest = field(default_factory=Largest)
    done: int = 0
    rates: Mapping[str, float] = field(default_factory=dict)


def replay(
    bench: Bench, desk: Desk, steps: int, until: float, told: Callable[[int], None], changes: Mapping[str, Any] | None = None,
) -> Replay:
    """`steps` iterations; fewer up to the first value that is not finite, or where the probe has worked for `until` seconds."""
    watch, course = Watch(), _Course()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what overflows is what is looked for
        optimiser = desk.optimiser(steps, watch, changes or {})
        course.rates = schedule.learning_rates(desk.start.iteration + 1, optimiser.settings, desk.extent)
        broken = _trained(bench, optimiser, watch, range(steps), until, course, told)
    return Replay(desk.start.iteration + 1, course.done, broken, course.largest, watch.growth, course.rates,
                  optimiser.parameters.count)


def _trained(
    bench: Bench, optimiser: Optimiser, watch: Watch, steps: range, until: float, course: _Course, told: Callable[[int], None],
) -> Broken | None:
    before = optimiser.parameters
    try:
        look_at_parameters(before)
        for number in steps:
            if bench.seconds > until:
                break
            before = optimiser.parameters.astype(np.float32)
            step = optimiser.step()
            _look(optimiser, before, step, watch, course)
            bench.point("largest gradient", "", step.iteration, watch.gradients_seen[-1])
            bench.point("loss", "", step.iteration, step.loss)
            course.done += 1
            told(number)
    except Broken as found:
        return _placed(found, optimiser, before)
    return None


def _look(optimiser: Optimiser, before: Parameters, step: Step, watch: Watch, course: _Course) -> None:
    course.rates = step.learning_rates
    groups = _moved_by_adam(step, optimiser.settings)
    seen = magnitudes(before, optimiser.parameters, step.learning_rates, watch.gradients_seen[-1], groups)
    course.largest = course.largest.joined(seen)
    look_at_parameters(optimiser.parameters)
    for name in GROUPS:
        look_at_moments(name, optimiser.adam.moments[name].mean, optimiser.adam.moments[name].square)


def _moved_by_adam(step: Step, settings: OptimiserSettings) -> tuple[str, ...]:
    """Not by a reset or MCMC's noise, and not where the Gaussians became others."""
    others = {"logit_opacities"} if step.opacity_reset else {"means"} if settings.strategy == "mcmc" else set()
    return () if step.growth else tuple(name for name in GROUPS if name not in others)


def _placed(found: Broken, optimiser: Optimiser, before: Parameters) -> Broken:
    """With when and where it was; the rows of a step that changed their number are those after it."""
    iteration, views = max(1, optimiser.iteration), optimiser.data.train
    view = views[optimiser.recipe.view_index(iteration, len(views), optimiser.settings.seed)].name
    same = before.count == optimiser.parameters.count
    return Broken(found.tensor, found.stage, found.values, found.rows, optimiser.iteration, view,
                  before if same else optimiser.parameters)


def with_bad_pixels(run: Run, shown: Shown) -> Shown:
    """The photos of floats that hold values which are not finite, with these in them: elsewhere photos are whole numbers."""
    train = tuple(_with_bad_pixels(run, view) for view in shown.data.train)
    return replace(shown, data=replace(shown.data, train=train))


def _with_bad_pixels(run: Run, view: View) -> View:
    bad = _bad_pixels(run, view)
    if bad is None:
        return view
    photo = view.photo.copy()
    photo[bad] = np.nan
    return replace(view, photo=photo)


def _bad_pixels(run: Run, view: View) -> Mask | None:
    """bool [H, W] at the view's size: a pixel is bad where any that it stands for is."""
    try:
        with open_file(run.photos[view.name].path) as file, Image.open(file) as image:
            if image.mode not in FLOAT_MODES:
                return None
            bad = ~np.isfinite(np.asarray(image, np.float32))
    except Exception:  # Pillow raises nearly anything for a damaged file; whoever needed its picture has said so
        return None
    small = Image.fromarray(bad.astype(np.float32)).resize(view.camera.size_px, Image.Resampling.BOX)
    return np.asarray(np.asarray(small) > 0) if bad.any() else None

"""One training from the first iteration to the last, recorded as a run."""

from collections.abc import Callable

from diagnostics.optimiser.optimiser import Engine, Optimiser, Outcome
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import Step
from diagnostics.optimiser.views import TrainingData
from render.raster import differentiable
from runs.checkpoints import TrainingState
from runs.writers.protocol import RunWriter


def train(
    data: TrainingData, settings: OptimiserSettings, recipe: Recipe | None = None, *, recorder: RunWriter | None = None,
    engine: Engine = differentiable.render, resume_from: TrainingState | None = None,
    cancelled: Callable[[], bool] = lambda: False, progress: Callable[[Step], None] = lambda _: None,
) -> tuple[Optimiser, Outcome]:
    """Train, and finish the recorder whatever happens. Returns the optimiser as it stands and how it ended."""
    optimiser = Optimiser(data, settings, recipe, engine=engine, recorder=recorder, resume_from=resume_from)
    if recorder is None:
        return optimiser, optimiser.run(cancelled=cancelled, progress=progress)
    cameras = [view.camera for view in (*data.train, *data.test)]
    try:
        recorder.begin(cameras, data.points, settings.as_mapping())
        return optimiser, optimiser.run(cancelled=cancelled, progress=progress)
    finally:
        recorder.finish()

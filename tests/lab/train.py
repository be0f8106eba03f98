"""A plan becomes a folder on disk: trained, recorded, and edited as the plan says."""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from diagnostics.optimiser import schedule
from diagnostics.optimiser.optimiser import Optimiser, Outcome
from diagnostics.optimiser.settings import OptimiserSettings
from runs.checkpoints import TrainingState
from runs.writers.gsplat import GsplatWriter
from runs.writers.inria import InriaWriter
from runs.writers.protocol import RunWriter
from tests.lab.outcome import Trained
from tests.lab.plan import Plan, Resume

SOMEWHERE = "/data/scenes"  # another machine's: what a run records as its data's place is rarely there
CLOCK_START_SECS = 1.8e9


def train(plan: Plan, folder: Path) -> Trained:
    """Train and write the run into `folder`, which must be new."""
    started = time.perf_counter()
    writer = _writer(plan, folder)
    try:
        writer.begin([view.camera for view in (*plan.data.train, *plan.data.test)], plan.data.points, plan.recorded)
        optimiser, ended = _trained(plan, writer)
    finally:
        writer.finish()
    edited = plan.edit(folder, plan.settings.seed) if plan.edit else None
    return Trained(
        _test_psnr(ended), optimiser.parameters.count, tuple(sorted(plan.settings.save_iterations)),
        time.perf_counter() - started, None, edited or plan.guilty_rows, plan.guilty_cameras,
    )


def _trained(plan: Plan, writer: RunWriter) -> tuple[Optimiser, Outcome]:
    optimiser = Optimiser(plan.data, plan.settings, plan.recipe, recorder=writer)
    if plan.resume is not None:
        optimiser.run(plan.resume.at)
        optimiser = _resumed(plan, plan.resume, optimiser.captured(), writer)
    return optimiser, optimiser.run()


def _resumed(plan: Plan, resume: Resume, state: TrainingState, writer: RunWriter) -> Optimiser:
    if not resume.keeps_moments:
        bare = {name: replace(group, step=None, exp_avg=None, exp_avg_sq=None) for name, group in state.adam.items()}
        state = replace(state, adam=bare)
    recipe = plan.recipe if resume.keeps_schedule else replace(plan.recipe, learning_rates=partial(_rates_from, first=resume.at))
    return Optimiser(plan.data, plan.settings, recipe, recorder=writer, resume_from=state)


def _rates_from(iteration: int, settings: OptimiserSettings, extent: float, *, first: int) -> Mapping[str, float]:
    """As if iteration `first` were the start."""
    return schedule.learning_rates(iteration - first, settings, extent)


def _writer(plan: Plan, folder: Path) -> RunWriter:
    source, clock = f"{SOMEWHERE}/{plan.scene.name}", _Clock()
    if plan.layout == "gsplat":
        return GsplatWriter(folder, source, ranks=plan.ranks, clock=clock)
    return InriaWriter(folder, source, model_path=f"output/{plan.scene.name}", clock=clock)


class _Clock:
    """A wall clock that always tells the same times: runs must not differ by when they were made."""

    def __init__(self) -> None:
        self.secs = CLOCK_START_SECS

    def __call__(self) -> float:
        self.secs += 0.01
        return self.secs


def _test_psnr(ended: Outcome) -> float | None:
    for _, evaluation in sorted(ended.evaluations.items(), reverse=True):
        psnr = evaluation.get("test")
        return psnr if psnr is not None and psnr == psnr and abs(psnr) != float("inf") else None
    return None

"""Ways to go on from one save: the same views in the same order, with the moments that it holds, without any, or with moments
gathered while the parameters are held still."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from diagnostics.optimiser import schedule
from diagnostics.optimiser.optimiser import Engine, Optimiser
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import INRIA_NAMES, Step
from diagnostics.probes.bench import Bench
from diagnostics.probes.resume_state import bare
from diagnostics.probes.resume_views import Shown
from render.raster.parameters import GROUPS
from runs.arrays import F64
from runs.checkpoints import TrainingState

Told = Callable[[int], None]  # the step that was done
# What would change the Gaussians beside Adam; switched off, so that what moves them is Adam alone.
ADAM_ALONE: Mapping[str, Any] = {"densify_until_iter": 0, "noise_lr": 0.0, "random_background": False, "test_iterations": ()}


@dataclass(frozen=True, eq=False)
class Way:
    """A continuation, one value per iteration."""

    name: str
    views: tuple[str, ...]
    psnr: F64  # dB, of the view before its step
    l1: F64
    updates: Mapping[str, F64] = field(repr=False)  # by INRIA's name: rms of the change of all values, in learning rates

    def first(self, group: str) -> float:
        """Length of the first update, in learning rates; 1 where every value goes the whole way."""
        return float(self.updates[group][0])

    def later(self, group: str) -> float:
        """The same of the last third, median."""
        values = self.updates[group]
        return float(np.median(values[-(-2 * len(values) // 3):]))

    def times(self, group: str) -> float:
        """First update / later ones; NaN where nothing moved."""
        later = self.later(group)
        return self.first(group) / later if later > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class Desk:
    """What every way shares."""

    shown: Shown
    settings: OptimiserSettings
    engine: Engine
    extent: float  # world units, as the trainer has it

    def optimiser(self, state: TrainingState, steps: int, *, still: bool = False) -> Optimiser:
        """Rates stand where the state's iteration has them; `still`: all are 0."""
        settings = replace(self.settings, **ADAM_ALONE, iterations=state.iteration + steps + 1)

        def rates(iteration: int, told: OptimiserSettings, _extent: float) -> Mapping[str, float]:
            usual = schedule.learning_rates(iteration, told, self.extent)
            return dict.fromkeys(usual, 0.0) if still else usual

        recipe = Recipe(learning_rates=rates, sh_degree=_held(state), view_index=self.shown.view_index)
        return Optimiser(self.shown.data, settings, recipe, engine=self.engine, resume_from=state)


def _held(state: TrainingState) -> Callable[[int, OptimiserSettings], int]:
    """The SH degree that was trained; a point cloud does not tell it, so that it follows from the iteration."""
    def degree(_iteration: int, settings: OptimiserSettings) -> int:
        told = state.active_sh_degree
        return schedule.sh_degree(state.iteration, settings) if told is None else min(told, settings.sh_degree)

    return degree


def continued(bench: Bench, desk: Desk, state: TrainingState, steps: int, name: str, told: Told) -> Way:
    """`steps` iterations from the state on; tells the bench the PSNR of each."""
    optimiser = desk.optimiser(state, steps)
    taken: list[Step] = []
    updates: dict[str, list[float]] = {group: [] for group in GROUPS}
    for number in range(steps):
        before = {group: getattr(optimiser.parameters, group).copy() for group in GROUPS}
        step = optimiser.step()
        for group, was in before.items():
            updates[group].append(_length(getattr(optimiser.parameters, group), was, step.learning_rates[group]))
        taken.append(step)
        bench.point(f"PSNR of the trained view, {name}", "dB", step.iteration, step.psnr)
        told(number)
    return Way(
        name, tuple(step.view for step in taken), np.array([step.psnr for step in taken]), np.array([step.l1 for step in taken]),
        {INRIA_NAMES[group]: np.array(values) for group, values in updates.items() if np.any(values)},
    )


def gathered(desk: Desk, state: TrainingState, steps: int, told: Told) -> TrainingState:
    """The state with moments of `steps` iterations at learning rates of 0: what Adam remembers of these parameters."""
    optimiser = desk.optimiser(bare(state), steps, still=True)
    for number in range(steps):
        optimiser.step()
        told(number)
    return replace(state, adam=optimiser.captured().adam)


def _length(now: Any, was: Any, rate: float) -> float:
    """Root mean square of a change, in learning rates; 0 for an empty group or one that has no rate."""
    if not now.size or rate <= 0:
        return 0.0
    change = np.subtract(now, was, dtype=np.float32).reshape(-1)
    return float(np.sqrt(np.dot(change, change) / change.size)) / rate

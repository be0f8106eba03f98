"""Facts about relocation: who could not be drawn before a refinement of MCMC, and still cannot after it."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from diagnostics.facts import generations, logged, saved  # noqa: F401  (relocates, schedule, checkpoints)
from diagnostics.measures.generations import INVISIBLE
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.settings import NOT_STORED
from runs.strategy import keeps_order

SAME_COLOUR = 0.05  # SH units: 4 of 255 grey levels


@dataclass(frozen=True)
class Refinement:
    """Two saved states with at least one refinement between them; MCMC changes rows in place and adds new ones at the end."""

    first: int
    last: int
    dead: int  # invisible Gaussians of the earlier state
    kept_dead: int  # those of them that are still the same ones, and still invisible, in the later one


@fact(missing="two saved point clouds with a refinement of MCMC between them")
def refinements(
    run: Run, checkpoints: tuple[Checkpoint, ...], schedule: Schedule, relocates: bool, beat: Callable[[], None],
) -> tuple[Refinement, ...] | NotEvaluable | None:
    """By iteration; at least one."""
    if not relocates:
        return NotEvaluable(("a trainer that relocates Gaussians (MCMC)",))
    if NOT_STORED in schedule.source:
        return NotEvaluable(("when the trainer refines (its defaults were not stored, and may have been overridden)",))
    pairs = [pair for pair in pairwise(checkpoints) if saved.row_by_row(*pair)]
    if not pairs and len(checkpoints) > 1:
        return NotEvaluable((saved.IN_ORDER,))
    if not keeps_order(run):
        return NotEvaluable((f"saves whose rows keep their order (those of {run.trainer.name} are not known to)",))
    found = []
    for earlier, later in pairs:
        beat()
        if any(earlier.iteration <= event < later.iteration for event in schedule.densifications):
            found.append(_refinement(earlier, later))
    return tuple(found) or None


def _refinement(earlier: Checkpoint, later: Checkpoint) -> Refinement:
    """Who is moved takes over the colour of the Gaussian that it is moved to; without gradient a colour stays."""
    before, after = earlier.gaussians, later.gaussians
    rows = slice(min(before.count, after.count))
    dead, still = before.opacities < INVISIBLE, after.opacities[rows] < INVISIBLE
    same = np.abs(after.sh0[rows] - before.sh0[rows]).max(axis=1) < SAME_COLOUR
    return Refinement(earlier.iteration, later.iteration, int(dead.sum()), int((dead[rows] & still & same).sum()))

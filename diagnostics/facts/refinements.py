"""Facts about relocation: who could not be drawn before a refinement of MCMC, and still cannot after it."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from diagnostics.facts import generations, logged, saved  # noqa: F401  (relocates, schedule, checkpoints)
from diagnostics.measures.generations import INVISIBLE
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint
from runs.settings import NOT_STORED


@dataclass(frozen=True)
class Refinement:
    """Two saved states with at least one refinement between them; MCMC changes rows in place and adds new ones at the end."""

    first: int
    last: int
    dead: int  # invisible Gaussians of the earlier state
    kept_dead: int  # those of them that are invisible in the later one as well


@fact(missing="two saved point clouds with a refinement of MCMC between them")
def refinements(
    checkpoints: tuple[Checkpoint, ...], schedule: Schedule, relocates: bool, beat: Callable[[], None],
) -> tuple[Refinement, ...] | NotEvaluable | None:
    """By iteration; at least one."""
    if not relocates:
        return NotEvaluable(("a trainer that relocates Gaussians (MCMC)",))
    if NOT_STORED in schedule.source:
        return NotEvaluable(("when the trainer refines (its defaults were not stored, and may have been overridden)",))
    found = []
    for earlier, later in pairwise(checkpoints):
        beat()
        if any(earlier.iteration <= event < later.iteration for event in schedule.densifications):
            dead, still = (c.gaussians.opacities < INVISIBLE for c in (earlier, later))
            rows = min(len(dead), len(still))
            found.append(Refinement(earlier.iteration, later.iteration, int(dead.sum()), int((dead[:rows] & still[:rows]).sum())))
    return tuple(found) or None

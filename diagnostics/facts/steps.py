"""Facts about steps that are too short: the rates a run began with, what eps leaves of them, and Gaussians that stay glued."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import rates as rate_facts
from diagnostics.facts import saved, trained  # noqa: F401  (the facts named below)
from diagnostics.facts.rates import Rate, Suppression
from diagnostics.facts.trained import Motion
from diagnostics.measures.twins import twins
from diagnostics.registry import fact
from runs.arrays import I64
from runs.checkpoints import Checkpoint


@dataclass(frozen=True, eq=False)
class Glued:
    """Gaussians that had another one at exactly their place in two saves with the same rows."""

    first: int
    last: int
    rows: I64  # int64, rows of the later save
    of: int
    source: str

    @property
    def share(self) -> float:
        return len(self.rows) / self.of


@fact(missing=saved.STEADY)
def glued(steady_pair: tuple[Checkpoint, Checkpoint]) -> Glued:
    """A clone lies at its parent's place at birth; a save later, without a birth in between, learning has parted them."""
    earlier, later = steady_pair
    rows = np.flatnonzero(twins(earlier.gaussians.means) & twins(later.gaussians.means))
    return Glued(earlier.iteration, later.iteration, rows, later.count, saved.file_of(later))


@dataclass(frozen=True)
class Steps:
    """Everything that tells how short steps are; parts that the run does not hold are empty or None."""

    rates: tuple[Rate, ...]
    suppressions: tuple[Suppression, ...]
    motion: Motion | None
    glued: Glued | None


@fact(missing=f"{rate_facts.RATES}, or {saved.STEADY}")
def steps(
    first_rates: tuple[Rate, ...] | None = None, suppressions: tuple[Suppression, ...] | None = None,
    late_motion: Motion | None = None, glued: Glued | None = None,
) -> Steps | None:
    """None where no part is known."""
    if first_rates is None and suppressions is None and (late_motion is None or glued is None):
        return None
    return Steps(first_rates or (), suppressions or (), late_motion, glued)

"""Facts about steps that are too short: the rates a run began with, what eps leaves of them, and how far Gaussians still walk."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import cameras, saved, trained  # noqa: F401  (the facts named below)
from diagnostics.facts import rates as rate_facts
from diagnostics.facts.rates import Rate, Suppression
from diagnostics.facts.trained import VISIBLE, Motion
from diagnostics.measures.extent import CameraSpread
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint

LOWEST_USUAL = 1.6e-6  # extents per step: what the rate of the means falls to in the reference and in gsplat
LONGEST = 2_000  # iterations between two saves: over more of them a walk is held back by the optimum that it circles


@dataclass(frozen=True)
class Pace:
    """How far visible Gaussians walk, against a random walk at the lowest usual rate; 1 is about as far."""

    first: int
    last: int
    relative: float  # median way / (lowest usual rate × extent × √iterations)
    source: str


@fact(missing=f"{saved.STEADY}; {cameras.CAMERAS}")
def pace(
    steady_pair: tuple[Checkpoint, Checkpoint], late_motion: Motion, cameras_spread: CameraSpread,
) -> Pace | NotEvaluable | None:
    """Of the last pair whose count did not change and whose rows kept their order (`late_motion` knows)."""
    earlier, later = steady_pair
    iterations = later.iteration - earlier.iteration
    if iterations > LONGEST or cameras_spread.robust_extent <= 0:
        return NotEvaluable((f"two saved point clouds at most {LONGEST:,} iterations apart, and cameras that spread",))
    before, after = earlier.gaussians, later.gaussians
    way = np.linalg.norm(after.means - before.means, axis=1)[np.fmin(before.opacities, after.opacities) > VISIBLE]
    walked = float(np.nanmedian(way)) / (LOWEST_USUAL * cameras_spread.robust_extent * np.sqrt(iterations))
    return Pace(earlier.iteration, later.iteration, walked, late_motion.source)


@dataclass(frozen=True)
class Steps:
    """Everything that tells how short steps are; parts that the run does not hold are empty or None."""

    rates: tuple[Rate, ...]
    suppressions: tuple[Suppression, ...]
    pace: Pace | None


@fact(missing=f"{rate_facts.RATES}, or {saved.STEADY}")
def steps(
    first_rates: tuple[Rate, ...] | None = None, suppressions: tuple[Suppression, ...] | None = None, pace: Pace | None = None,
) -> Steps | None:
    """None where no part is known."""
    if first_rates is None and suppressions is None and pace is None:
        return None
    return Steps(first_rates or (), suppressions or (), pace)

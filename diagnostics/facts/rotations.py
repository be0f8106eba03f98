"""Facts about how far Gaussians turn and walk between saves, where a geometric loss beside the picture was on."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from diagnostics.facts import alike, logged, saved, taken  # noqa: F401  (checkpoint_pairs, position_rate, settings)
from diagnostics.facts.trained import VISIBLE
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64, I64
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.series import Series
from runs.settings import Setting, Settings

# Losses on depths or normals, by the last part of their name: INRIA's forks, 2DGS and gsplat, LichtFeld Studio.
GEOMETRIC = frozenset({
    "lambda_normal", "lambda_dist", "lambda_depth", "lambda_depth_normal", "normal_loss", "dist_loss", "depth_loss",
    "use_depth_loss", "use_normal_loss", "depth_loss_weight", "normal_loss_weight", "normal_consistency_weight",
})
ENOUGH_ROWS = 20_000
STEPS = "three saved point clouds after one another with the same number of Gaussians in the same order"


@dataclass(frozen=True)
class Step:
    """Medians over visible Gaussians between two saves, per iteration."""

    first: int
    last: int
    turned: float  # degrees
    walked: float  # world units over the rate of the means, so that its decay is no sign


@dataclass(frozen=True)
class Turning:
    """The first and the last of the steps that can be compared."""

    early: Step
    late: Step
    source: str


@fact(missing="the trainer's settings")
def geometric_loss(settings: Settings) -> Setting | NotEvaluable:
    """The first loss on depths or normals that is switched on."""
    return alike.told(settings, GEOMETRIC) or NotEvaluable(("a loss on depths or normals that was switched on",))


@fact(missing=f"{STEPS}; series lr/xyz")
def turning(
    checkpoint_pairs: tuple[tuple[Checkpoint, Checkpoint], ...], geometric_loss: Setting, position_rate: Series,  # noqa: ARG001
    beat: Callable[[], None],
) -> Turning | None:
    """Steps between saves that keep count and order; at least two, the first and the last are compared."""
    steps = []
    for earlier, later in checkpoint_pairs:
        beat()
        if earlier.count == later.count and saved.row_by_row(earlier, later):
            steps.append(_step(earlier, later, _rate(position_rate, earlier.iteration, later.iteration)))
    known = [step for step in steps if step is not None]
    if len(known) < 2 or any(after.first < before.last for before, after in pairwise(known)):
        return None
    return Turning(known[0], known[-1], saved.file_of(checkpoint_pairs[-1][1]))


def _rate(rates: Series, first: int, last: int) -> float:
    """The mean of the rate at both ends; NaN where it is not logged around them."""
    ends = np.interp([first, last], rates.iterations, rates.values, left=np.nan, right=rates.values[-1])
    return float(np.mean(ends))


def _step(earlier: Checkpoint, later: Checkpoint, rate: float) -> Step | None:
    before, after, iterations = earlier.gaussians, later.gaussians, later.iteration - earlier.iteration
    rows = np.flatnonzero(np.fmin(before.opacities, after.opacities) > VISIBLE)
    if not len(rows) or not iterations or not rate > 0:
        return None
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), ENOUGH_ROWS)).astype(np.int64)]
    way = np.linalg.norm(after.means[rows].astype(np.float64) - before.means[rows], axis=1)
    turned, walked = float(np.nanmedian(_degrees(before, after, rows))), float(np.nanmedian(way))
    return Step(earlier.iteration, later.iteration, turned / iterations, walked / rate / iterations)


def _degrees(before: Gaussians, after: Gaussians, rows: I64) -> F64:
    """float64 [n]: the angle between the two rotations; q and -q are one."""
    units = [each.quats_wxyz[rows].astype(np.float64) / each.quat_norms[rows][:, None] for each in (before, after)]
    return np.asarray(np.degrees(2 * np.arccos(np.clip(np.abs((units[0] * units[1]).sum(axis=1)), 0, 1))))

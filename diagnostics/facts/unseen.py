"""Facts about how rarely Gaussians are visited while regularisers pull at them in every step, where there are many photos."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import cameras, logged, regularisers, saved  # noqa: F401  (the facts named below)
from diagnostics.facts.photos import evenly
from diagnostics.facts.regularisers import NAMES
from diagnostics.measures.frusta import seen_by
from diagnostics.measures.shares import quantile
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.strategy import moves_the_dead

SAMPLED = 2_000  # Gaussians: a median of a quarter of them is known to 0.02
ENOUGH_ROWS = 100_000
CAMERAS = 1_000  # of more, evenly spaced ones stand for all
MCMC = "a training by MCMC with a regulariser of opacities or scales (it alone pulls at what no photo shows)"


@dataclass(frozen=True)
class Mean:
    """Mean opacity and largest scale of one save."""

    iteration: int
    opacity: float
    scale: float


@dataclass(frozen=True)
class Visits:
    """How often the Gaussians of the last save of the range are looked at, and what became of those that rarely are."""

    photos: int
    share: float  # mean part of the training pictures in which a Gaussian lies
    per_window: float  # visits between two refinements, mean
    rare: float  # median opacity of the quarter that the fewest pictures show
    frequent: float  # of the quarter that the most show
    saves: tuple[Mean, ...]  # by iteration
    iteration: int
    weights: str  # settings of the regularisers


@fact(missing=MCMC)
def visits(
    run: Run, checkpoints: tuple[Checkpoint, ...], train_cameras: tuple[Camera, ...], schedule: Schedule,
    beat: Callable[[], None],
) -> Visits | NotEvaluable | None:
    """From 2,000 Gaussians and at most 1,000 cameras; occlusion is not asked, so visits are rarer than told."""
    weights = [setting for name in NAMES if (setting := run.settings.get(name)) is not None and _is_on(setting.value)]
    if not moves_the_dead(run) or not weights:
        return NotEvaluable((MCMC,))
    if not schedule.densify_every:
        return NotEvaluable(("how often the trainer refines (setting refine_every)",))
    last = checkpoints[-1].gaussians
    rows = np.random.default_rng(0).permutation(last.count)[:SAMPLED]
    asked = evenly(train_cameras, CAMERAS)
    seen = np.asarray(seen_by(last.means[rows], asked) / len(asked), np.float64)
    means = []
    for checkpoint in checkpoints:
        beat()
        means.append(_mean(checkpoint))
    rare, frequent = _quarters(seen, np.asarray(last.opacities[rows], np.float64))
    share = float(seen.mean())
    return Visits(
        len(train_cameras), share, schedule.densify_every * share, rare, frequent, tuple(means),
        checkpoints[-1].iteration, ", ".join(f"{setting.name} = {setting.value}" for setting in weights),
    )


def _is_on(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _quarters(seen: F64, opacities: F64) -> tuple[float, float]:
    low, high = np.quantile(seen, (0.25, 0.75))
    return quantile(opacities[seen <= low], 0.5), quantile(opacities[seen >= high], 0.5)


def _mean(checkpoint: Checkpoint) -> Mean:
    rows = slice(None, None, max(1, checkpoint.count // ENOUGH_ROWS))
    logits, log_scales = checkpoint.gaussians.logit_opacities[rows], checkpoint.gaussians.log_scales[rows]
    with np.errstate(over="ignore"):
        opacities, scales = 1 / (1 + np.exp(-logits)), np.exp(log_scales.max(axis=1))
    return Mean(checkpoint.iteration, float(np.mean(opacities[np.isfinite(opacities)], dtype=np.float64)),
                float(np.mean(scales[np.isfinite(scales)], dtype=np.float64)))

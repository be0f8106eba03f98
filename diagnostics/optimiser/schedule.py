"""What changes with the iteration: learning rates, the SH degree, the view, and when the Gaussians grow."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from diagnostics.optimiser.settings import OptimiserSettings
from runs.arrays import F32

# First words of the seeds of independent random numbers.
ORDER, ITERATION, START = 1, 2, 3
HIGHER_DEGREES = 20  # SH above degree 0 learns this many times more slowly


def generator(seed: int, purpose: int, number: int = 0) -> np.random.Generator:
    """Random numbers of their own for each purpose and number, so that a resumed training needs no stored state of them."""
    return np.random.default_rng((seed, purpose, number))


def position_rate(iteration: int, settings: OptimiserSettings) -> float:
    """Log-linear from position_lr_init to position_lr_final; before × extent. INRIA's delay is switched off there too."""
    share = min(iteration / settings.position_lr_max_steps, 1.0)
    first, last = settings.position_lr_init, settings.position_lr_final
    if min(first, last) <= 0:
        return first * (1 - share) + last * share
    return float(first ** (1 - share) * last**share)


def learning_rates(iteration: int, settings: OptimiserSettings, extent: float) -> Mapping[str, float]:
    """By parameter group."""
    return {
        "means": position_rate(iteration, settings) * extent, "log_scales": settings.scaling_lr,
        "quats_wxyz": settings.rotation_lr, "logit_opacities": settings.opacity_lr, "sh0": settings.feature_lr,
        "sh_rest": settings.feature_lr / HIGHER_DEGREES,
    }


def sh_degree(iteration: int, settings: OptimiserSettings) -> int:
    """0 at first, one more every sh_interval iterations."""
    return min(iteration // settings.sh_interval, settings.sh_degree)


def view_index(iteration: int, views: int, seed: int) -> int:
    """Every view once, in random order, before any comes again."""
    epoch, place = divmod(iteration - 1, views)
    return _order(views, seed, epoch)[place]


@lru_cache(maxsize=16)
def _order(views: int, seed: int, epoch: int) -> tuple[int, ...]:
    return tuple(generator(seed, ORDER, epoch).permutation(views).tolist())


def background(settings: OptimiserSettings, rng: np.random.Generator) -> F32:
    """float32 [3], 0..1."""
    if settings.random_background:
        return rng.random(3, np.float32)
    return np.full(3, settings.white_background, np.float32)


def densifies(iteration: int, settings: OptimiserSettings) -> bool:
    """Whether Gaussians are cloned, split, pruned or relocated now."""
    inside = settings.densify_from_iter < iteration < settings.densify_until_iter
    return inside and iteration % settings.densification_interval == 0


def resets_opacities(iteration: int, settings: OptimiserSettings) -> bool:
    """INRIA's rule, with its extra reset for a white background."""
    if settings.strategy != "default" or iteration >= settings.densify_until_iter:
        return False
    first = settings.white_background and iteration == settings.densify_from_iter
    return first or iteration % settings.opacity_reset_interval == 0

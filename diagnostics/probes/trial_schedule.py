"""The schedule of a run, made short for a trial: all iterations by one factor, but no interval below what training needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.optimiser.settings import OptimiserSettings

MOMENTS = ("position_lr_max_steps", "sh_interval", "densify_from_iter", "densify_until_iter")
SAVES = 10  # over the training, evenly: patterns that follow Gaussians from save to save need some
STATES = 2
CAP = "cap_max"


@dataclass(frozen=True)
class Shortening:
    """How a training is made short and small."""

    iterations: int
    densify_interval: int  # no interval of densification becomes shorter by the shortening than this
    reset_interval: int  # nor an interval of opacity resets than this
    most_gaussians: int
    thinning: float = 1.0  # share of the starting points that are used


def shortened(
    own: OptimiserSettings, changes: Mapping[str, Any], short: Shortening, seed: int,
) -> tuple[OptimiserSettings, OptimiserSettings]:
    """Settings of the control and of the trial, which differ by `changes` (our names, on the scale of `own`).

    A setting that is changed is scaled alike on both sides. Raises ValueError for a change that cannot be trained with.
    """
    other = replace(own, **changes)
    factor = min(1.0, short.iterations / own.iterations)
    factors = {**dict.fromkeys(MOMENTS, factor), **_of_intervals(own, other, factor, short)}
    control, trial = (_scaled(side, factors, short, seed) for side in (own, other))
    return control, trial


def _of_intervals(own: OptimiserSettings, other: OptimiserSettings, factor: float, short: Shortening) -> dict[str, float]:
    """By the longer one of the two sides, so that their ratio stays."""
    least = {"densification_interval": short.densify_interval, "opacity_reset_interval": short.reset_interval}
    longest = {name: max(getattr(own, name), getattr(other, name)) for name in least}
    return {name: max(factor, min(1.0, least[name] / longest[name])) for name in least}


def _scaled(settings: OptimiserSettings, factors: Mapping[str, float], short: Shortening, seed: int) -> OptimiserSettings:
    last = min(short.iterations, settings.iterations)
    scaled = {name: max(1, round(getattr(settings, name) * factor)) for name, factor in factors.items()}
    return replace(settings, **scaled, iterations=last, seed=seed, cap_max=_cap(settings, short), **_looks(last))


def _cap(settings: OptimiserSettings, short: Shortening) -> int:
    """In proportion to the points that are used, and never more than may be afforded."""
    own = max(1, round(settings.cap_max * short.thinning)) if settings.cap_max else short.most_gaussians
    return min(own, short.most_gaussians)


def _looks(last: int) -> dict[str, Any]:
    """When it is saved and evaluated."""
    saves = _evenly(last, SAVES)
    return {"save_iterations": saves, "test_iterations": tuple(sorted({1, *saves})),
            "checkpoint_iterations": _evenly(last, STATES)}


def _evenly(last: int, parts: int) -> tuple[int, ...]:
    return tuple(sorted({max(1, round(last * part / parts)) for part in range(1, parts + 1)}))

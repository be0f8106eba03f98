"""The two ways in which the number of Gaussians changes: clone, split and prune; or relocate and add."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from diagnostics.optimiser.adam import Adam
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.growth import Tally, largest_scales
from diagnostics.optimiser.recipe import Recipe
from render.raster.parameters import Parameters
from runs.arrays import F32, I64, Array, Mask

Events = Mapping[str, float]


@dataclass(frozen=True)
class Growth:
    """What a densification may do besides splitting large Gaussians."""

    clones: bool = True
    prunes: bool = True


def densify(adam: Adam, tally: Tally, context: Context, recipe: Recipe, growth: Growth = Growth()) -> Events:
    """Clone small and split large Gaussians of a high mean gradient, then prune. Row order is INRIA's.

    Returns how many were cloned, split, pruned, the median statistic, and the share above the threshold ("hot").
    """
    settings, parameters = context.settings, adam.parameters
    pressure = tally.mean
    hot = pressure >= settings.densify_grad_threshold
    grown = hot & _has_room(pressure, hot, settings.cap_max)
    small = largest_scales(parameters) <= settings.percent_dense * context.extent
    cloned, parents = np.flatnonzero(grown & small & growth.clones), np.flatnonzero(grown & ~small)
    newborn = recipe.clone(context, parameters, cloned).joined(recipe.split(context, parameters, parents))
    kept = np.ones(parameters.count, bool)
    kept[parents] = False
    adam.regrow(kept, newborn)
    gone = recipe.prune(context, adam.parameters) if growth.prunes else np.zeros(adam.parameters.count, bool)
    adam.regrow(~gone)
    return {"cloned": len(cloned), "split": len(parents), "pruned": int(gone.sum()),
            "grad_med": float(np.median(pressure)) if len(pressure) else 0.0, "hot": float(hot.mean()) if len(hot) else 0.0}


def _has_room(pressure: F32, hot: Mask, cap: int) -> Mask:
    """bool [N]: under a cap, only those of the highest pressure grow; each adds one Gaussian."""
    room = cap - len(pressure)
    if not cap or hot.sum() <= room:
        return np.ones(len(pressure), bool)
    chosen = np.zeros(len(pressure), bool)
    chosen[np.argsort(-pressure, kind="stable")[: max(room, 0)]] = True
    return chosen


def relocate_and_add(adam: Adam, context: Context, recipe: Recipe) -> Events:
    """Move nearly transparent Gaussians onto others drawn by opacity, then add some in the same way, up to the cap."""
    relocated = _relocate(adam, context, recipe)
    settings, count = context.settings, adam.parameters.count
    target = min(settings.cap_max, int(settings.growth_factor * count))
    chosen = _drawn(adam.parameters, np.ones(count, bool), max(target - count, 0), context)
    _share(adam.parameters, chosen, context, recipe)
    adam.regrow(np.arange(count), adam.parameters.take(chosen))
    return {"relocated": relocated, "added": len(chosen)}


def _relocate(adam: Adam, context: Context, recipe: Recipe) -> int:
    parameters = adam.parameters
    dead = expit(parameters.logit_opacities) <= context.settings.opacity_cull
    rows = np.flatnonzero(dead)
    chosen = _drawn(parameters, ~dead, len(rows), context)
    rows = rows[: len(chosen)]
    _share(parameters, chosen, context, recipe)
    for name, memory in adam.moments.items():
        values = getattr(parameters, name)
        values[rows] = values[chosen]
        memory.forget(chosen)
    return len(rows)


def _drawn(parameters: Parameters, allowed: Mask, count: int, context: Context) -> I64:
    """`count` rows drawn with replacement by opacity; none where nothing is opaque."""
    weights = np.where(allowed, np.nan_to_num(expit(parameters.logit_opacities).astype(np.float64)), 0)
    if weights.sum() <= 0:
        return np.zeros(0, np.int64)
    return np.asarray(context.rng.choice(len(weights), count, p=weights / weights.sum()), np.int64)


def _share(parameters: Parameters, chosen: I64, context: Context, recipe: Recipe) -> None:
    """Give the `chosen` rows the opacity and scales that they and their copies have from now on."""
    if not len(chosen):
        return
    copies = np.bincount(chosen, minlength=parameters.count)[chosen] + 1
    opacities, scales = recipe.relocate(expit(parameters.logit_opacities[chosen]), _scales(parameters, chosen), copies)
    bounded = np.clip(np.asarray(opacities, np.float64), context.settings.opacity_cull, 1 - np.finfo(np.float32).eps)
    parameters.logit_opacities[chosen] = np.log(bounded / (1 - bounded))
    with np.errstate(divide="ignore", invalid="ignore"):  # scales that underflowed stay what they are: -inf
        parameters.log_scales[chosen] = np.log(scales)


def _scales(parameters: Parameters, rows: I64) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(parameters.log_scales[rows]))

"""One densification as the 3DGS family does it, on arrays: clones first, then halves of splits, then pruning."""

from typing import Any

import numpy as np

from runs.arrays import I64, Array
from runs.gaussians import COLUMNS, Gaussians
from tests.support.runs import changed

CULL = 0.005


def densified(
    gaussians: Gaussians, *, clones: I64, splits: I64, shrink: float = 1.6, offset: float = 0.0, cull: float = CULL,
    seed: int = 0,
) -> Gaussians:
    """Rows `clones` get a copy, moved by `offset` of their largest scale; rows `splits` give way to two halves each."""
    rng = np.random.default_rng(seed)
    copies = changed(taken := gaussians.take(clones), means=taken.means + offset * _directions(len(clones), rng)
                     * taken.scales.max(axis=1, keepdims=True))
    parents = gaussians.take(np.tile(splits, 2))
    halves = changed(parents, means=parents.means + rng.normal(size=(parents.count, 3)) * parents.scales,
                     log_scales=parents.log_scales - np.log(shrink))
    stayed = gaussians.take(np.setdiff1d(np.arange(gaussians.count), splits))
    grown = joined(stayed, copies, halves)
    return grown.take(grown.opacities >= cull)


def joined(*parts: Gaussians) -> Gaussians:
    """Rows of all parts, in this order."""
    stored: dict[str, Any] = {name: np.concatenate([part.load(name) for part in parts]) for name in (*COLUMNS, "sh_rest")}
    return Gaussians.from_arrays(**stored)


def learned(gaussians: Gaussians, seed: int = 0, amount: float = 0.02) -> Gaussians:
    """A little later: everything moved by a small part of its size, its colour or its shape."""
    rng = np.random.default_rng(seed)

    def noise(values: Array) -> Array:
        return amount * rng.normal(size=values.shape)

    return changed(
        gaussians, means=gaussians.means + noise(gaussians.means) * gaussians.scales,
        log_scales=gaussians.log_scales + noise(gaussians.log_scales), sh0=gaussians.sh0 + noise(gaussians.sh0),
        quats_wxyz=gaussians.quats_wxyz + noise(gaussians.quats_wxyz),
    )


def with_opacities(gaussians: Gaussians, rows: I64, opacity: float) -> Gaussians:
    """The same, some rows with this opacity."""
    logits = gaussians.logit_opacities.copy()
    logits[rows] = np.log(opacity / (1 - opacity))
    return changed(gaussians, logit_opacities=logits)


def _directions(count: int, rng: np.random.Generator) -> Array:
    directions = rng.normal(size=(count, 3))
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))

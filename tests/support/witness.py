"""Witness: who became whom in a training of ours, written down while it happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from unittest.mock import patch

import numpy as np

from diagnostics.optimiser import growth, strategies
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.recipe import Recipe
from render.raster.parameters import Parameters
from runs.arrays import I64, Array, Mask
from runs.gaussians import Gaussians


@dataclass(frozen=True, eq=False)
class Seen:
    """One moment of a training, with the identity of every row."""

    gaussians: Gaussians
    ids: I64  # int64 [N]; a Gaussian keeps its own for life


@dataclass(eq=False)
class Witness:
    """Gives every Gaussian an identity, and remembers each one's parent."""

    ids: I64
    parents: dict[int, int] = field(default_factory=dict)  # identity -> identity of the parent

    def newborn(self, of: I64) -> I64:
        """Identities of new Gaussians, whose parents are in the rows `of`."""
        start = max([*self.parents, int(self.ids.max(initial=0))]) + 1 if len(of) else 0
        born = np.arange(start, start + len(of))
        self.parents.update(zip(born.tolist(), self.ids[of].tolist(), strict=True))
        return born


def witnessed(recipe: Recipe) -> tuple[Recipe, Witness]:
    """The recipe with a witness of its clones, splits and prunes; `ids` must be set once the training has Gaussians."""
    witness = Witness(np.zeros(0, np.int64))
    rows: dict[str, I64] = {}

    def clone(context: Context, parameters: Parameters, chosen: I64) -> Parameters:
        rows["clones"] = chosen
        return recipe.clone(context, parameters, chosen)

    def split(context: Context, parameters: Parameters, chosen: I64) -> Parameters:
        rows["splits"] = chosen
        return recipe.split(context, parameters, chosen)

    def prune(context: Context, parameters: Parameters) -> Mask:
        born = witness.newborn(np.concatenate([rows["clones"], np.tile(rows["splits"], growth.CHILDREN)]))
        witness.ids = np.concatenate([np.delete(witness.ids, rows["splits"]), born])
        gone = recipe.prune(context, parameters)
        witness.ids = witness.ids[~gone]
        return gone

    return replace(recipe, clone=clone, split=split, prune=prune), witness


@contextmanager
def relocations_into(witness: Witness) -> Iterator[None]:
    """Within it, MCMC's relocations and additions are witnessed too: a relocated row is somebody new in an old place."""
    drawn = strategies._drawn

    def told(parameters: Parameters, allowed: Mask, count: int, context: Context) -> Array:
        chosen = drawn(parameters, allowed, count, context)
        born = witness.newborn(chosen)
        if allowed.all():
            witness.ids = np.concatenate([witness.ids, born])
        else:
            witness.ids[np.flatnonzero(~allowed)[: len(chosen)]] = born
        return chosen

    with patch.object(strategies, "_drawn", told):
        yield


def watched(optimiser: Optimiser, witness: Witness, moments: tuple[int, ...]) -> dict[int, Seen]:
    """Train, and look at the Gaussians after each of the iterations `moments`."""
    witness.ids = np.arange(optimiser.parameters.count)
    seen = {}
    with relocations_into(witness):
        for moment in sorted(moments):
            optimiser.run(moment)
            seen[moment] = Seen(optimiser.parameters.gaussians(), witness.ids.copy())
    return seen

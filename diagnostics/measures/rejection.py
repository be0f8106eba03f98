"""Whether the photos would rather do without a splat: what it does to the pictures, held against what is wrong with them."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.backgrounds import COLOURS, composite, over
from diagnostics.measures.witnesses import brightness_bias
from render.raster.picture import Picture
from render.raster.removal import Removal
from runs.arrays import F32, F64
from runs.neighbours import nearest

JOINED = 7  # a splat and its six nearest: clumps are larger, surfaces beside a single stranger are not drowned


@dataclass(eq=False)
class Rejection:
    """Sums over views, per splat; see `Removal`."""

    along: F64  # float64 [M]
    effect: F64  # float64 [M]

    @classmethod
    def empty(cls, splats: int) -> "Rejection":
        return cls(np.zeros(splats), np.zeros(splats))

    def add(self, found: Removal) -> None:
        """One more view."""
        self.along += found.along
        self.effect += found.effect

    def strengths(self, means: F32) -> "Strengths | None":
        """For splats with these means [M, 3]. None where there was no photo, or no error in any picture."""
        acts = self.effect > 0
        own = np.full(len(acts), np.nan)
        own[acts] = _matched(self.along[acts], self.effect[acts])
        typical = float(np.median(np.abs(own[acts]))) if acts.any() else 0.0
        if not typical > 0:
            return None
        joint = own.copy()
        joint[acts] = _matched(*_with_neighbours(means[acts], self.along[acts], self.effect[acts]))
        return Strengths(own / typical, joint / typical)


@dataclass(frozen=True, eq=False)
class Strengths:
    """How clearly the errors of the pictures look like what a splat does to them; negative where they lack more of it.

    1 is the typical size for single splats of this run, so that where a run is wrong everywhere no splat is to blame. NaN where
    a splat does nothing. A matched filter: Σ d · error / √Σ d² is the best linear test for a known pattern d in noise
    (Turin 1960).
    """

    own: F64  # float64 [M]
    joint: F64  # float64 [M], of the splat and its nearest neighbours together: in a clump each hides what the others do


def _matched(along: F64, effect: F64) -> F64:
    return np.asarray(along / np.sqrt(effect))


def _with_neighbours(means: F32, along: F64, effect: F64) -> tuple[F64, F64]:
    """Sums over each splat and its nearest."""
    if len(means) < 2:
        return along, effect
    rows = nearest(means, min(JOINED, len(means)))[1]
    return along[rows].sum(axis=1), effect[rows].sum(axis=1)


def fitting(picture: Picture, photo: F32) -> tuple[F32, F32]:
    """The render and the photo [H, W, 3 or 4] on the background, black or white, that fits better; exposure evened out."""
    pairs = [(over(picture.rgb, picture.alpha, colour), composite(photo, colour)) for colour in COLOURS]
    shown, wanted = min(pairs, key=lambda pair: float(np.abs(np.clip(pair[0], 0, 1) - pair[1]).mean()))
    return shown, np.asarray(wanted - brightness_bias(wanted, shown), np.float32)

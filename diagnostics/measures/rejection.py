"""Whether the photos would rather do without a splat: what it does to the pictures, held against what is wrong with them."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.backgrounds import COLOURS, composite, over
from diagnostics.measures.witnesses import brightness_bias
from render.raster.picture import Picture
from render.raster.removal import Removal
from runs.arrays import F32, F64


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

    def strength(self) -> F64 | None:
        """float64 [M]: how clearly the pictures' errors look like what the splat does; negative where they lack more of it,
        NaN where it does nothing. 1 is the typical size in this run, so that where a run is wrong everywhere no splat is to
        blame. None where there was no photo, or nothing in them.

        A matched filter: Σ d · error / √Σ d² is the best linear test for a known pattern d in noise (Turin 1960).
        """
        acts = self.effect > 0
        matched = np.divide(self.along, np.sqrt(self.effect), out=np.full_like(self.along, np.nan), where=acts)
        typical = float(np.median(np.abs(matched[acts]))) if acts.any() else 0.0
        return matched / typical if typical > 0 else None


def fitting(picture: Picture, photo: F32) -> tuple[F32, F32]:
    """The render and the photo [H, W, 3 or 4] on the background, black or white, that fits better; exposure evened out."""
    pairs = [(over(picture.rgb, picture.alpha, colour), composite(photo, colour)) for colour in COLOURS]
    shown, wanted = min(pairs, key=lambda pair: float(np.abs(np.clip(pair[0], 0, 1) - pair[1]).mean()))
    return shown, np.asarray(wanted - brightness_bias(wanted, shown), np.float32)

"""Splats that rule pixels against the photos: what hides a surface is itself the strongest splat there."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.backgrounds import over
from diagnostics.measures.witnesses import brightness_bias
from render.raster.picture import Picture
from runs.arrays import F32, F64, I64, Mask

COVERED = 0.5  # alpha: a pixel that shows more background than matter says nothing about the matter
DIFFERENCE = 0.1  # mean over the channels, colours 0..1
TIMES_USUAL = 3.0  # of the picture's own median difference: in a picture that is wrong everywhere no splat is to blame
FEWEST_VIEWS, LEAST_SHARE = 3, 0.7  # of the views in which it rules a pixel


@dataclass(eq=False)
class Contradictions:
    """Sums over views, per splat."""

    views: I64  # int64 [M], in which it is the strongest splat of a pixel
    contradicted: I64  # int64 [M], those in which the photo clearly disagrees in its pixels
    pixels: I64  # int64 [M], that it rules
    of_pixels: int = 0  # pixels of all views

    @classmethod
    def empty(cls, splats: int) -> "Contradictions":
        return cls(np.zeros(splats, np.int64), np.zeros(splats, np.int64), np.zeros(splats, np.int64))

    def add(self, picture: Picture, photo: F32) -> None:
        """One more view: its render on black and its photo [H, W, 3]."""
        self.of_pixels += picture.mode_splat.size
        ruled = (picture.mode_splat >= 0) & (picture.alpha > COVERED)
        if not ruled.any():
            return
        rulers, differences = picture.mode_splat[ruled], _difference(picture, photo)[ruled]
        pixels = np.bincount(rulers, minlength=len(self.views))
        total = np.bincount(rulers, differences, minlength=len(self.views))
        self.pixels += pixels
        self.views += pixels > 0
        self.contradicted += total > pixels * max(DIFFERENCE, TIMES_USUAL * float(np.median(differences)))

    def wrong(self) -> Mask:
        """bool [M], contradicted in most of the views in which it rules a pixel, and these are enough."""
        return np.asarray((self.views >= FEWEST_VIEWS) & (self.contradicted >= LEAST_SHARE * self.views))

    def share_of(self, splats: Mask) -> float:
        """0..1, part of all pixels that these splats rule."""
        return float(self.pixels[splats].sum()) / self.of_pixels if self.of_pixels else 0.0


def _difference(picture: Picture, photo: F32) -> F64:
    """float64 [H, W], 0..1, exposure aside, before the background that fits the pixel better: which it was is not asked here."""
    unbiased = photo - brightness_bias(photo, picture.rgb)
    on_black, on_white = np.clip(picture.rgb, 0, 1), np.clip(over(picture.rgb, picture.alpha, "white"), 0, 1)
    each = [np.abs(unbiased - shown).mean(axis=2, dtype=np.float64) for shown in (on_black, on_white)]
    return np.asarray(np.minimum(*each))

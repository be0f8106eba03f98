"""A render beside its photo: how much of the photo's detail it keeps, under whom the rest is missing, and where it is empty."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import maximum_filter, minimum_filter, uniform_filter

from diagnostics.measures.backgrounds import COLOURS, composite, is_cut_out, over
from render.raster.measures import HOLE_ALPHA
from render.raster.picture import Picture
from runs.arrays import F32, F64, I64, Array, Mask

LARGE = 1 / 5000  # of the pixels: Mini-Splatting splits whoever is the strongest in more of them (Fang and Wang 2024)
LEAST_PX = 16  # in small pictures: below four by four pixels one splat per patch of detail is as it should be
WINDOW_PX = 7  # over which detail is summed: an edge that lies a pixel off is not missing
MISSING = 0.5  # of the photo's detail under one splat: then that splat is too large for what it shows
DIFFERS = 0.15  # in any channel, colours 0..1: what looks like the photo is no hole, even where nothing is drawn
PATCH = 1 / 32  # of the longer side: a hole holds a square of it; rims of misplaced objects are narrower


@dataclass(frozen=True, eq=False)
class Detail:
    """One view. Detail is the squared difference of grey between neighbouring pixels, summed."""

    kept: float  # detail of the render / of the photo, where the model shows matter; NaN where the photo is flat
    lost_under_large: float  # 0..1, of the photo's detail: missing where one splat rules more than `LARGE` of the picture
    large: float  # 0..1, of the pixels: ruled by such splats
    too_large: I64  # int64, indices of those under which more than `MISSING` of the photo's detail is missing
    holes: Mask  # bool [H, W], patches where the render lets the background through and the photo shows something else


def detail_of(picture: Picture, photo: F32) -> Detail:
    """`photo` [H, W, 3 or 4] of the same view. Both are laid over black or white, whichever fits better."""
    pairs = [(np.clip(over(picture.rgb, picture.alpha, colour), 0, 1), composite(photo, colour)) for colour in COLOURS]
    shown, wanted = min(pairs, key=lambda pair: float(((pair[0] - pair[1]) ** 2).sum()))
    matter = picture.alpha > HOLE_ALPHA
    has, should = (_summed(np.where(matter, _energy(image), 0)) for image in (shown, wanted))
    missing, total = np.maximum(should - has, 0), float(should.sum())
    ruled = _ruled(picture.mode_splat)
    large = matter & (ruled > max(LARGE * ruled.size, LEAST_PX))
    known = total > 0
    return Detail(
        float(has.sum()) / total if known else float("nan"), float(missing[large].sum()) / total if known else float("nan"),
        float(large.mean()), _too_large(picture.mode_splat, large, missing, should),
        _patches((picture.alpha < HOLE_ALPHA) & (np.abs(shown - wanted).max(axis=2) > DIFFERS) & _covered(photo)),
    )


def _energy(image: F32) -> F64:
    """float64 [H, W]: squared differences to the right and the lower neighbour."""
    grey, energy = image.mean(axis=2, dtype=np.float64), np.zeros(image.shape[:2])
    energy[:, :-1] += np.diff(grey, axis=1) ** 2
    energy[:-1] += np.diff(grey, axis=0) ** 2
    return energy


def _summed(energy: F64) -> F64:
    return np.asarray(uniform_filter(energy, WINDOW_PX))


def _ruled(mode_splat: Array) -> Array:
    """int [H, W]: in how many pixels this pixel's strongest splat is the strongest; 0 where there is none."""
    counts = np.bincount(mode_splat[mode_splat >= 0], minlength=1)
    return np.where(mode_splat >= 0, counts[np.maximum(mode_splat, 0)], 0)


def _too_large(mode_splat: Array, large: Mask, missing: F64, should: F64) -> I64:
    rulers = mode_splat[large]
    if not len(rulers):
        return np.array([], np.int64)
    lost, wanted = np.bincount(rulers, weights=missing[large]), np.bincount(rulers, weights=should[large])
    return np.flatnonzero((lost > MISSING * wanted) & (wanted > 0)).astype(np.int64)


def _covered(photo: F32) -> Mask:
    """bool [H, W]: where the photo shows matter; colours behind transparent pixels are nobody's."""
    return np.asarray(photo[..., 3] > HOLE_ALPHA) if is_cut_out(photo) else np.ones(photo.shape[:2], bool)


def _patches(mask: Mask) -> Mask:
    """The parts of the mask that hold a square of `PATCH` (a morphological opening)."""
    side = 2 * max(1, round(PATCH * max(mask.shape) / 2)) + 1
    return np.asarray(maximum_filter(minimum_filter(mask, size=side), size=side))

"""Scores per Gaussian, 0..1, from what several views say about it: how much it floats, how much it is a ghost."""

import numpy as np

from diagnostics.facts import pictures, saved, shapes  # noqa: F401  (views, neighbour_distance)
from diagnostics.facts.photos import PHOTOS
from diagnostics.facts.pictures import FEWEST_WITNESSES, View, Views
from diagnostics.measures.ramps import ramp
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F32, F64

# Each pair: where the cue starts to count, and where it is fully there.
IN_FRONT = (0.25, 0.75)  # share of its weight that lies clearly in front of the main surface
FEW_VIEWS = (0.35, 0.15)  # effective over possible views; healthy weight has 0.30-0.37 at its 10th percentile
ISOLATED = (2.0, 4.0)  # distance to its neighbours over its own middle scale: both grow with distance, so no world unit is in it
ALONE_AS_A_SPECK = (3.0, 5.0)  # the same for opaque ones: injected specks had 13-35 at the median, sound runs 1.2-2.2
DISAGREEMENT = (0.10, 0.25)  # standard deviation of photo colours; healthy weight has 0.08-0.10 at its 80th percentile


@fact(missing=PHOTOS)
def speck_score(views: Views, neighbour_distance: F32) -> F32 | None:
    """float32 [N], 0..1; NaN where the row is hidden. An opaque speck: it stands alone, and rules pixels against the photos.

    What lies behind is not asked: before an empty background nothing does.
    """
    if not views.contradictions.of_pixels:
        return None
    alone = _alone(views, neighbour_distance, ALONE_AS_A_SPECK)
    return views.splats.spread(np.asarray(views.contradictions.wrong() * alone, np.float32))


@fact(missing=saved.CHECKPOINT)
def floater_score(views: Views, neighbour_distance: F32, speck_score: F32 | None = None) -> F32:
    """float32 [N], 0..1; NaN where the row is hidden. Two things must come together.

    It lies before the surface that the region around it shows (SparseGS' second mode in front of the main one), and it
    stands alone: few of the views that could see it do, or the photos disagree about the colour at its place; where too
    few photos see it, neighbours that are far compared with its size stand in. Opacity is not asked. An opaque speck
    counts as well.
    """
    splats = views.splats
    front = np.divide(views.front_weight, views.weight, out=np.zeros_like(views.weight), where=views.weight > 0)
    few = ramp(views.effective_views / np.maximum(views.frusta, 1), *FEW_VIEWS)
    witnessed = np.isfinite(views.photo_spread)
    unsupported = np.where(witnessed, ramp(views.photo_spread, *DISAGREEMENT), _alone(views, neighbour_distance, ISOLATED))
    floats = splats.spread(np.asarray(ramp(front, *IN_FRONT) * np.maximum(few, unsupported), np.float32))
    return floats if speck_score is None else np.fmax(floats, speck_score)


def _alone(views: Views, neighbour_distance: F32, distances: tuple[float, float]) -> F64:
    """float64 [M], 0..1: neighbours are far compared with its size."""
    middle = np.sort(views.splats.scales, axis=1)[:, 1]
    with np.errstate(divide="ignore", over="ignore"):
        return np.nan_to_num(ramp(neighbour_distance[views.splats.rows] / middle, *distances))


@fact(missing=PHOTOS)
def photo_spread(views: Views, photographed: tuple[View, ...]) -> F64 | NotEvaluable:
    """float64 [M]: standard deviation, over the views that see a splat, of the photo's colour at its centre; NaN unknown."""
    if np.isfinite(views.photo_spread).any():
        return views.photo_spread
    return NotEvaluable((f"Gaussians that at least {FEWEST_WITNESSES} of the {len(photographed)} photographed views see",))


@fact(missing=PHOTOS)
def ghost_score(views: Views, photo_spread: F64) -> F32:
    """float32 [N], 0..1; NaN where the row is hidden or fewer than three photographed views see it.

    The photos disagree about the colour at its place, exposure aside: no surface is there for all of them.
    """
    return views.splats.spread(np.asarray(ramp(photo_spread, *DISAGREEMENT), np.float32))

"""Scores per Gaussian, 0..1, from what several views say about it: how much it floats, how much it is a ghost."""

import numpy as np
from scipy.special import expit

from diagnostics.facts import pictures, saved, shapes  # noqa: F401  (views, neighbour_distance)
from diagnostics.facts.photos import PHOTOS
from diagnostics.facts.pictures import FEWEST_WITNESSES, View, Views
from diagnostics.measures.coincident import coincident
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
ROOM = (-1.0, 3.0)  # of ln(distance to neighbours over depth, against the run's median): beyond it says nothing more

# Log-odds that each cue adds. The first three lie near a logistic regression on floaters that were planted into, or grew in,
# the tuning half of the lab; the last is set by real fog, which stands among many and hurts no photo.
REJECTED, BEFORE, APART, UNSUPPORTED = 1.8, 4.0, 2.0, 4.0
OWN_SHARE = 0.45  # of the rejection: by what it does alone, the rest by what it does with its neighbours
SPECK = 4.0  # before an empty background nothing lies behind an opaque speck
# Log-odds of a Gaussian of which nothing is known: 0.5 is then passed by 1.6 % of the visible ones of the one sound real
# capture, by at most 0.5 % in the sound runs of the lab's tuning half, and by 8.6 % in a fogged run.
WITH_PHOTOS, WITHOUT_PHOTOS = -8.0, -7.1
# The same for ghosts: ln(1 + rejection), photos that disagree, an exact copy of another row; and nothing known.
REJECTED_GHOST, DISAGREED, COPIED, NO_GHOST = 1.5, 3.0, 3.0, -5.0


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
    """float32 [N], 0..1; NaN where the row is hidden. Evidence that it hangs in free space adds up as log-odds:

    - how much of its weight lies before the surface that the region around it shows (SparseGS' second mode before the main one);
    - how far its neighbours are for its distance from the cameras, against the rest of the run;
    - how clearly the photos would do without it (`Strengths`), where there are photos;
    - matter before the surface that few of the views that could see it do see, or about whose colour the photos disagree;
      where too few photos see it, neighbours that are far compared with its size stand in.

    Opacity is not asked. That it is an opaque speck counts as well.
    """
    splats = views.splats
    front = np.divide(views.front_weight, views.weight, out=np.zeros_like(views.weight), where=views.weight > 0)
    few = ramp(views.effective_views / np.maximum(views.frusta, 1), *FEW_VIEWS)
    witnessed = np.isfinite(views.photo_spread)
    unsupported = np.where(witnessed, ramp(views.photo_spread, *DISAGREEMENT), _alone(views, neighbour_distance, ISOLATED))
    odds = BEFORE * front + APART * _room(views, neighbour_distance)
    odds += UNSUPPORTED * ramp(front, *IN_FRONT) * np.maximum(few, unsupported)
    odds += WITHOUT_PHOTOS if views.rejection is None else WITH_PHOTOS + REJECTED * _rejected(views)
    if speck_score is not None:
        odds += SPECK * speck_score[splats.rows]
    return splats.spread(np.asarray(expit(odds), np.float32))


def _rejected(views: Views) -> F64:
    """float64 [M], from 0; 0 unknown. ln(1 + strength), alone and with its neighbours; typical is 0.7.

    Photos that want more of a splat do not speak for it, as a copy of it may have taken its part.
    """
    if views.rejection is None:
        return np.zeros(len(views.splats))
    own, joint = (np.log1p(np.maximum(np.nan_to_num(each), 0)) for each in (views.rejection.own, views.rejection.joint))
    return np.asarray(OWN_SHARE * own + (1 - OWN_SHARE) * joint)


def _room(views: Views, neighbour_distance: F32) -> F64:
    """float64 [M]: ln of the neighbours' distance over the depth, against the run's median, within `ROOM`; 0 unknown.

    Over the depth, because what is far is sparse: photos show it with few pixels.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        seen_under = np.log(neighbour_distance[views.splats.rows].astype(np.float64) / views.nearest)
    known = np.isfinite(seen_under) & (views.weight > 0)
    if not known.any():
        return np.zeros(len(views.splats))
    return np.where(known, np.clip(seen_under - np.median(seen_under[known]), *ROOM), 0.0)


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
    """float32 [N], 0..1; NaN where the row is hidden or no photographed view shows it. Evidence that no photo asked for it adds
    up as log-odds:

    - the photos disagree about the colour at its place, exposure aside: no surface is there for all of them;
    - the pictures' errors look like what it does (`Strengths`): surfaces are there twice;
    - another row lies at exactly the same place.
    """
    odds = NO_GHOST + DISAGREED * np.nan_to_num(ramp(photo_spread, *DISAGREEMENT)) + REJECTED_GHOST * _rejected(views)
    odds += COPIED * coincident(views.splats.means)
    shown = np.isfinite(photo_spread)
    if views.rejection is not None:
        shown |= np.isfinite(views.rejection.own)
    return views.splats.spread(np.where(shown, expit(odds), np.nan).astype(np.float32))

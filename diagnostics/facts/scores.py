"""Scores per Gaussian, 0..1, from what several views say about it: how much it floats, how much it is a ghost.

Cost: where there are photos the floater score renders every view twice more, at most four times more.
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import expit

from diagnostics.facts import pictures, saved, shapes  # noqa: F401  (views, neighbour_distance)
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.facts.pictures import FEWEST_WITNESSES, View, Views
from diagnostics.measures.coincident import coincident
from diagnostics.measures.hiding import Seen, look_behind
from diagnostics.measures.ramps import ramp
from diagnostics.measures.rejection import Strengths
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F32, F64
from runs.cameras import Camera
from runs.run import Run

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
# Log-odds of a Gaussian of which nothing is known: 0.5 is then passed by 1.4 and 2.4 % of the visible ones of two trainings
# of one real capture, by at most 1.0 % in the sound runs of the lab's tuning half, and by 10.5 % in a fogged run.
WITH_PHOTOS, WITHOUT_PHOTOS = -9.0, -7.1
# Log-odds from which on a Gaussian is left out of the next look. Tuned on the tuning half: where many more are left out too
# much is missing, where fewer too little is uncovered. A second look only where the first makes the suspects so many times more.
SUSPECT, LOOKS, FOUND_MORE = -2.4, 2, 1.1
# Gaussians times views of one such look, and the fewest views: all 16 up to half a million Gaussians. What it adds to the first
# look is relative to the run's own median, so that fewer views only make it noisier; a view of a million takes half a second.
AGAIN, FEWEST_AGAIN = 8_000_000, 6
# Log-odds for ghosts: ln(1 + rejection), photos that disagree, an exact copy of another row; and nothing known.
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
def floater_score(
    run: Run, views: Views, neighbour_distance: F32, beat: Callable[[], None], speck_score: F32 | None = None,
) -> F32:
    """float32 [N], 0..1; NaN where the row is hidden. Evidence that it hangs in free space adds up as log-odds:

    - how much of its weight lies before the surface that the region around it shows (SparseGS' second mode before the main one);
    - how far its neighbours are for its distance from the cameras, against the rest of the run;
    - how clearly the photos would do without it (`Strengths`), where there are photos;
    - matter before the surface that few of the views that could see it do see, or about whose colour the photos disagree;
      where too few photos see it, neighbours that are far compared with its size stand in.

    Opacity is not asked. That it is an opaque speck counts as well. Then the suspects are left out and everything is asked once
    more (`look_behind`): what counts is the stronger evidence, as what stands in for a missing background looks needed without
    its like. Where that shows many more, they hid each other, and there is one last look.
    """
    speck = np.zeros(len(views.splats)) if speck_score is None else SPECK * speck_score[views.splats.rows]
    odds = speck + _floating(views, neighbour_distance, Seen.of(views.front_weight, views.weight, views.rejection))
    for _ in range(LOOKS if views.rejection is not None else 0):
        suspects = odds > SUSPECT
        seen = look_behind(views.splats, suspects, _shots(run, views, beat)) if suspects.any() else None
        if seen is None or seen.rejection is None:
            break
        odds = np.maximum(odds, speck + _floating(views, neighbour_distance, seen))
        if (odds > SUSPECT).sum() <= FOUND_MORE * suspects.sum():
            break
    return views.splats.spread(np.asarray(expit(odds), np.float32))


def _floating(views: Views, neighbour_distance: F32, seen: Seen) -> F64:
    """float64 [M]: log-odds, specks aside."""
    few = ramp(views.effective_views / np.maximum(views.frusta, 1), *FEW_VIEWS)
    witnessed = np.isfinite(views.photo_spread)
    unsupported = np.where(witnessed, ramp(views.photo_spread, *DISAGREEMENT), _alone(views, neighbour_distance, ISOLATED))
    odds = BEFORE * seen.front + APART * _room(views, neighbour_distance)
    odds += UNSUPPORTED * ramp(seen.front, *IN_FRONT) * np.maximum(few, unsupported)
    return odds + (WITHOUT_PHOTOS if seen.rejection is None else WITH_PHOTOS + REJECTED * _rejected(seen.rejection))


def _shots(run: Run, views: Views, beat: Callable[[], None]) -> Iterator[tuple[Camera, F32]]:
    """Photographed views once more: all of them, but fewer of a run with many Gaussians."""
    most = max(FEWEST_AGAIN, AGAIN // max(1, len(views.splats)))
    for view in evenly(tuple(view for view in views.each if view.psnr is not None), most):
        photo = photo_at(run, view.camera)
        if photo is not None:
            beat()
            yield view.camera, photo


def _rejected(rejection: Strengths) -> F64:
    """float64 [M], from 0; 0 unknown. ln(1 + strength), alone and with its neighbours; typical is 0.7.

    Photos that want more of a splat do not speak for it, as a copy of it may have taken its part.
    """
    own, joint = (np.log1p(np.maximum(np.nan_to_num(each), 0)) for each in (rejection.own, rejection.joint))
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
    odds = NO_GHOST + DISAGREED * np.nan_to_num(ramp(photo_spread, *DISAGREEMENT))
    odds += COPIED * coincident(views.splats.means)
    shown = np.isfinite(photo_spread)
    if views.rejection is not None:
        odds += REJECTED_GHOST * _rejected(views.rejection)
        shown |= np.isfinite(views.rejection.own)
    return views.splats.spread(np.where(shown, expit(odds), np.nan).astype(np.float32))

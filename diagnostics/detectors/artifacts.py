"""Artifacts in the picture: matter that floats before surfaces, and surfaces that only some cameras believe in."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts.matched import LEARNED, Matches
from diagnostics.facts.pictures import DRAWN, View, Views
from diagnostics.facts.registration import Reprojection
from diagnostics.facts.saved import file_of
from diagnostics.measures.registration import Shift
from diagnostics.measures.shares import share, weighted_quantile, weighted_share
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F32, F64, Mask
from runs.checkpoints import Checkpoint

SUGGESTED_RESET_INTERVAL = 1000  # gaussian-splatting #26
VISITORS = ("Something moved through the scene while it was photographed (people, cars, a hand, foliage): each photo shows it "
            "elsewhere, and the model can only average it away or leave faint matter before the cameras.")
MOST_CAMERAS = 8  # named in a finding: the worst are enough to look at
# Of floaters, by (photos at hand, clearly over the limit): near a limit that rests on one real capture, little is certain.
CONFIDENCE = {(True, True): 0.85, (True, False): 0.6, (False, True): 0.6, (False, False): 0.4}


@detects("floaters")
def floaters(
    checkpoint: Checkpoint, views: Views, floater_score: F32, photographed: tuple[View, ...] | None = None,
    schedule: Schedule | None = None, speck_score: F32 | None = None, matches: Matches | None = None,
    *, score: float = 0.5, share_of_visible: float = 0.03, without_photos: float = 0.05, covered: float = 0.005,
    serious: float = 2.0, visible: float = 0.02, fewest_views: int = 4, unlearned: float = 1.0,
) -> Finding | NotEvaluable | None:
    """Visible Gaussians that hang before the surfaces and stand alone there, or opaque ones that cover the picture in specks."""
    limit = share_of_visible if photographed is not None else without_photos
    if len(views.each) < fewest_views:
        return NotEvaluable((f"at least {fewest_views} training cameras (a floater shows by what the other views see)",))
    seen = views.largest > visible
    if not seen.any():
        return NotEvaluable((f"a Gaussian that adds more than {percent(visible)} to any pixel",))
    floating = seen & (floater_score[views.splats.rows] > score)
    floating_share, specks = share(floating[seen]), _specks(views, speck_score, score)
    if floating_share <= limit and specks.covered <= covered:
        return None
    if matches is not None and matches.unexplained > unlearned:
        return NotEvaluable((LEARNED,))
    rows, weight = views.splats.rows[floating], weighted_share(floating, views.weight)
    clear = floating_share > serious * limit or specks.covered > serious * covered
    told = _told(len(rows), floating_share, int(seen.sum()), photographed is not None)
    return Finding(
        told if floating_share > limit else specks.told(),
        evidence=(
            EvidenceRow(f"visible Gaussians with a floater score over {score:g}", floating_share, limit, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            *(() if speck_score is None else (
                EvidenceRow("pixels that opaque specks cover against the photos", specks.covered, covered, "share",
                            checkpoint.iteration, "training photos"),)),
            *_weights(checkpoint, views, floating, weight),
        ),
        gaussians=GaussianPlace(rows, checkpoint.iteration, views.splats.stored_count),
        severity="major" if clear else "minor", confidence=CONFIDENCE[photographed is not None, clear],
        colour_by="floater_score", facts={"floaters": len(rows), "weight": percent(weight), **_rare_resets(schedule)},
    )


@dataclass(frozen=True)
class _Specks:
    """Opaque Gaussians that stand alone and rule pixels against the photos."""

    count: int
    covered: float  # 0..1, of the pixels of the drawn training views

    def told(self) -> str:
        return (f"{self.count:,} opaque Gaussians stand alone in space and cover {percent(self.covered)} of the drawn training "
                f"views, where the photos show something else")


def _specks(views: Views, speck_score: F32 | None, score: float) -> _Specks:
    if speck_score is None:
        return _Specks(0, 0.0)
    mask = np.asarray(speck_score[views.splats.rows] > score)
    return _Specks(int(mask.sum()), views.contradictions.share_of(mask))


def _told(count: int, part: float, visible: int, with_photos: bool) -> str:
    against = "against what the photos show there" if with_photos else "seen by few cameras or far from their neighbours"
    return (f"{count:,} Gaussians ({percent(part)} of the {visible:,} visible ones) float before the surfaces: in front of what "
            f"lies around them, and {against}")


def _rare_resets(schedule: Schedule | None) -> dict[str, str]:
    """Quoted by the advice to reset more often, which is dropped where resets are as close as INRIA's authors suggest."""
    every = schedule.reset_every if schedule is not None else None
    return {"reset_every": f"{every:,}"} if every is not None and every > SUGGESTED_RESET_INTERVAL else {}


@detects("ghosting")
def ghosting(
    checkpoint: Checkpoint, views: Views, photographed: tuple[View, ...], photo_spread: F64, ghost_score: F32,
    matches: Matches | None = None, reprojection: Reprojection | None = None, *,
    disagreement: float = 0.075, explained: float = 0.08, score: float = 0.5, fewest_views: int = 6, patch: float = 0.03,
    clean: float = 0.005, visited: float = 0.35, unvisited: float = 0.15, unlearned: float = 0.65,
) -> Finding | NotEvaluable | None:
    """The photos do not agree on the surfaces, and each photo fits a shifted render better: every view has its own.

    Or many photos, and not all of them, show a patch of something that is nowhere in the model.
    """
    moved = sorted(((view.shift, view.camera.name) for view in photographed if view.shift is not None),
                   key=lambda pair: -pair[0].length_px)
    if len(moved) < fewest_views:
        return NotEvaluable((f"at least {fewest_views} training views with photos",))
    shifts = [shift for shift, _ in moved]
    spread, gain = weighted_quantile(photo_spread, views.weight, 0.5), _median_gain(shifts)
    if not (spread > disagreement and gain > explained):
        return _visitors(matches, patch, clean, visited, unvisited)
    if matches is not None and matches.unexplained * (1 - gain) > unlearned:
        return NotEvaluable((LEARNED,))
    length = float(np.median([shift.length_px for shift in shifts]))
    rows = np.flatnonzero(ghost_score > score)
    iteration, source = checkpoint.iteration, "training photos"
    return Finding(
        f"The photos disagree about the colour at the model's surfaces (standard deviation {spread:.3f}, colours from 0 to 1), "
        f"and a shift of {length:.2f} px would explain {percent(gain)} of the difference to the renders: each camera has "
        f"surfaces of its own",
        evidence=(
            EvidenceRow("standard deviation of the photos' colours (0 to 1) at the surfaces, median by weight", spread,
                        disagreement, "", iteration, source),
            EvidenceRow("part of the squared difference to the renders that a shift explains, median", gain, explained, "share",
                        iteration, source),
            EvidenceRow(f"residual shift {DRAWN}, median", length, None, "px", iteration, source),
            EvidenceRow(f"Gaussians with a ghost score over {score:g}", len(rows), None, "Gaussians", iteration,
                        file_of(checkpoint)),
        ),
        gaussians=GaussianPlace(rows, iteration, views.splats.stored_count),
        cameras=tuple(name for _, name in moved[:MOST_CAMERAS]),
        severity="minor" if reprojection is not None and reprojection.proves_poses else "major", confidence=0.8,
        colour_by="ghost_score", facts={"shift_px": f"{length:.1f}"},
    )


def _visitors(
    matches: Matches | None, patch: float, clean: float, visited: float, unvisited: float,
) -> Finding | None:
    """Patches that render and photo disagree about, in many photos, while others have none at all: something came and went."""
    if matches is None:
        return None
    patches = np.array([match.largest_patch for match in matches.each])
    with_one, without = share(patches > patch), share(patches < clean)
    if not (with_one > visited and without > unvisited):
        return None
    guilty = sorted((match for match in matches.each if match.largest_patch > patch), key=lambda match: -match.largest_patch)
    typical = float(np.median([match.largest_patch for match in guilty]))
    return Finding(
        f"{len(guilty)} of {len(patches)} training photos show a patch ({percent(typical)} of the picture) of something that the "
        f"model does not have there, while the others fit throughout: it stood elsewhere from photo to photo",
        evidence=(
            EvidenceRow("photos with a large patch that the render lacks", with_one, visited, "share", matches.iteration,
                        "training photos"),
            EvidenceRow("photos without any", without, unvisited, "share", matches.iteration, "training photos"),
            EvidenceRow("size of the patch in these photos, median", typical, patch, "share of the picture", matches.iteration,
                        "training photos"),
        ),
        cameras=tuple(match.name for match in guilty), confidence=0.75, cause=VISITORS, colour_by="ghost_score",
        facts={"visited": len(guilty)},
    )


def _weights(checkpoint: Checkpoint, views: Views, floating: Mask, weight: float) -> tuple[EvidenceRow, ...]:
    iteration, source = checkpoint.iteration, file_of(checkpoint)
    before = float(views.front_weight.sum() / views.weight.sum())
    return (
        EvidenceRow("their share of all blending weight", weight, None, "share", iteration, source),
        EvidenceRow("their median opacity", float(np.median(views.splats.opacities[floating])), None, "", iteration, source),
        EvidenceRow("blending weight before the main surface, all Gaussians", before, None, "share", iteration, source),
    )


def _median_gain(shifts: list[Shift]) -> float:
    return float(np.median([shift.explained for shift in shifts]))

"""What a render lacks beside its photo: detail that too large Gaussians cannot show, and patches where nothing stands."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import settled as settled_facts  # noqa: F401  (settled)
from diagnostics.facts.matched import LEARNED, Matches
from diagnostics.facts.pictures import DRAWN, View, Views
from diagnostics.measures.detail import Detail
from diagnostics.measures.frusta import project
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F64
from runs.checkpoints import Checkpoint
from runs.points import PointCloud

ENOUGH_POINTS = 20_000
PHOTOS = "training photos"
BESIDE = "renders that lie where their photos show things (here they lie beside them, and leave empty rims)"
NO_POINTS = ("The cloud that training started from has no points there ({inside} of its points lie in the empty patches, which "
             "take up {empty} of the pictures), and densification grows only from Gaussians that are near.")
POINTS_THERE = ("The cloud that training started from has points there ({inside} of its points lie in the empty patches, which "
                "take up {empty} of the pictures), so what grew from them was removed or never became opaque: by pruning, by the "
                "size limit, by a reset, by a mask, or by what was saved.")


@detects("blur")
def blur(
    checkpoint: Checkpoint, views: Views, photographed: tuple[View, ...], matches: Matches, settled: bool,  # noqa: ARG001
    *, lost: float = 0.35, kept: float = 0.45, unlearned: float = 0.65, fewest_views: int = 4,
) -> Finding | NotEvaluable | None:
    """Much of what the photos show in detail is missing under Gaussians that each rule a large part of the picture."""
    if (why := _undecided(photographed, matches, unlearned, fewest_views)) is not None:
        return why
    details = _details(photographed)
    missing, left = (float(np.nanmedian([getattr(each, name) for each in details])) for name in ("lost_under_large", "kept"))
    if not (missing > lost and left < kept):
        return None
    guilty = np.unique(np.concatenate([each.too_large for each in details]))
    large = float(np.median([each.large for each in details]))
    return Finding(
        f"The renders keep {percent(left)} of the detail of their photos; {percent(missing)} of it is missing where one Gaussian "
        f"rules more than 1/5,000 of the picture, which {len(guilty):,} Gaussians do",
        evidence=(
            EvidenceRow("detail of the photos that is missing under large Gaussians, median over the views", missing, lost,
                        "share", checkpoint.iteration, PHOTOS),
            EvidenceRow("detail of the renders / of the photos, median over the views", left, kept, "", checkpoint.iteration,
                        PHOTOS),
            EvidenceRow(f"pixels ruled by large Gaussians, {DRAWN}", large, None, "share", checkpoint.iteration),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.8, colour_by="max_scale",
        gaussians=GaussianPlace(views.splats.rows[guilty], checkpoint.iteration, views.splats.stored_count),
        facts={"large": f"{len(guilty):,}"},
    )


@detects("holes")
def holes(
    checkpoint: Checkpoint, photographed: tuple[View, ...], matches: Matches, settled: bool,  # noqa: ARG001
    start_points: PointCloud | None = None,
    *, empty: float = 0.03, unlearned: float = 0.65, fewest_views: int = 4, points: float = 0.2, explained: float = 0.08,
) -> Finding | NotEvaluable | None:
    """In most views there are patches in which nothing is drawn although the photo shows something."""
    if (why := _undecided(photographed, matches, unlearned, fewest_views)) is not None:
        return why
    if _beside(photographed) > explained:
        return NotEvaluable((BESIDE,))
    shares = np.array([each.holes.mean() for each in _details(photographed)])
    usual = float(np.median(shares))
    if not usual > empty:
        return None
    inside = None if start_points is None else _inside(photographed, start_points)
    worst = [photographed[i].camera.name for i in np.argsort(-shares) if shares[i] > empty]
    bare = None if inside is None else inside < points * usual
    told = {} if inside is None else {"inside": percent(inside), "empty": percent(usual)}
    return Finding(
        f"In {len(worst)} of {len(photographed)} views patches are empty although the photo shows something there: "
        f"{percent(usual)} of the picture in the median view, {percent(float(shares.max()))} in the worst",
        evidence=(
            EvidenceRow("pixels in empty patches, median over the views", usual, empty, "share", checkpoint.iteration, PHOTOS),
            EvidenceRow("the same in the worst view", float(shares.max()), None, "share", checkpoint.iteration, PHOTOS),
            EvidenceRow("starting points that lie in the empty patches", inside, None if bare is None else points * usual,
                        "share", None, "" if start_points is None else start_points.source),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), cameras=tuple(worst[:8]), confidence=0.8, colour_by="opacity",
        cause="" if bare is None else (NO_POINTS if bare else POINTS_THERE).format(**told), facts=told,
    )


def _beside(photographed: tuple[View, ...]) -> float:
    """0..1, of the squared difference between renders and photos: what a shift explains, median."""
    return float(np.median([0.0 if view.shift is None else view.shift.explained for view in photographed]))


def _details(photographed: tuple[View, ...]) -> list[Detail]:
    return [view.detail for view in photographed if view.detail is not None]


def _undecided(photographed: tuple[View, ...], matches: Matches, unlearned: float, fewest: int) -> NotEvaluable | None:
    """A model that shows something else than the photos has neither blur nor holes: it has another fault."""
    if len(_details(photographed)) < fewest:
        return NotEvaluable((f"at least {fewest} training views with photos",))
    return NotEvaluable((LEARNED,)) if matches.unexplained > unlearned else None


@dataclass(frozen=True)
class _Count:
    """Points in the pictures, and those of them in empty patches."""

    seen: int
    inside: int


def _inside(photographed: tuple[View, ...], cloud: PointCloud) -> float:
    """0..1, of all points in all pictures: those that lie in empty patches."""
    xyz: F64 = cloud.xyz[:: max(1, len(cloud) // ENOUGH_POINTS)]
    counts = [_count(view, view.detail, xyz) for view in photographed if view.detail is not None]
    return sum(count.inside for count in counts) / max(1, sum(count.seen for count in counts))


def _count(view: View, detail: Detail, xyz: F64) -> _Count:
    at = project(xyz, view.camera)
    columns, rows = (np.floor(pixels[at.inside]).astype(np.int64) for pixels in (at.x_px, at.y_px))
    return _Count(int(at.inside.sum()), int(detail.holes[rows, columns].sum()))

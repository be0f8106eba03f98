"""Artifacts in the picture: matter that floats before surfaces, and surfaces that only some cameras believe in."""

import numpy as np

from diagnostics.facts.pictures import View, Views
from diagnostics.measures.shares import share, weighted_quantile, weighted_share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from runs.arrays import F32, F64
from runs.checkpoints import Checkpoint

MOST_CAMERAS = 8  # named in a finding: the worst are enough to look at


@detects("floaters")
def floaters(
    checkpoint: Checkpoint, views: Views, floater_score: F32, *, score: float = 0.5, share_of_visible: float = 0.03,
    visible: float = 0.02, fewest_views: int = 4,
) -> Finding | NotEvaluable | None:
    """Visible Gaussians that hang before the surfaces and stand alone there."""
    if len(views.train) < fewest_views:
        return NotEvaluable((f"at least {fewest_views} training cameras (a floater shows by what the other views see)",))
    seen = views.largest > visible
    if not seen.any():
        return NotEvaluable((f"a Gaussian that adds more than {visible:.0%} to any pixel",))
    floats = floater_score[views.splats.rows] > score
    floating = share(floats[seen])
    if floating <= share_of_visible:
        return None
    rows = views.splats.rows[floats & seen]
    return Finding(
        f"{len(rows):,} Gaussians ({floating:.1%} of the {int(seen.sum()):,} visible ones) float before the surfaces: in front "
        "of what most cameras see there, and seen by few or far from their neighbours",
        evidence=(
            EvidenceRow(f"visible Gaussians with a floater score over {score:g}", floating, share_of_visible, "share",
                        checkpoint.iteration),
            EvidenceRow("their share of all blending weight", weighted_share(floats & seen, views.weight), None, "share",
                        checkpoint.iteration),
            EvidenceRow("their median opacity", float(np.median(views.splats.opacities[floats & seen])), None, "",
                        checkpoint.iteration),
            EvidenceRow("blending weight in front of the main surface, all Gaussians",
                        float(views.front_weight.sum() / views.weight.sum()), None, "share", checkpoint.iteration),
        ),
        gaussians=GaussianPlace(rows, checkpoint.iteration, views.splats.stored_count),
        cameras=tuple(view.camera.name for view in views.train[:MOST_CAMERAS]),
        confidence=0.8, colour_by="floater_score", facts={"floaters": len(rows)},
    )


@detects("ghosting")
def ghosting(
    checkpoint: Checkpoint, views: Views, photographed: tuple[View, ...], photo_spread: F64, ghost_score: F32, *,
    disagreement: float = 0.075, explained: float = 0.08, score: float = 0.5, fewest_views: int = 6,
) -> Finding | NotEvaluable | None:
    """The photos do not agree on the surfaces, and each photo fits a shifted render better: every view has its own."""
    shifts = [view.shift for view in photographed if view.shift is not None]
    if len(shifts) < fewest_views:
        return NotEvaluable((f"at least {fewest_views} training views with photos",))
    spread = weighted_quantile(photo_spread, views.weight, 0.5)
    gain = float(np.median([moved.explained for moved in shifts]))
    if not (spread > disagreement and gain > explained):
        return None
    lengths = np.array([moved.length_px for moved in shifts])
    rows = np.flatnonzero(ghost_score > score)
    worst = sorted((view for view in photographed if view.shift is not None), key=lambda view: -_length(view))
    return Finding(
        f"The photos disagree about the colour at the model's surfaces (median deviation {spread:.3f}), and a shift of "
        f"{np.median(lengths):.2f} px would explain {gain:.0%} of the difference: cameras explain surfaces of their own",
        evidence=(
            EvidenceRow("deviation of the photos' colours at the surfaces, median by weight", spread, disagreement, "colour 0..1",
                        checkpoint.iteration, "training photos"),
            EvidenceRow("part of the difference that a shift explains, median", gain, explained, "share", checkpoint.iteration,
                        "training photos"),
            EvidenceRow("residual shift, median", float(np.median(lengths)), None, "px", checkpoint.iteration, "training photos"),
            EvidenceRow(f"Gaussians with a ghost score over {score:g}", len(rows), None, "Gaussians", checkpoint.iteration),
        ),
        gaussians=GaussianPlace(rows, checkpoint.iteration, views.splats.stored_count),
        cameras=tuple(view.camera.name for view in worst[:MOST_CAMERAS]),
        confidence=0.8, colour_by="ghost_score", facts={"shift_px": float(np.median(lengths))},
    )


def _length(view: View) -> float:
    return view.shift.length_px if view.shift is not None else 0.0

"""What shows only between the photos: colours that harmonics make up, and an order of splats that changes as a camera turns."""

import numpy as np

from diagnostics.facts import settled as settled_facts  # noqa: F401  (settled)
from diagnostics.facts.between import TURN_DEG, Turned, UnseenColours
from diagnostics.facts.saved import file_of
from diagnostics.measures.shares import weighted_share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint


@detects("colour-bleeding")
def colour_bleeding(
    checkpoint: Checkpoint, unseen_colour: UnseenColours, settled: bool,  # noqa: ARG001
    *, off: float = 0.5, times: float = 2.0, share_of_weight: float = 0.02,
) -> Finding | None:
    """Towards directions without a camera Gaussians show colours far from those that the cameras were shown."""
    colours, weight = unseen_colour.colours, unseen_colour.weight
    with np.errstate(invalid="ignore"):
        made_up = (colours.unseen > off) & (colours.unseen > times * np.nan_to_num(colours.seen))
    found = weighted_share(made_up, np.where(np.isfinite(colours.unseen), weight, np.nan))
    if not found > share_of_weight:
        return None
    worst, seen = float(np.median(colours.beyond[made_up])), float(np.nanmedian(colours.seen[made_up]))
    return Finding(
        f"{percent(found)} of what the training views show is made by Gaussians whose colour, seen from where no camera stood, "
        f"is over {off:g} away from what the cameras saw (colours 0 to 1)",
        evidence=(
            EvidenceRow(f"weight of Gaussians whose unseen colours are off by more than {off:g}", found, share_of_weight, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("how far outside 0..1 their worst unseen colour lies, median", worst, None, "", checkpoint.iteration),
            EvidenceRow("deviation of their colours at seen directions, median", seen if np.isfinite(seen) else None, None, "",
                        checkpoint.iteration),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.6, colour_by="sh_energy",
        gaussians=GaussianPlace(unseen_colour.rows[made_up], checkpoint.iteration, checkpoint.count),
    )


@detects("popping")
def popping(checkpoint: Checkpoint, turned_views: Turned, settled: bool, *, share: float = 0.01) -> Finding | None:  # noqa: ARG001
    """A camera that only turns sees another picture than before, by more than resampling explains."""
    found = _median("share", turned_views)
    if not found > share:
        return None
    return Finding(
        f"When a training camera turns by {TURN_DEG:g} degrees on the spot, {percent(found)} of the pixels change by more than "
        f"a tenth of the range, though resampling leaves them as they are",
        evidence=(
            EvidenceRow("pixels that change by more than 0.1, median over the turned views", found, share, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("mean change", _median("mean", turned_views), None, "", checkpoint.iteration),
            EvidenceRow("mean change by resampling there and back", _median("resampling", turned_views), None, "",
                        checkpoint.iteration),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), cameras=turned_views.cameras, confidence=0.6,
        colour_by="max_scale",
    )


def _median(name: str, turned_views: Turned) -> float:
    """Of one of the numbers of a `Change`, over the cameras."""
    return float(np.median([getattr(each, name) for each in turned_views.each]))

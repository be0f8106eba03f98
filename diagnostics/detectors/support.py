"""Gaussians that training cannot reach any more, and those whose distance it cannot know."""

import numpy as np

from diagnostics.facts import practice as practice_facts  # noqa: F401  (practice)
from diagnostics.facts.alike import ROUNDED, is_rounded
from diagnostics.facts.saved import file_of
from diagnostics.facts.settled import kept_faint
from diagnostics.facts.sightings import Sightings
from diagnostics.measures.shares import quantile, share
from diagnostics.practice.practice import Practice
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from render.projection import ALPHA_MIN
from runs.arrays import F32, Mask
from runs.checkpoints import Checkpoint


@detects("support-collapsed")
def support_collapsed(
    checkpoint: Checkpoint, sighted: Sightings, renders_alike: bool, settled: bool,  # noqa: ARG001
    practice: Practice | None = None, *, pixels: float = 1.0, collapsed: float = 0.05,
) -> Finding | NotEvaluable | None:
    """Gaussians that are drawn, and that less than one pixel of any training view can move."""
    if (why := kept_faint(practice, checkpoint.iteration)) is not None:
        return why
    seen = sighted.seen
    out_of_reach = sighted.alive & (seen.cameras > 0) & (seen.support_px < pixels)
    found = share(out_of_reach)
    if not found > collapsed:
        return None
    return Finding(
        f"{percent(found)} of the Gaussians are drawn, and less than {pixels:g} pixel of any training view sends them a "
        f"gradient: they are too faint and too small to be moved",
        evidence=(
            EvidenceRow(f"Gaussians that fewer than {pixels:g} pixel of every view can move", found, collapsed, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("Gaussians looked at", len(sighted.rows), None, "count", checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("training cameras looked through", sighted.cameras, None, "cameras"),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.8, colour_by="opacity",
        gaussians=GaussianPlace(sighted.rows[out_of_reach], checkpoint.iteration, checkpoint.count),
    )


@detects("permanently-dead")
def permanently_dead(
    checkpoint: Checkpoint, opacities: F32, settled: bool, *, dead: float = 0.05,  # noqa: ARG001
) -> Finding | NotEvaluable | None:
    """Gaussians that no renderer draws, after the last prune: nothing removes them, nothing brings them back."""
    if is_rounded(checkpoint):
        return NotEvaluable((ROUNDED,))
    rows: Mask = np.asarray(opacities <= ALPHA_MIN)
    found = share(rows)
    if not found > dead:
        return None
    return Finding(
        f"{int(rows.sum()):,} of {checkpoint.count:,} Gaussians ({percent(found)}) have an opacity of at most 1/255 after the "
        f"last prune: no renderer draws them and no gradient reaches them",
        evidence=(
            EvidenceRow("Gaussians with an opacity of at most 1/255", found, dead, "share", checkpoint.iteration,
                        file_of(checkpoint)),
            EvidenceRow("Gaussians that make the picture", int((~rows).sum()), None, "count", checkpoint.iteration,
                        file_of(checkpoint)),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.95, colour_by="opacity",
        gaussians=GaussianPlace(rows.nonzero()[0], checkpoint.iteration, checkpoint.count),
        facts={"dead": f"{int(rows.sum()):,}", "saved": percent(found)},
    )


@detects("sky-without-parallax")
def sky_without_parallax(
    checkpoint: Checkpoint, sighted: Sightings, *, angle_deg: float = 1.0, top: float = 1 / 3, share_of_all: float = 0.1,
    depths: float = 10.0, fewest_cameras: int = 5,
) -> Finding | NotEvaluable | None:
    """Gaussians high in the pictures whose cameras all look along nearly one ray, scattered over many depths."""
    if sighted.cameras < fewest_cameras:
        return NotEvaluable((f"at least {fewest_cameras} training cameras",))
    seen = sighted.seen
    with np.errstate(invalid="ignore"):
        flat = sighted.alive & (seen.cameras > 1) & (seen.spread_deg < angle_deg) & (seen.height < top)
    found, depth = share(flat), np.log(seen.nearest[flat])
    apart = float(np.exp(quantile(depth, 0.95) - quantile(depth, 0.05)))
    if not (found > share_of_all and apart > depths):
        return None
    return Finding(
        f"{percent(found)} of the Gaussians lie in the top of the pictures, where the rays of all cameras that see them differ "
        f"by less than {angle_deg:g} degree; they are scattered over depths that differ by {apart:.0f} times",
        evidence=(
            EvidenceRow(f"Gaussians in the top third seen under less than {angle_deg:g} degree", found, share_of_all, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("95th / 5th percentile of their depths", apart, depths, "", checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("training cameras looked through", sighted.cameras, fewest_cameras, "cameras"),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.7,
        gaussians=GaussianPlace(sighted.rows[flat], checkpoint.iteration, checkpoint.count),
    )

"""Gaussians of an unhealthy shape."""

import numpy as np

from diagnostics.facts.alike import is_rounded
from diagnostics.facts.saved import file_of
from diagnostics.measures.shares import quantile, share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace
from diagnostics.wording import percent
from runs.arrays import F32, Mask
from runs.checkpoints import Checkpoint

# Natural logarithm: what a 16-bit scale of zero is read as. In a format that rounds scales it is the end of a range, no length.
ROUNDED_AWAY = -17.0


@detects("needle-gaussians")
def needles(
    checkpoint: Checkpoint, elongation: F32, effective_rank: F32, *, ratio: float = 50.0, share_of_all: float = 0.06,
) -> Finding | None:
    """Many Gaussians are far longer than they are wide (s_max/s_mid, so flat discs do not count)."""
    thin = (elongation > ratio) & ~_rounded_away(checkpoint)
    needle_share = share(thin)
    if needle_share <= share_of_all:
        return None
    iteration, source = checkpoint.iteration, file_of(checkpoint)
    return Finding(
        f"{percent(needle_share)} of {len(elongation):,} Gaussians are over {ratio:g} times longer than wide",
        evidence=(
            EvidenceRow(f"Gaussians with s_max/s_mid over {ratio:g}", needle_share, share_of_all, "share", iteration, source),
            EvidenceRow("median s_max/s_mid", quantile(elongation, 0.5), None, "", iteration, source),
            EvidenceRow("99th percentile of s_max/s_mid", quantile(elongation, 0.99), None, "", iteration, source),
            EvidenceRow("median effective rank (1 needle, 2 disc, 3 ball)", quantile(effective_rank, 0.5), None, "", iteration,
                        source),
        ),
        gaussians=GaussianPlace(np.flatnonzero(thin), iteration, len(elongation)),
        colour_by="elongation",
    )


def _rounded_away(checkpoint: Checkpoint) -> Mask:
    """bool [N], where the format has rounded the second scale down to nothing, so that nobody knows how thin it is."""
    if not is_rounded(checkpoint):
        return np.zeros(checkpoint.count, bool)
    return np.asarray(np.sort(checkpoint.gaussians.log_scales, axis=1)[:, 1] < ROUNDED_AWAY)

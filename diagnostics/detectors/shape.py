"""Gaussians of an unhealthy shape."""

import numpy as np

from diagnostics.facts.saved import file_of
from diagnostics.measures.shares import quantile, share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace
from diagnostics.wording import percent
from runs.arrays import F32
from runs.checkpoints import Checkpoint


@detects("needle-gaussians")
def needles(
    checkpoint: Checkpoint, elongation: F32, effective_rank: F32, *, ratio: float = 50.0, share_of_all: float = 0.06,
) -> Finding | None:
    """Many Gaussians are far longer than they are wide (s_max/s_mid, so flat discs do not count)."""
    thin = elongation > ratio
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

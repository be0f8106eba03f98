"""A logged loss that divides what masks let count by all pixels."""

import numpy as np

from diagnostics.facts.dilution import MaskedLoss
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent


@detects("mask-dilution")
def mask_dilution(masked_loss: MaskedLoss, *, coverage: float = 0.5, fits: float = 1.25, clearer: float = 1.5) -> Finding | None:
    """The masks leave less than half of each picture, and the log comes out again only if it is divided by all pixels."""
    told = masked_loss
    left = float(np.mean(told.coverage))
    if left >= coverage or min(told.logged, told.by_all, told.by_counting) <= 0:
        return None
    off = _apart(told.by_all, told.logged)
    otherwise = min(_apart(value, told.logged) for value in (told.by_counting, told.unmasked))
    if off > fits or otherwise < clearer:
        return None
    times = told.by_counting / told.by_all
    decibels = 10 * np.log10(1 / left)
    return Finding(
        f"The masks leave {percent(left)} of the picture, and the logged L1 ({told.logged:.4f}) is divided by all pixels: where "
        f"pixels count it is {told.by_counting:.4f}, {times:.1f} times as much",
        evidence=(
            EvidenceRow("picture area that counts, mean", left, coverage, "share", told.iteration, "masks"),
            EvidenceRow("logged L1", told.logged, None, "", told.iteration, told.source),
            EvidenceRow("L1 of views drawn again, divided by all pixels, over the logged one or the reverse", off, fits, "",
                        told.iteration, "training photos"),
            EvidenceRow("the same, divided by the pixels that count or without masks", otherwise, clearer, "", told.iteration,
                        "training photos"),
            EvidenceRow("L1 where pixels count", told.by_counting, None, "", told.iteration, "training photos"),
        ),
        cameras=told.cameras, confidence=0.85,
        facts={"times": f"{times:.1f}", "decibels": f"{decibels:.1f}", "coverage": percent(left)},
    )


def _apart(one: float, other: float) -> float:
    """How many times as large the larger is."""
    return max(one, other) / max(min(one, other), 1e-12)

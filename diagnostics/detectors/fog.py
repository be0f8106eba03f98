"""Fog that comes late and silently: a loss beside the picture turns Gaussians that have long found their place."""

from diagnostics.facts import rotations  # noqa: F401  (geometric_loss, turning)
from diagnostics.facts.rotations import Turning
from diagnostics.measures.curves import best, last_finite, since
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from runs.series import Series
from runs.settings import Setting


@detects("fog-from-a-wrong-gradient")
def fog_from_a_wrong_gradient(
    geometric_loss: Setting, turning: Turning, quality: Series, *, times: float = 3.0, drop_db: float = 0.3,
) -> Finding | None:
    """Rotations change more and more against positions, at a loss on depths or normals, while quality sinks slowly."""
    early, late = turning.early, turning.late
    if not (early.turned > 0 and early.walked > 0 and late.walked > 0):
        return None
    rises = (late.turned / late.walked) / (early.turned / early.walked)
    within = since(quality, early.first)
    before, after = best(within), last_finite(within)
    drop = before[1] - after[1] if before is not None and after is not None else None
    if not (rises > times and late.turned >= early.turned) or drop is None or drop < drop_db:
        return None
    return Finding(
        f"With {geometric_loss.name} = {geometric_loss.value} on, Gaussians turn {rises:.1f} times as much for each step of "
        f"their place between iterations {late.first:,} and {late.last:,} as between {early.first:,} and {early.last:,}, and "
        f"{quality.name} sank by {drop:.1f} dB meanwhile",
        evidence=(
            EvidenceRow("rotation / way at equal rates, late over early", rises, times, "", late.last, turning.source),
            EvidenceRow("median rotation per iteration, early", early.turned, None, "degrees", early.last, turning.source),
            EvidenceRow("median rotation per iteration, late", late.turned, early.turned, "degrees", late.last, turning.source),
            EvidenceRow(f"drop of {quality.name} since", drop, drop_db, "dB", after[0] if after else None, quality.source),
        ),
        iterations=(early.first, late.last), confidence=0.6, facts={"loss": geometric_loss.name},
    )

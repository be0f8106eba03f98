"""Gaussians that stand twice: exact copies that never separated, and seams along which models were joined."""

from diagnostics.facts.doubled import Copies
from diagnostics.facts.saved import file_of
from diagnostics.measures.seams import Seam
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint

AXES = "xyz"


@detects("coincident-gaussians")
def coincident_gaussians(
    checkpoint: Checkpoint, copies: Copies, schedule: Schedule | None = None, *, doubled: float = 0.02, apart: int = 100,
) -> Finding | NotEvaluable | None:
    """Visible Gaussians share all three coordinates long after the clones of a densification should have separated."""
    found = len(copies.rows) / copies.of
    if not found > doubled:
        return None
    last = max((at for at in schedule.densifications if at <= checkpoint.iteration), default=None) if schedule else None
    if last is not None and checkpoint.iteration - last < apart:
        return NotEvaluable((f"a save at least {apart} iterations after a densification (clones begin as copies)",))
    whole = copies.identical / len(copies.rows)
    return Finding(
        f"{len(copies.rows):,} visible Gaussians ({percent(found)}) stand at exactly the same place as another one; "
        f"{percent(whole)} of them are copies in every other value too",
        evidence=(
            EvidenceRow("visible Gaussians that share all coordinates with another", found, doubled, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("of these, copies in every value", whole, None, "share", checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("last densification before this save", last, None, "iteration", last),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.9,
        gaussians=GaussianPlace(copies.rows, checkpoint.iteration, checkpoint.count), facts={"copies": f"{len(copies.rows):,}"},
    )


@detects("block-seams")
def block_seams(
    checkpoint: Checkpoint, clearest_seam: Seam, *, held: float = 0.5, times: float = 5.0, inside: float = 0.4,
    side: float = 0.1, fewest: int = 50,
) -> Finding | None:
    """Most Gaussians that have another one right beside them lie along one plane across the cloud."""
    seam = clearest_seam
    enough = len(seam.rows) >= fewest and seam.thinner_side > side
    if not (enough and seam.held > held and seam.inside > max(inside, times * seam.outside)):
        return None
    axis = AXES[seam.axis]
    return Finding(
        f"{percent(seam.held)} of the Gaussians that have another one right beside them lie in one slab across the {axis} axis "
        f"at {axis} = {seam.at:.4g}: {percent(seam.inside)} of those in it, against {percent(seam.outside)} elsewhere",
        evidence=(
            EvidenceRow("of all Gaussians with a close neighbour: those in the slab", seam.held, held, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("Gaussians with a close neighbour in the slab", seam.inside, max(inside, times * seam.outside), "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("Gaussians on the side of the slab with fewer", seam.thinner_side, side, "share", checkpoint.iteration,
                        file_of(checkpoint)),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.6,
        gaussians=GaussianPlace(seam.rows, checkpoint.iteration, checkpoint.count), facts={"axis": axis, "at": f"{seam.at:.4g}"},
    )

"""Faults of heredity, told by who became whom: halves as large as their parent, clones elsewhere, dead ones that stay."""

import math

from diagnostics.facts.saved import file_of
from diagnostics.measures.generations import INVISIBLE, Generation
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F32, I64
from runs.checkpoints import Checkpoint
from runs.series import Series


@detects("split-keeps-parent-size")
def split_keeps_size(
    generations: tuple[Generation, ...], *, shrink: float = 0.36, halves: int = 30, spread: float = 0.35,
) -> Finding | NotEvaluable | None:
    """Halves of a split are not smaller than what was split, in no interval in which that can be told."""
    told = [g for g in generations if len(g.halves) >= halves and (g.settled or (not g.resets and g.shrink_spread <= spread))]
    if not told:
        return NotEvaluable((f"{halves} halves of splits, saved so soon that their size is still that of their birth",))
    settled = [g for g in told if g.settled]
    clearest = min(settled or told, key=lambda g: g.shrink)
    if -clearest.shrink >= shrink:
        return None
    return Finding(
        f"Halves of splits are {math.exp(clearest.shrink):.2f} times as large as what was split, in the middle of "
        f"{len(clearest.halves):,} {_when(clearest)}; a split leaves 1/1.6 = 0.63",
        evidence=(
            EvidenceRow("size of a half / its parent's, median, less what learning did to all", math.exp(clearest.shrink),
                        math.exp(-shrink), "", clearest.last, clearest.source),
            EvidenceRow("halves of splits that were followed", len(clearest.halves), halves, "count", clearest.last,
                        clearest.source),
            EvidenceRow("intervals in which it shows", len(settled or told), None, "count"),
        ),
        iterations=(told[0].first, told[-1].last), gaussians=_place(clearest, clearest.halves),
        confidence=0.95 if settled else 0.7, colour_by="max_scale",
    )


@detects("clones-displaced")
def clones_displaced(
    generations: tuple[Generation, ...], *, offset: float = 0.25, offset_later: float = 0.75, clones: int = 10,
    densifications: int = 2,
) -> Finding | NotEvaluable | None:
    """Clones lie away from the Gaussian that they were cloned from."""
    told = [g for g in generations if len(g.clones) >= clones and g.densifications <= densifications]
    if not told:
        return NotEvaluable((f"{clones} clones, saved so soon that they are still near their parents",))
    settled = [g for g in told if g.settled]
    nearest = min(settled or told, key=lambda g: g.offset)
    limit = offset if settled else offset_later
    if not nearest.offset > limit:
        return None
    return Finding(
        f"Clones lie {nearest.offset:.1f} times their parents' size away from them, in the middle of "
        f"{len(nearest.clones):,} {_when(nearest)}",
        evidence=(
            EvidenceRow("distance of a clone from its parent / the parent's size, median", nearest.offset, limit, "",
                        nearest.last, nearest.source),
            EvidenceRow("clones that were followed", len(nearest.clones), clones, "count", nearest.last, nearest.source),
        ),
        iterations=(told[0].first, told[-1].last), gaussians=_place(nearest, nearest.clones),
        confidence=0.95 if settled else 0.6,
    )


@detects("prunes-too-little")
def prunes_too_little(
    checkpoint: Checkpoint, opacities: F32, generations: tuple[Generation, ...] | None = None, pruned: Series | None = None,
    grown: tuple[Series, ...] | None = None,
    *, kept: float = 0.5, dead: int = 20, dead_share: float = 0.02, heavy: float = 0.2, events: int = 3,
) -> Finding | NotEvaluable | None:
    """Gaussians that no renderer draws outlive densifications, which should have pruned them, and they weigh something."""
    if generations is None and pruned is None:
        return NotEvaluable(("saved states between which rows can be followed, or series densify/pruned",))
    invisible = share(opacities < INVISIBLE)
    if not invisible > dead_share:
        return None
    before, after = sum(g.dead for g in generations or ()), sum(len(g.kept_dead) for g in generations or ())
    idle = pruned is not None and grown is not None and len(pruned) >= events and not pruned.values.any()
    outlive = before >= dead and after > kept * before
    if not outlive and not (idle and before < dead):
        return None
    last = max((g for g in generations or () if len(g.kept_dead)), key=lambda g: g.last, default=None)
    return Finding(
        (f"{percent(after / before)} of the Gaussians that no renderer draws (opacity below 1/255) outlived densifications; "
         if outlive else f"{len(pruned or ()):,} densifications removed nobody; ")
        + f"at iteration {checkpoint.iteration:,} they are {percent(invisible)} of {checkpoint.count:,}",
        evidence=(
            EvidenceRow("invisible Gaussians that outlived densifications / all of them", after / before if before else None,
                        kept, "share", last.last if last else None, last.source if last else ""),
            EvidenceRow("Gaussians with an opacity below 1/255", invisible, dead_share, "share", checkpoint.iteration,
                        file_of(checkpoint)),
            EvidenceRow("Gaussians removed by pruning", None if pruned is None else float(pruned.values.sum()), None, "count",
                        None, pruned.source if pruned else ""),
        ),
        iterations=_span(generations, pruned), confidence=0.9 if outlive else 0.7,
        severity="major" if invisible > heavy else None,
        gaussians=GaussianPlace((opacities < INVISIBLE).nonzero()[0], checkpoint.iteration, checkpoint.count),
        colour_by="opacity",
    )


def _when(generation: Generation) -> str:
    if generation.first == generation.last:
        return f"at iteration {generation.first:,}"
    return f"from iteration {generation.first:,} to {generation.last:,}"


def _place(generation: Generation, rows: I64) -> GaussianPlace | None:
    """Rows of a training state cannot be shown: the point cloud of its iteration was written before they were born."""
    return GaussianPlace(rows, generation.last, generation.of) if generation.saved else None


def _span(generations: tuple[Generation, ...] | None, pruned: Series | None) -> tuple[int, int] | None:
    if generations:
        return generations[0].first, generations[-1].last
    return (int(pruned.iterations[0]), int(pruned.iterations[-1])) if pruned is not None and len(pruned) else None

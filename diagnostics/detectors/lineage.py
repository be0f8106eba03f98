"""Faults of heredity, told by who became whom: halves as large as their parent, clones elsewhere."""

import math

from diagnostics.measures.generations import Generation
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from runs.arrays import I64


@detects("split-keeps-parent-size")
def split_keeps_size(
    generations: tuple[Generation, ...],
    *, shrink: float = 0.36, halves: int = 30, halves_at_birth: int = 6, spread: float = 0.35,
) -> Finding | NotEvaluable | None:
    """Halves of a split are not smaller than what was split, in no interval in which that can be told."""
    told = [g for g in generations if (
        len(g.halves) >= halves_at_birth if g.settled
        else len(g.halves) >= halves and not g.resets and g.shrink_spread <= spread)]
    settled = [g for g in told if g.settled]
    if not told or (not settled and _clones_alone(generations, halves_at_birth)):
        return NotEvaluable((f"{halves} halves of splits, saved so soon that their size is still that of their birth",))
    clearest = min(settled or told, key=lambda g: g.shrink)
    if -clearest.shrink >= shrink:
        return None
    return Finding(
        f"Halves of splits are {math.exp(clearest.shrink):.2f} times as large as what was split, in the middle of "
        f"{len(clearest.halves):,} {_when(clearest)}; a split leaves 1/1.6 = 0.63",
        evidence=(
            EvidenceRow("size of a half / its parent's, median, less what learning did to all", math.exp(clearest.shrink),
                        math.exp(-shrink), "", clearest.last, clearest.source),
            EvidenceRow("halves of splits that were followed", len(clearest.halves), halves_at_birth if settled else halves,
                        "count", clearest.last, clearest.source),
            EvidenceRow("intervals in which it shows", len(settled or told), None, "count"),
        ),
        iterations=(told[0].first, told[-1].last), gaussians=_place(clearest, clearest.halves),
        confidence=0.95 if settled else 0.7, colour_by="max_scale",
    )


def _clones_alone(generations: tuple[Generation, ...], born: int) -> bool:
    """A state saved right after its densification holds clones and hardly a half: what looks like halves later is misread."""
    return any(g.settled and len(g.clones) >= born > len(g.halves) for g in generations)


@detects("clones-displaced")
def clones_displaced(
    generations: tuple[Generation, ...], *, offset: float = 0.25, offset_later: float = 0.75, clones: int = 10,
    clones_at_birth: int = 3, densifications: int = 2, among_born: float = 0.1,
) -> Finding | NotEvaluable | None:
    """Clones lie away from the Gaussian that they were cloned from."""
    told = [g for g in generations if (
        len(g.clones) >= clones_at_birth if g.settled
        else len(g.clones) >= max(clones, among_born * g.born) and g.densifications <= densifications)]
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
            EvidenceRow("clones that were followed", len(nearest.clones), clones_at_birth if settled else clones, "count",
                        nearest.last, nearest.source),
        ),
        iterations=(told[0].first, told[-1].last), gaussians=_place(nearest, nearest.clones),
        confidence=0.95 if settled else 0.6,
    )


def _when(generation: Generation) -> str:
    if generation.first == generation.last:
        return f"at iteration {generation.first:,}"
    return f"from iteration {generation.first:,} to {generation.last:,}"


def _place(generation: Generation, rows: I64) -> GaussianPlace | None:
    """Rows of a training state cannot be shown: the point cloud of its iteration was written before they were born."""
    return GaussianPlace(rows, generation.last, generation.of) if generation.saved else None

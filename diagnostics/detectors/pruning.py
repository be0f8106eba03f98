"""Faults of pruning: it removes what makes the picture, or leaves what nobody can see."""

import numpy as np

from diagnostics.facts import habits  # noqa: F401  (prunes_plainly)
from diagnostics.facts.saved import file_of
from diagnostics.measures.curves import best, last_finite, since, until
from diagnostics.measures.generations import FAINT, INVISIBLE, LARGE_TO, Cut, Generation
from diagnostics.measures.shares import share
from diagnostics.practice.practice import Practice
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F32
from runs.checkpoints import Checkpoint
from runs.series import Series

# A collapse begins when the last of so many Gaussians go.
NEARLY_ALL = 0.9


@detects("prunes-too-many")
def prunes_too_many(
    counts: Series, quality: Series, schedule: Schedule | None = None, pruned: Series | None = None,
    generations: tuple[Generation, ...] | None = None, prunes_plainly: bool | None = None,
    *, lost: float = 0.5, drop_db: float = 1.0, gone: float = 0.8, beyond_opaque: float = 0.3, faint: int = 30,
    large_gone: float = 0.95, large: int = 20, large_share: float = 0.02, large_at_once: int = 5, large_left: float = 0.002,
) -> Finding | NotEvaluable | None:
    """Most Gaussians were removed and not replaced, and the picture got worse for it; removal alone may be the aim.

    Or densifications remove, in any interval, nearly all that is faint or large, and far too little so for the recipe.
    """
    collapse = _collapse(counts, quality, schedule, pruned, lost, drop_db)
    if isinstance(collapse, Finding):
        return collapse
    for generation in generations or () if prunes_plainly else ():
        limit = generation.opaque_gone + beyond_opaque
        if generation.faint >= faint and generation.faint_gone >= max(gone, limit):
            return _takes_the_faint(generation, counts, pruned, max(gone, limit))
        for cut in generation.cuts if generation.densifications == 1 else ():
            many = cut.count >= max(large, large_share * generation.before)
            sharp = generation.settled and cut.count >= large_at_once and cut.left <= large_left
            if cut.gone >= max(large_gone, limit) and (sharp if generation.settled else many):
                return _takes_the_large(generation, cut, counts, pruned, max(large_gone, limit))
    return collapse


@detects("prunes-too-little")
def prunes_too_little(
    checkpoint: Checkpoint, opacities: F32, generations: tuple[Generation, ...] | None = None, pruned: Series | None = None,
    practice: Practice | None = None,
    *, kept: float = 0.5, dead: int = 10, dead_share: float = 0.002, heavy: float = 0.2, unseen_share: float = 0.02,
    events: int = 3,
) -> Finding | NotEvaluable | None:
    """Gaussians that no renderer draws outlive densifications, which should have pruned them."""
    if generations is None and pruned is None:
        return NotEvaluable(("saved states between which rows can be followed, or series densify/pruned",))
    if practice is not None and generations is not None:  # TruncGradGS prunes nobody before iteration 24,500, on purpose
        generations = tuple(g for g in generations if practice.intends("dead-mass", g.last) is None)
    invisible = share(opacities < INVISIBLE)
    before, after = sum(g.dead for g in generations or ()), sum(len(g.kept_dead) for g in generations or ())
    outlive = before >= dead and after > kept * before and invisible > dead_share
    idle = generations is None and pruned is not None and len(pruned) >= events and not pruned.values.any()
    if not outlive and not (idle and invisible > unseen_share):
        return None
    last = max((g for g in generations or () if len(g.kept_dead)), key=lambda g: g.last, default=None)
    removed = None if pruned is None else float(pruned.values.sum())
    return Finding(
        (f"{percent(after / before)} of the Gaussians that no renderer draws (opacity below 1/255) outlived densifications; "
         if outlive else f"{len(pruned or ()):,} densifications removed nobody; ")
        + f"at iteration {checkpoint.iteration:,} they are {percent(invisible)} of {checkpoint.count:,}",
        evidence=(
            EvidenceRow("invisible Gaussians that outlived densifications / all of them", after / before if before else None,
                        kept, "share", last.last if last else None, last.source if last else ""),
            EvidenceRow("Gaussians with an opacity below 1/255", invisible, dead_share if outlive else unseen_share, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("Gaussians removed by pruning", removed, None, "count", None, pruned.source if pruned else ""),
        ),
        iterations=_span(generations, pruned), confidence=0.9 if outlive else 0.7,
        severity="major" if invisible > heavy else None,
        gaussians=GaussianPlace((opacities < INVISIBLE).nonzero()[0], checkpoint.iteration, checkpoint.count),
        colour_by="opacity",
    )


def _collapse(
    counts: Series, quality: Series, schedule: Schedule | None, pruned: Series | None, lost: float, drop_db: float,
) -> Finding | NotEvaluable | None:
    """Half of the largest count is gone, and quality stayed below what it was."""
    peak = float(np.nanmax(counts.values))
    last_at, left = int(counts.iterations[-1]), float(counts.values[-1])
    if not peak or 1 - left / peak < lost:
        return None
    peak_at = int(counts.iterations[np.flatnonzero(counts.values >= NEARLY_ALL * peak)[-1]])
    later = since(quality, peak_at + 1)
    before = best(until(quality, peak_at))
    after = last_finite(later if schedule is None else schedule.outside_resets(later))
    if before is None or after is None:
        return NotEvaluable((f"a quality series before and after iteration {peak_at:,}",))
    drop = before[1] - after[1]
    if drop < drop_db:
        return None
    return Finding(
        f"{percent(1 - left / peak)} of {peak:,.0f} Gaussians were removed between iterations {peak_at:,} and {last_at:,}, "
        f"and {quality.name} stayed {drop:.1f} dB below its earlier best",
        evidence=(
            EvidenceRow("Gaussians lost since the largest count", 1 - left / peak, lost, "share", last_at, counts.source),
            EvidenceRow(f"drop of {quality.name} below its earlier best", drop, drop_db, "dB", after[0], quality.source),
            _largest_removal(counts, pruned),
        ),
        iterations=(peak_at, last_at), confidence=0.8,
        facts={"best_iteration": before[0], "best_db": f"{before[1]:.1f}", "end_db": f"{after[1]:.1f}"},
    )


def _takes_the_faint(generation: Generation, counts: Series, pruned: Series | None, limit: float) -> Finding:
    return Finding(
        f"{percent(generation.faint_gone)} of {generation.faint:,} visible but faint Gaussians (opacity {FAINT[0]:g} to "
        f"{FAINT[1]:g}) were removed {_when(generation)}, against {percent(generation.opaque_gone)} of the opaque ones; "
        f"hardly anyone below an opacity of {generation.lowest_kept:.2f} stayed",
        evidence=(
            EvidenceRow(f"share removed of opacities {FAINT[0]:g}-{FAINT[1]:g}", generation.faint_gone, limit, "share",
                        generation.last, generation.source),
            EvidenceRow("share removed of opacities above 0.5", generation.opaque_gone, None, "share", generation.last,
                        generation.source),
            EvidenceRow("opacity that only 2 % of the survivors were below", generation.lowest_kept, None, "", generation.first,
                        generation.source),
            _largest_removal(counts, pruned),
        ),
        iterations=(generation.first, generation.last), confidence=0.9, colour_by="opacity",
        facts={"lowest": f"{generation.lowest_kept:.2f}"},
    )


def _takes_the_large(generation: Generation, cut: Cut, counts: Series, pruned: Series | None, limit: float) -> Finding:
    return Finding(
        f"{percent(cut.gone)} of {cut.count:,} visible Gaussians with sizes from {cut.above:g} to {LARGE_TO:g} of the cameras' "
        f"extent were removed {_when(generation)}, and nothing took their place; {percent(cut.left)} of what is left is as large",
        evidence=(
            EvidenceRow(f"share removed of sizes {cut.above:g}-{LARGE_TO:g} extents", cut.gone, limit, "share", generation.last,
                        generation.source),
            EvidenceRow("share of those left that are as large", cut.left, None, "share", generation.last, generation.source),
            _largest_removal(counts, pruned),
        ),
        iterations=(generation.first, generation.last), confidence=0.9, colour_by="max_scale",
        facts={"largest": f"{cut.above:g}"},
    )


def _largest_removal(counts: Series, pruned: Series | None) -> EvidenceRow:
    """The largest logged removal, as a share of the Gaussians then."""
    shares = [(int(at), float(value) / before) for at, value in zip(pruned.iterations, pruned.values, strict=True)
              if (before := counts.at(int(at)))] if pruned is not None else []
    largest = max(shares, key=lambda pair: pair[1], default=(None, None))
    source = pruned.source if pruned is not None else ""
    return EvidenceRow("largest removal at one densification", largest[1], None, "share", largest[0], source)


def _when(generation: Generation) -> str:
    if generation.first == generation.last:
        return f"at iteration {generation.first:,}"
    return f"between iterations {generation.first:,} and {generation.last:,}"


def _span(generations: tuple[Generation, ...] | None, pruned: Series | None) -> tuple[int, int] | None:
    if generations:
        return generations[0].first, generations[-1].last
    return (int(pruned.iterations[0]), int(pruned.iterations[-1])) if pruned is not None and len(pruned) else None

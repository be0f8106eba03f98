"""When Gaussians were born: each row of a save by the two saves between which it, not its ancestors, first shows."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runs.arrays import F32, I32
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.gaussians import Gaussians
from runs.lineage.link import SAME, UNKNOWN, Link, sure_link
from runs.run import Run

NOT_KNOWN = -1


@dataclass(frozen=True, eq=False)
class Born:
    """Rows of one save."""

    saves: tuple[int, ...]  # iterations of the saves that could be followed, the last one that of the rows
    when: I32  # int32 [N]: 0 is there by saves[0], k was born between saves[k - 1] and saves[k], NOT_KNOWN
    confidence: F32  # float32 [N], 0..1, share of such claims that were right where it was measured
    sources: tuple[str, ...] = ()  # what the rows were followed by


def born(run: Run, saves: Sequence[Checkpoint], wanted: Collection[int], beat: Callable[[], None]) -> Mapping[int, Born]:
    """For the `wanted` iterations, the rows of their saves; a second or two for each million rows of `saves` (by iteration).

    Where two saves can be linked by likeness alone, everything begins anew with the later one. A save that cannot be read is
    left out. Raises what `beat` raises.
    """
    found: dict[int, Born] = {}
    held: tuple[Checkpoint, Born, Gaussians] | None = None  # the Gaussians too, so that they are read once
    for save in saves:
        beat()
        try:
            gaussians = save.gaussians
            now = _first(save) if held is None else _next(run, held[0], held[1], save, beat)
        except RunError as error:
            run.book.add_error(error)
            continue
        held = save, now, gaussians
        if save.iteration in wanted:
            found[save.iteration] = now
    return found


def _first(save: Checkpoint) -> Born:
    return Born((save.iteration,), np.zeros(save.count, np.int32), np.ones(save.count, np.float32))


def _next(run: Run, earlier: Checkpoint, then: Born, save: Checkpoint, beat: Callable[[], None]) -> Born:
    link = sure_link(run, earlier, save, beat, parents=False)
    return _first(save) if link is None else carried(then, link, save.iteration)


def carried(then: Born, link: Link, iteration: int) -> Born:
    """The rows of the next save."""
    when = np.full(len(link.kinds), NOT_KNOWN, np.int32)
    confidence = link.confidence.astype(np.float32)
    same, newborn = link.kinds == SAME, (link.kinds != SAME) & (link.kinds != UNKNOWN)
    when[newborn] = len(then.saves)
    when[same] = then.when[link.parents[same]]
    confidence[same] *= then.confidence[link.parents[same]]
    confidence[when == NOT_KNOWN] = 0
    sources = tuple(dict.fromkeys((*then.sources, link.source)))
    return replace(then, saves=(*then.saves, iteration), when=when, confidence=confidence, sources=sources)

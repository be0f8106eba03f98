"""What densification did between two saved states: sizes of halves, places of clones, and which opacities went or stayed."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.shares import quantile, share
from runs.arrays import F32, F64, I64, Mask
from runs.formats.ply.columns import FLAT_LOG_SCALE
from runs.gaussians import Gaussians
from runs.lineage.births import Births, births_of
from runs.lineage.trace import Lineage, trace

# A split or clone changes all three axes alike, learning does not: standard deviation of the three logarithms of the ratios.
ALIKE = 0.15
# A clone keeps its parent's size, all three axes, and exactly so while nothing is learned; halves of a split are 0.47 smaller.
SAME_SIZE, SAME_BIRTH_SIZE = 0.2, 1e-3
INVISIBLE = 1 / 255  # below it the renderer skips a Gaussian, so nothing but noise can bring it back
FAINT = (0.02, 0.1)  # opacities: visible, and far above the usual pruning threshold of 0.005
OPAQUE = (0.5, 1.0)
# Largest scale in extents: from each of these up to half of the usual limit of pruning by size, 0.1.
LARGE_FROM, LARGE_TO = (0.012, 0.02, 0.033), 0.05
FIFTIETH = 0.02


@dataclass(frozen=True)
class Cut:
    """What became of the visible Gaussians of one range of sizes, parents left out."""

    above: float  # largest scale, in extents of the cameras
    count: int  # in the earlier state
    gone: float  # 0..1, share of them; NaN without any
    left: float  # 0..1, share of the later state that is as large or larger; NaN without an extent


@dataclass(frozen=True, eq=False)
class Generation:
    """One interval of a run, from one saved state to the next."""

    first: int  # iteration of the earlier state
    last: int
    densifications: int  # how many lie between
    resets: int  # of opacities, in between: sizes swell after one
    settled: bool  # nothing was learned in between: the later state was saved right after the one densification
    source: str
    saved: bool  # the later state is a checkpoint that can be shown
    before: int  # Gaussians of the earlier state
    of: int  # Gaussians of the later state
    survivors: float  # 0..1, share of the earlier state's Gaussians that were followed to the later one
    matched: float  # 0..1, how well rows could be followed
    born: int  # Gaussians of the later state that were not there before
    halves: I64  # int64, rows of the later state that come from splits, drawn at random around the parent: what lies exactly at
    # its place is a clone that was taken for another; unless settled, only those that changed in size alone
    shrink: float  # median logarithm of size / parent's size, less what survivors changed; NaN without any. Size is the longest
    # axis where settled, else the mean of the logarithms of all three: learning flattens, so it changes single axes more
    shrink_spread: float  # between the quartiles of that: small where little was learned since
    clones: I64  # int64, rows of the later state that are like a parent that still exists
    offset: float  # median distance of `clones` from their parents, in the parents' largest scale; NaN without any
    dead: int  # invisible Gaussians of the earlier state
    kept_dead: I64  # int64, rows of the later state: those of them that are still there, and still invisible
    faint: int  # faint Gaussians of the earlier state that are no parents
    faint_gone: float  # 0..1, share of them that are gone; NaN without any
    opaque_gone: float  # the same of opaque ones: the toll of learning and of mismatches
    lowest_kept: float  # earlier opacity below which only a fiftieth of the survivors lay; NaN without any
    cuts: tuple[Cut, ...]  # by size; empty where not all births are known


def generation(
    earlier: Gaussians, later: Gaussians, *, first: int, last: int, densifications: int, resets: int, settled: bool,
    source: str, saved: bool, extent: float | None = None, known: tuple[Lineage, Births] | None = None,
) -> Generation | None:
    """None where rows cannot be followed at all. `extent`: that of the cameras, world units; `known`: what was recorded."""
    lineage = trace(earlier, later) if known is None else known[0]
    if lineage is None:
        return None
    births = births_of(lineage, earlier, later) if known is None else known[1]
    ratios, alike = _ratios(births, earlier, later, settled)
    offsets = _offsets(births, earlier, later)
    halves = (alike | settled) & ~births.survives & ((births.siblings > 1) | (not births.all_asked)) & (offsets > 0)
    clones = alike & births.survives & _same_size(births, earlier, later, SAME_BIRTH_SIZE if settled else SAME_SIZE)
    gone, parents = _mask(lineage.gone, earlier.count), _mask(births.parent[births.siblings > 1], earlier.count)
    faint, opaque = (_between(earlier.opacities, limits) & ~parents for limits in (FAINT, OPAQUE))
    judged = (earlier.opacities > FAINT[1]) & ~parents
    return Generation(
        first=first, last=last, densifications=densifications, resets=resets, settled=settled, source=source, saved=saved,
        before=earlier.count, of=later.count, survivors=len(lineage.before) / earlier.count,
        matched=lineage.matched, born=len(lineage.newborn),
        halves=births.child[halves], shrink=_median(ratios[halves]) - _learned(lineage, earlier, later),
        shrink_spread=_spread(ratios[halves]),
        clones=births.child[clones], offset=_median(offsets[clones]),
        dead=int((earlier.opacities < INVISIBLE).sum()), kept_dead=_kept_dead(lineage, earlier, later),
        faint=int(faint.sum()), faint_gone=share(gone[faint]), opaque_gone=share(gone[opaque]),
        lowest_kept=quantile(earlier.opacities[lineage.before], FIFTIETH),
        cuts=_cuts(earlier, later, judged, gone, extent) if births.all_asked and extent else (),
    )


def _ratios(births: Births, earlier: Gaussians, later: Gaussians, settled: bool) -> tuple[F64, Mask]:
    """Logarithm of child's / parent's size, and where all axes changed alike."""
    trained = slice(2 if _are_discs(later) else 3)
    children = later.log_scales[births.child, trained].astype(np.float64)
    parents = earlier.log_scales[births.parent, trained]
    axes = children - parents
    return children.max(axis=1) - parents.max(axis=1) if settled else axes.mean(axis=1), axes.std(axis=1) < ALIKE


def _are_discs(gaussians: Gaussians) -> bool:
    """Whether the third axis is none that was trained: 2DGS has two, and the reader's thickness never changes."""
    return bool(gaussians.count) and bool((gaussians.log_scales[:, 2] == FLAT_LOG_SCALE).all())


def _same_size(births: Births, earlier: Gaussians, later: Gaussians, tolerance: float) -> Mask:
    """Every axis within the tolerance; learned noise of single axes is bounded by ALIKE."""
    axes = later.log_scales[births.child] - earlier.log_scales[births.parent]
    return np.asarray(np.abs(axes).max(axis=1) < tolerance)


def _learned(lineage: Lineage, earlier: Gaussians, later: Gaussians) -> float:
    """Median change of the survivors' size: what learning did to everybody."""
    trained = slice(2 if _are_discs(later) else 3)
    change = later.log_scales[lineage.after, trained].astype(np.float64) - earlier.log_scales[lineage.before, trained]
    return _median(change.mean(axis=1)[np.isfinite(change).all(axis=1)])


def _offsets(births: Births, earlier: Gaussians, later: Gaussians) -> F64:
    apart = np.linalg.norm(later.means[births.child].astype(np.float64) - earlier.means[births.parent], axis=1)
    return np.asarray(apart / earlier.scales[births.parent].max(axis=1))


def _kept_dead(lineage: Lineage, earlier: Gaussians, later: Gaussians) -> I64:
    stayed = (earlier.opacities[lineage.before] < INVISIBLE) & (later.opacities[lineage.after] < INVISIBLE)
    return np.asarray(lineage.after[stayed])


def _cuts(earlier: Gaussians, later: Gaussians, judged: Mask, gone: Mask, extent: float) -> tuple[Cut, ...]:
    before, after = (gaussians.scales.max(axis=1) / extent for gaussians in (earlier, later))
    ranges = [(above, judged & _between(before, (above, LARGE_TO))) for above in LARGE_FROM]
    return tuple(Cut(above, int(rows.sum()), share(gone[rows]), share(after > above)) for above, rows in ranges)


def _between(values: F32, limits: tuple[float, float]) -> Mask:
    return np.asarray((values > limits[0]) & (values < limits[1]))


def _mask(rows: I64, count: int) -> Mask:
    mask = np.zeros(count, bool)
    mask[rows] = True
    return mask


def _spread(values: F64) -> float:
    return float(np.subtract(*np.quantile(values, [0.75, 0.25]))) if len(values) else float("nan")


def _median(values: F64) -> float:
    return float(np.median(values)) if len(values) else float("nan")

"""Alarms on curves that know the schedule: quality that falls for good, losses that jump, densification without a pause."""

from collections.abc import Mapping

import numpy as np

from diagnostics.facts import courses, habits, logged, saved  # noqa: F401  (the facts named below)
from diagnostics.facts import masks as mask_facts  # noqa: F401
from diagnostics.facts.courses import VIEW_LOSSES
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.saved import file_of
from diagnostics.measures.courses import VIEWS, Fall, is_smoothed, jumps, one_way_fall
from diagnostics.measures.curves import since
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.schedule import STAGED, Schedule
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F64, I64
from runs.checkpoints import Checkpoint
from runs.photos import Photo
from runs.run import Run
from runs.series import Series

CALM_AFTER = 2  # values outside a reset's dip that confirm a fall
FEWEST_VISITS = 5  # of a view, after densification: three jumps
HALF = 0.5  # of the training views must be seen so often


@detects("quality-falls-for-good")
def falls_for_good(
    run: Run, quality: Series, counts_iterations: bool, schedule: Schedule | None = None,  # noqa: ARG001
    checkpoints: tuple[Checkpoint, ...] | None = None, masks: Mapping[str, Photo] | None = None,
    *, fall_db: float = 2.0, faint: float = 0.5, faint_opacity: float = 0.02,
) -> Finding | NotEvaluable | None:
    """Quality fell within one interval and never came back. A dip that recovers is how a reset looks."""
    if run.trainer.name in STAGED:
        return NotEvaluable((f"one count of iterations over the whole training ({run.trainer.name} counts each stage anew)",))
    if masks is not None:
        return NotEvaluable(("an evaluation that leaves out what the masks exclude: what nobody trains may fall",))
    quality = since(quality, full_size_from(run) + 1)
    fall = one_way_fall(quality, VIEWS if is_smoothed(quality) else 1)
    if fall is None or fall.depth < fall_db:
        return None
    if _confirmed(quality, fall, schedule) < CALM_AFTER:
        return NotEvaluable((f"two evaluations after iteration {fall.after[0]:,}, outside the dip after an opacity reset: "
                             f"{quality.name} is {fall.depth:.1f} dB down there",))
    kept = _last_before(checkpoints, fall)
    if _is_fog(checkpoints, schedule, fall, faint, faint_opacity):
        return None
    return Finding(
        f"{quality.name} fell from {fall.before[1]:.2f} dB at iteration {fall.before[0]:,} to {fall.after[1]:.2f} dB at "
        f"{fall.after[0]:,} and never came back: its best since then is {fall.best_after:.2f} dB",
        evidence=(
            EvidenceRow("fall that was not made good", fall.depth, fall_db, "dB", fall.after[0], quality.source),
            EvidenceRow("values since", fall.later, CALM_AFTER, "count", int(quality.iterations[-1]), quality.source),
            *(() if kept is None else (EvidenceRow("last save before the fall", kept.iteration, None, "iteration",
                                                   kept.iteration, file_of(kept)),)),
        ),
        iterations=(fall.before[0], fall.after[0]), confidence=0.9,
        facts={"before": fall.before[0], "after": fall.after[0], "psnr": f"{fall.before[1]:.2f}",
               "depth": f"{fall.depth:.1f}", "save": None if kept is None else kept.iteration},
    )


def _confirmed(quality: Series, fall: Fall, schedule: Schedule | None) -> int:
    """Finite values after the fall that no reset excuses."""
    later = quality.between(fall.after[0], int(quality.iterations[-1]))
    calm = later if schedule is None else schedule.outside_resets(later)
    return int(np.isfinite(calm.values).sum())


def _last_before(checkpoints: tuple[Checkpoint, ...] | None, fall: Fall) -> Checkpoint | None:
    return next((c for c in reversed(checkpoints or ()) if c.iteration <= fall.before[0]), None)


def _is_fog(
    checkpoints: tuple[Checkpoint, ...] | None, schedule: Schedule | None, fall: Fall, faint: float, opacity: float,
) -> bool:
    """Whether it fell at a reset and the Gaussians stayed faint: that is what the pattern of missing recoveries tells."""
    resets = () if schedule is None else schedule.resets
    if not any(fall.before[0] <= reset <= fall.after[0] for reset in resets):
        return False
    later = next((c for c in reversed(checkpoints or ()) if c.iteration > fall.after[0]), None)
    return later is not None and share(later.gaussians.opacities <= opacity) >= faint


@detects("loss-oscillates")
def loss_oscillates(
    schedule: Schedule, view_losses: Mapping[str, Series] | None = None, train_psnr: Series | None = None,
    *, jump: float = 0.08, jump_db: float = 1.0, evaluations: int = 6,
) -> Finding | NotEvaluable | None:
    """After densification the loss of one and the same view jumps from visit to visit, or evaluations of fixed views do.

    One iteration shows one view, so that the logged loss jumps from view to view in every run.
    """
    first = schedule.planned_end
    if first is None:
        return NotEvaluable(("when densification is meant to end (setting densify_until_iter)",))
    if view_losses is not None and (found := _jumps_of_views(view_losses, schedule, first)) is not None:
        return _oscillates_by_view(view_losses, *found, first, jump)
    settled = None if train_psnr is None else _settled(train_psnr, schedule, first)
    if settled is None or len(settled) < evaluations:
        return NotEvaluable((f"{VIEW_LOSSES}, or {evaluations} evaluations of train/psnr after densification",))
    size = float(np.median(jumps(settled.values)))
    if not size > jump_db:
        return None
    return Finding(
        f"Evaluations of the same training views jump by {size:.1f} dB from one to the next after iteration {first:,}, where "
        "nothing is added, removed or reset any more",
        evidence=(EvidenceRow("median distance of an evaluation from the middle of its neighbours", size, jump_db, "dB",
                              int(settled.iterations[-1]), settled.source),),
        iterations=(int(settled.iterations[0]), int(settled.iterations[-1])), confidence=0.7,
    )


def _settled(series: Series, schedule: Schedule, first: int) -> Series:
    """Finite values after `first`, outside the dips of resets."""
    calm = schedule.outside_resets(series.between(first + 1, int(series.iterations[-1])) if len(series) else series)
    known = np.isfinite(calm.values)
    return Series(series.name, calm.iterations[known], calm.values[known], series.unit, series.source)


def _jumps_of_views(losses: Mapping[str, Series], schedule: Schedule, first: int) -> tuple[float, int] | None:
    """Median over views of their median jump, of the loss's logarithm; None where too few views are seen often enough."""
    sizes = []
    for series in losses.values():
        values = _settled(series, schedule, first).values
        logs = np.log(values[values > 0])
        if len(logs) >= FEWEST_VISITS:
            sizes.append(float(np.median(jumps(logs))))
    return (float(np.median(sizes)), len(sizes)) if len(sizes) >= max(1, HALF * len(losses)) else None


def _oscillates_by_view(losses: Mapping[str, Series], size: float, views: int, first: int, limit: float) -> Finding | None:
    if not size > limit:
        return None
    last = max(int(series.iterations[-1]) for series in losses.values())
    source = next(iter(losses.values())).source
    return Finding(
        f"The loss of one and the same view jumps by {percent(size)} from visit to visit after iteration {first:,}, where "
        f"nothing is added or removed any more (median over {views:,} views)",
        evidence=(EvidenceRow("median jump of a view's loss between its visits", size, limit, "share", last, source),),
        iterations=(first, last), confidence=0.75,
    )


@detects("densifies-at-every-iteration")
def densifies_always(
    counts_iterations: bool, grown: tuple[Series, ...] | None = None, count_series: Series | None = None,  # noqa: ARG001
    *, every: float = 1.5, events: int = 50,
) -> Finding | NotEvaluable | None:
    """Gaussians are born at nearly each iteration for a while: the statistic never gathers what it averages."""
    born = _births(grown, count_series)
    if born is None:
        return NotEvaluable(("the count of Gaussians at single iterations (series num_gaussians or densify/cloned)",))
    if len(born) <= events:
        return None
    gaps = np.median(np.lib.stride_tricks.sliding_window_view(np.diff(born), events), axis=1)
    densest = int(np.argmin(gaps))
    if not gaps[densest] <= every:
        return None
    first, last = int(born[densest]), int(born[densest + events])
    source = grown[0].source if grown else count_series.source if count_series is not None else ""
    return Finding(
        f"Gaussians were born {events + 1} times between iteration {first:,} and {last:,}, every {gaps[densest]:.0f} iterations; "
        f"{len(born):,} times in all",
        evidence=(
            EvidenceRow("iterations between births, median", float(gaps[densest]), every, "iterations", first, source),
            EvidenceRow("iterations with births", len(born), events, "count", int(born[-1]), source),
        ),
        iterations=(int(born[0]), int(born[-1])), confidence=0.85, facts={"every": f"{gaps[densest]:.0f}"},
    )


def _births(grown: tuple[Series, ...] | None, counts: Series | None) -> I64 | None:
    """Iterations at which Gaussians were born, as logged, else where the count rose from one iteration to the very next."""
    if grown is not None:
        return np.unique(np.concatenate([series.iterations[series.values > 0] for series in grown]))
    if counts is None or len(counts) < 2:
        return None
    steps: F64 = np.diff(counts.values)
    dense = np.diff(counts.iterations) == 1
    return counts.iterations[1:][dense & (steps > 0)] if dense.mean() > HALF else None

"""Faults of convergence: what the curves of quality do in the end."""

from dataclasses import replace

import numpy as np

from diagnostics.facts import alike, courses, habits  # noqa: F401  (the facts named below)
from diagnostics.measures.courses import VIEWS, is_smoothed, one_way_fall
from diagnostics.measures.curves import best, last_finite, until
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.cameras import Camera
from runs.series import Series

FEWEST = 3  # evaluations: a best, and two that show a decline


@detects("test-falls-while-train-rises")
def falling_test(
    test_psnr: Series, train_psnr: Series, views_as_stored: bool, schedule: Schedule | None = None,  # noqa: ARG001
    *, fall_db: float = 0.3, rise_db: float = 0.5,
) -> Finding | NotEvaluable | None:
    """Held-out views got worse after their best while training views got better: over-fitting. A gap alone is normal."""
    end = last_finite(test_psnr if schedule is None else schedule.outside_resets(test_psnr))
    peak = None if end is None else best(until(test_psnr, end[0]))
    if len(test_psnr) < 2 or peak is None or end is None:
        return NotEvaluable(("two evaluations of test/psnr, the last outside the dip after an opacity reset",))
    train_then, train_end = train_psnr.at(peak[0]), train_psnr.at(end[0])
    if train_then is None or train_end is None:
        return NotEvaluable((f"train/psnr at the iterations {peak[0]:,} and {end[0]:,} of test/psnr",))
    fall, rise = peak[1] - end[1], train_end - train_then
    if not (fall > fall_db and rise > rise_db):
        return None
    if schedule is not None and _climbs_out_of_a_dip(test_psnr, end, schedule, fall_db):
        return NotEvaluable((f"an evaluation of test/psnr after {end[0]:,}: it still climbs out of the dip after a reset",))
    return Finding(
        f"Test PSNR fell from {peak[1]:.2f} dB at iteration {peak[0]:,} to {end[1]:.2f} dB at {end[0]:,}, "
        f"while training views rose from {train_then:.2f} to {train_end:.2f} dB",
        evidence=(
            EvidenceRow("fall of test PSNR since its best", fall, fall_db, "dB", end[0], test_psnr.source),
            EvidenceRow("rise of train PSNR in that time", rise, rise_db, "dB", end[0], train_psnr.source),
            EvidenceRow("gap between train and test at the end", train_end - end[1], None, "dB", end[0], test_psnr.source),
        ),
        iterations=(peak[0], end[0]), confidence=0.9,
        facts={"best_iteration": peak[0], "best_psnr": peak[1], "end_psnr": end[1]},
    )


def _climbs_out_of_a_dip(test_psnr: Series, end: tuple[int, float], schedule: Schedule, step_db: float) -> bool:
    """The evaluation before the end lies in a reset's dip and clearly below the end: how far it climbs is not known yet."""
    before = last_finite(until(test_psnr, end[0] - 1))
    return before is not None and schedule.is_muted(before[0]) and end[1] - before[1] > step_db


@detects("sparse-views")
def sparse_views(
    test_psnr: Series, train_psnr: Series, train_cameras: tuple[Camera, ...], views_as_stored: bool,  # noqa: ARG001
    schedule: Schedule | None = None, *, views: int = 9, gap_db: float = 5.0,
) -> Finding | NotEvaluable | None:
    """So few training views that they are learned by heart: held-out ones stay far below, whether or not they fall."""
    if len(train_cameras) > views:
        return None
    end = last_finite(test_psnr if schedule is None else schedule.outside_resets(test_psnr))
    train_end = None if end is None else train_psnr.at(end[0])
    if end is None or train_end is None:
        return NotEvaluable(("test/psnr and train/psnr at one iteration, outside the dip after an opacity reset",))
    gap = train_end - end[1]
    if not gap > gap_db:
        return None
    count = len(train_cameras)
    return Finding(
        f"{count} training {'view' if count == 1 else 'views'}, and held-out views stay {gap:.1f} dB below them "
        f"({end[1]:.2f} against {train_end:.2f} dB at iteration {end[0]:,})",
        evidence=(
            EvidenceRow("training views", count, views),
            EvidenceRow("gap between train and test PSNR", gap, gap_db, "dB", end[0], test_psnr.source),
            EvidenceRow("test PSNR", end[1], None, "dB", end[0], test_psnr.source),
        ),
        cameras=tuple(camera.name for camera in train_cameras), confidence=0.85,
        facts={"views": count, "gap": f"{gap:.1f}"},
    )


@detects("late-degradation")
def late_degradation(
    counts_iterations: bool, test_psnr: Series | None = None, training_courses: tuple[Series, ...] | None = None,  # noqa: ARG001
    schedule: Schedule | None = None, *, fall_db: float = 0.5, rise_db: float = 0.5, sudden_db: float = 2.0, late: float = 0.33,
) -> Finding | NotEvaluable | None:
    """Quality passed a late best and declined slowly, on training views too where they are told.

    What falls within one interval is a collapse, and a test that falls while training views gain is over-fitting.
    """
    test, train = (_calm(one, schedule) for one in (test_psnr, (training_courses or (None,))[0]))
    series = train if test is None else test
    if series is None:
        return NotEvaluable((f"{FEWEST} evaluations of test/psnr or train/psnr outside the dips after opacity resets",))
    peak, end = _finite_best(series), (int(series.iterations[-1]), float(series.values[-1]))
    change = None if train is None else _level(train, end[0]) - _level(train, peak[0])
    if peak[1] - end[1] <= fall_db or peak[0] < late * end[0] or _is_sudden(series, sudden_db):
        return None
    if change is not None and change > rise_db:
        return None
    if series.values[-2] > peak[1] - fall_db / 2:
        return NotEvaluable((f"an evaluation after iteration {end[0]:,}: one low value at the end is no decline yet",))
    told = ("; training views are not logged, so over-fitting would look the same" if change is None
            else f", training views with it ({change:+.2f} dB)" if test is not None else "")
    return Finding(
        f"{series.name} passed its best of {peak[1]:.2f} dB at iteration {peak[0]:,} and declined to {end[1]:.2f} dB at "
        f"{end[0]:,}{told}",
        evidence=(
            EvidenceRow(f"decline of {series.name} since its best", peak[1] - end[1], fall_db, "dB", end[0], series.source),
            EvidenceRow("change of training views in that time", change, rise_db, "dB", end[0], train.source if train else ""),
        ),
        iterations=(peak[0], end[0]), confidence=0.5 if change is None else 0.8,
        facts={"best_iteration": peak[0], "best_psnr": f"{peak[1]:.2f}", "end_psnr": f"{end[1]:.2f}"},
    )


def _calm(series: Series | None, schedule: Schedule | None) -> Series | None:
    """Finite values that no reset excuses; None where they are too few to show a decline."""
    if series is None:
        return None
    calm = series if schedule is None else schedule.outside_resets(series)
    known = np.isfinite(calm.values)
    return replace(calm, iterations=calm.iterations[known], values=calm.values[known]) if known.sum() >= FEWEST else None


def _finite_best(series: Series) -> tuple[int, float]:
    place = int(np.argmax(series.values))
    return int(series.iterations[place]), float(series.values[place])


def _level(series: Series, iteration: int) -> float:
    """The value at or before an iteration; the first one where there is none."""
    return float(series.values[max(0, int(np.searchsorted(series.iterations, iteration, side="right")) - 1)])


def _is_sudden(series: Series, step_db: float) -> bool:
    fall = one_way_fall(series, VIEWS if is_smoothed(series) else 1)
    return fall is not None and fall.depth >= step_db

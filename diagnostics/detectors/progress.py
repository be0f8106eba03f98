"""Faults of progress: nothing is learned at all, or learning stops while densification should still help."""

from collections.abc import Mapping

import numpy as np

from diagnostics.facts import budget, courses, habits  # noqa: F401  (the facts named below)
from diagnostics.measures.courses import VIEWS, Trend, is_smoothed, repeats, trend
from diagnostics.measures.curves import best
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.series import Series

Scores = Mapping[str, float]
DISTINCT = 0.5  # of the views have losses of their own: more digits are logged than repeat by rounding
FEWEST_VISITS = 3  # of a view: its loss must have come out the same each time
WINDOW = "a course of the training views over the second half of densification, outside the dips after opacity resets"


@detects("nothing-learned")
def nothing_learned(
    counts_iterations: bool, train_psnr: Series | None = None, test_psnr: Series | None = None,  # noqa: ARG001
    view_losses: Mapping[str, Series] | None = None, constant_scores: Scores | None = None,
    *, gain_db: float = 0.1, blank_db: float = 12.0, above_constant_db: float = 0.5, same: float = 0.9,
) -> Finding | NotEvaluable | None:
    """Evaluations stay where they began, at the level of a blank picture; or the same loss at each visit to a view."""
    told = [series for series in (test_psnr, train_psnr) if series is not None and np.isfinite(series.values).sum() > 1]
    repeated = _share_repeated(view_losses)
    if not told and repeated is None:
        return NotEvaluable(("two evaluations of test/psnr or train/psnr, or the loss of each training view at three visits",))
    blank, why = (blank_db, "") if constant_scores is None else _of_constant(constant_scores, above_constant_db)
    flat = [(series, *_ends(series)) for series in told]
    level = all(most - first < gain_db and most < blank for _, first, most in flat)
    if repeated is not None and repeated >= same:
        return _repeats(view_losses or {}, repeated, same, flat)
    if not told or not level:
        return None
    series, first, most = flat[0]
    begin, end = int(series.iterations[0]), int(series.iterations[-1])
    return Finding(
        f"Nothing was learned from iteration {begin:,} to {end:,}: {series.name} is {series.values[-1]:.2f} dB, and was "
        f"{first:.2f} dB at the start{why}",
        evidence=(
            *(EvidenceRow(f"most that {one.name} gained over its first value", high - low, gain_db, "dB", int(one.iterations[-1]),
                          one.source) for one, low, high in flat),
            EvidenceRow(f"best {series.name}", most, blank, "dB", end, series.source),
            *(EvidenceRow(f"PSNR of a picture of one colour, {name}", value, None, "dB")
              for name, value in (constant_scores or {}).items()),
        ),
        iterations=(begin, end), confidence=0.9,
    )


def _ends(series: Series) -> tuple[float, float]:
    """The first finite value and the best one."""
    known = series.values[np.isfinite(series.values)]
    return float(known[0]), float(known.max())


def _of_constant(scores: Scores, above: float) -> tuple[float, str]:
    """Below which PSNR nothing but one colour is shown; its best is what a mean colour reaches."""
    name, most = max(scores.items(), key=lambda item: item[1])
    return most + above, f"; a picture of one colour ({name}) has {most:.2f} dB"


def _share_repeated(losses: Mapping[str, Series] | None) -> float | None:
    """Of the visits to views seen often enough, the share that gave the loss of the visit before; None where there are none.

    A log of two digits repeats itself in any run: views must differ from each other.
    """
    seen = [series.values for series in (losses or {}).values() if len(series) >= FEWEST_VISITS]
    if len({float(values[0]) for values in seen}) <= DISTINCT * len(seen):
        return None
    return float(np.mean([repeats(values) for values in seen]))


def _repeats(losses: Mapping[str, Series], repeated: float, limit: float, flat: list[tuple[Series, float, float]]) -> Finding:
    ends = [int(end) for series in losses.values() for end in (series.iterations[0], series.iterations[-1])]
    source = next(iter(losses.values())).source
    return Finding(
        f"Nothing was learned from iteration {min(ends):,} to {max(ends):,}: at {percent(repeated)} of the visits to "
        f"{len(losses):,} training views the loss was that of the visit before, to six digits",
        evidence=(
            EvidenceRow("visits at which a view's loss repeats", repeated, limit, "share", max(ends), source),
            *(EvidenceRow(f"most that {one.name} gained over its first value", high - low, None, "dB", int(one.iterations[-1]),
                          one.source) for one, low, high in flat),
        ),
        iterations=(min(ends), max(ends)), confidence=0.95,
    )


@detects("premature-plateau")
def premature_plateau(
    training_courses: tuple[Series, ...], schedule: Schedule, counts: Series | None = None, cap: int | None = None,
    *, gain_db: float = 0.2, loss_db: float = 0.5, events: int = 5, learned_db: float = 3.0, full: float = 0.99,
    growth: float = 0.01,
) -> Finding | NotEvaluable | None:
    """The training views gain nothing over the second half of densification, though they had learned before.

    Held-out views tell less: over-fitting holds them down. A flat end after densification is by design.
    """
    window = _second_half(schedule, training_courses)
    passed = [] if window is None else [event for event in schedule.densifications if window[0] <= event <= window[1]]
    if window is None or len(passed) < events:
        return NotEvaluable((f"a range that covers at least {events} densifications of the second half of their time",))
    found = next(((series, line) for series in training_courses if (line := _line(series, schedule, window)) is not None), None)
    if found is None:
        return NotEvaluable((WINDOW,))
    series, line = found
    most, grown = line.gain + 2 * line.error, _growth(counts, window)
    if _is_full(counts, cap, window, full) or (grown is not None and grown < growth):
        return None
    if not -loss_db < line.gain < gain_db or _learned(series, window) < learned_db:
        return None
    if most >= gain_db:
        return NotEvaluable((f"a steadier course: {series.name} gained {line.gain:.2f} ± {2 * line.error:.2f} dB there",))
    grew = "" if grown is None else f", while the count grew by {percent(grown)}"
    return Finding(
        f"Training views gained {line.gain:.2f} dB between iteration {line.first:,} and {line.last:,}, where densification still "
        f"went on ({len(passed)} times){grew}",
        evidence=(
            EvidenceRow(f"gain of {series.name}, straight line", line.gain, gain_db, "dB", line.last, series.source),
            EvidenceRow("most it can be (two standard errors)", most, gain_db, "dB", line.last, series.source),
            EvidenceRow("densifications in that time", len(passed), events, "count", passed[-1], schedule.source),
            EvidenceRow("growth of the count in that time", grown, growth, "share", line.last, counts.source if counts else ""),
        ),
        iterations=(line.first, line.last), confidence=0.7,
    )


def _second_half(schedule: Schedule, series: tuple[Series, ...]) -> tuple[int, int] | None:
    """Iterations of the later half of densification; None where it is not known, or was not trained."""
    start, end = schedule.densify_from, schedule.planned_end
    last = max(int(one.iterations[-1]) for one in series)
    if start is None or end is None or last < end or start >= end:
        return None
    return (start + end) // 2, end


def _line(series: Series, schedule: Schedule, window: tuple[int, int]) -> Trend | None:
    """None where too little of the window is told to draw a line through it."""
    calm = schedule.outside_resets(series).between(*window)
    return trend(calm, VIEWS if is_smoothed(series) else 1)


def _learned(series: Series, window: tuple[int, int]) -> float:
    """dB from the first value to the best one before the window ends."""
    top = best(series.between(int(series.iterations[0]), window[1]))
    known = series.values[np.isfinite(series.values)]
    return top[1] - float(known[0]) if top is not None else 0.0


def _is_full(counts: Series | None, cap: int | None, window: tuple[int, int], full: float) -> bool:
    """At a cap there is no room to grow: a plateau is then what was asked for."""
    inside = None if counts is None else counts.between(*window)
    return inside is not None and cap is not None and len(inside) > 0 and float(inside.values[0]) >= full * cap


def _growth(counts: Series | None, window: tuple[int, int]) -> float | None:
    inside = None if counts is None else counts.between(*window)
    if inside is None or len(inside) < 2 or not inside.values[0] > 0:
        return None
    return float(inside.values[-1] / inside.values[0] - 1)

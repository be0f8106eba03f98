"""Faults of evaluation and of single views: scores that the model does not have, and views that learn less than the others."""

from collections.abc import Mapping

import numpy as np

from diagnostics.facts import courses, evaluations, logged  # noqa: F401  (the facts named below)
from diagnostics.facts.courses import VIEW_LOSSES
from diagnostics.facts.evaluations import Rescored
from diagnostics.facts.photos import PHOTOS
from diagnostics.measures.courses import VIEWS, is_smoothed
from diagnostics.measures.views import Standing, dips, standings
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.series import Series

EXACT_DB = 0.5  # drawn again, a score comes out to a hundredth; held-out views are at most eight of those that were scored
FEWEST_EVALUATIONS = 5  # of which some dip and some do not
FEWEST_VIEWS, FEWEST_VISITS = 8, 6


@detects("evaluation-artefact")
def evaluation_artefact(
    test_psnr: Series, training_courses: tuple[Series, ...] | None = None, evaluated_views: Series | None = None,
    rescored: Rescored | None = None, counts: Series | None = None, schedule: Schedule | None = None,
    *, dip_db: float = 1.0, echo: float = 0.3, off_db: float = 3.0, agrees_db: float = 1.5, loss: float = 0.01,
) -> Finding | NotEvaluable | None:
    """Scores of held-out views that the model does not have: dips that nothing else shows, at one cadence; or another figure
    than the saved Gaussians give."""
    if rescored is not None and (finding := _other_score(rescored, off_db, agrees_db)) is not None:
        return finding
    if len(test_psnr) < FEWEST_EVALUATIONS:
        return None if rescored is not None else NotEvaluable(
            (f"{FEWEST_EVALUATIONS} evaluations of test/psnr, or {PHOTOS} to draw a saved one again",))
    low = _at_one_cadence(test_psnr, dip_db, schedule)
    if not low or (counts is not None and _loses_gaussians(counts, test_psnr, low, loss)):
        return None
    course = next((series for series in training_courses or () if _echo(series, test_psnr, low[0]) is not None), None)
    if course is None:
        return NotEvaluable(("a course of the training views' quality around the dips of test/psnr",))
    answers = [_echo(course, test_psnr, at) or 0.0 for at in low]
    depths = [_depth(test_psnr, at) for at in low]
    if np.median(answers) > echo * np.median(depths):
        return None
    return _dips_alone(test_psnr, low, depths, answers, course, evaluated_views, (dip_db, echo))


def _other_score(found: Rescored, off_db: float, agrees_db: float) -> Finding | None:
    """Training views come out as logged, so that drawing is not the question; held-out ones are far better than logged."""
    test, train = found.test, found.train
    if train is None or abs(train.off_db) > agrees_db or not test.off_db > off_db:
        return None
    swapped = abs(test.swapped_db - test.logged_db) < EXACT_DB
    why = ", and comes out so against photos whose red and blue are exchanged" if swapped else ""
    return Finding(
        f"The log says {test.logged_db:.2f} dB of the held-out views at iteration {found.iteration:,}{why}; the saved Gaussians "
        f"have {test.drawn_db:.2f} dB, and on training views just what is logged ({train.drawn_db:.2f} dB)",
        evidence=(
            EvidenceRow("held-out views, drawn again − logged", test.off_db, off_db, "dB", found.iteration, test.source),
            EvidenceRow("training views, drawn again − logged", train.off_db, agrees_db, "dB", found.iteration, train.source),
            EvidenceRow("held-out views with red and blue exchanged", test.swapped_db, None, "dB", found.iteration, test.source),
            EvidenceRow("held-out views drawn", test.views, None, "count", found.iteration),
        ),
        iterations=(found.iteration, found.iteration), confidence=0.9,
    )


def _at_one_cadence(series: Series, dip_db: float, schedule: Schedule | None) -> list[int]:
    """Iterations of all dips, where they are just the multiples of one interval that were evaluated; else none."""
    inner = [int(at) for at in series.iterations[1:-1] if schedule is None or not schedule.is_muted(int(at))]
    low = [at for at in dips(series, dip_db) if at in inner]
    if len(low) < 2:
        return []
    cadence = int(np.gcd.reduce(low))
    due = [at for at in inner if at % cadence == 0]
    return low if cadence > 1 and due == low and len(inner) > len(low) else []


def _depth(series: Series, at: int) -> float:
    """dB below the line between the neighbours."""
    place = int(np.searchsorted(series.iterations, at))
    return float((series.values[place - 1] + series.values[place + 1]) / 2 - series.values[place])


def _echo(course: Series, series: Series, at: int) -> float | None:
    """dB by which the training views fall at a dip, against the middle of the neighbouring evaluations; None where not told."""
    place = int(np.searchsorted(series.iterations, at))
    when = [int(series.iterations[place + step]) for step in (-1, 0, 1)]
    if is_smoothed(course):
        when = [iteration + VIEWS // 2 for iteration in when]  # a running median looks back
    levels = [_level(course, iteration, when[2] - when[0]) for iteration in when]
    known = [level for level in levels if level is not None]
    return None if len(known) < 3 else (known[0] + known[2]) / 2 - known[1]


def _level(course: Series, iteration: int, within: int) -> float | None:
    """The value at or before an iteration, but not older than half of `within`."""
    place = int(np.searchsorted(course.iterations, iteration, side="right")) - 1
    if place < 0 or iteration - course.iterations[place] > within / 2 or not np.isfinite(course.values[place]):
        return None
    return float(course.values[place])


def _loses_gaussians(counts: Series, series: Series, low: list[int], loss: float) -> bool:
    """Whether the count falls into most of the dips: then they are the model's."""
    falls = 0
    for at in low:
        place = int(np.searchsorted(series.iterations, at))
        around = [_level(counts, int(series.iterations[place + step]), int(at)) for step in (-1, 0)]
        falls += bool(around[0] and around[1] is not None and around[1] < (1 - loss) * around[0])
    return falls > len(low) / 2


def _dips_alone(
    series: Series, low: list[int], depths: list[float], answers: list[float], course: Series, views: Series | None,
    limits: tuple[float, float],
) -> Finding:
    cadence = int(np.gcd.reduce(low))
    return Finding(
        f"{series.name} dips by {np.median(depths):.1f} dB at every multiple of {cadence:,} iterations ({len(low)} times) and "
        f"nowhere else, while training views go on ({-np.median(answers):+.2f} dB): the measurement dips, not the "
        f"training{_other_views(series, low, views)}",
        evidence=(
            EvidenceRow(f"median dip of {series.name}", float(np.median(depths)), limits[0], "dB", low[0], series.source),
            EvidenceRow("dip of training views / dip of held-out views", float(np.median(answers) / np.median(depths)), limits[1],
                        "share", low[0], course.source),
            EvidenceRow("dips, all at one interval", len(low), 2, "count", low[-1], series.source),
        ),
        iterations=(low[0], low[-1]), confidence=0.85, facts={"cadence": cadence},
    )


def _other_views(series: Series, low: list[int], views: Series | None) -> str:
    """How many views the dips are of, where that differs from the other evaluations."""
    told = {} if views is None else {int(i): views.at(int(i)) for i in series.iterations}
    dipping = {told.get(at) for at in low} - {None}
    cadence = int(np.gcd.reduce(low))
    others = {count for at, count in told.items() if at % cadence} - {None}
    if len(dipping) != 1 or len(others) != 1 or dipping == others:
        return ""
    return f"; those evaluations are of {dipping.pop():.0f} views, the others of {others.pop():.0f}"


@detects("views-converge-unequally")
def converge_unequally(
    view_losses: Mapping[str, Series], schedule: Schedule | None = None,
    *, ratio: float = 3.0, progress: float = 2.0, spread: float = 5.0, most: float = 0.25,
) -> Finding | NotEvaluable | None:
    """A few views keep a loss several times the median's, and have not come down as the others have.

    A loss that is high from the beginning and falls as the others do is only a harder picture.
    """
    found = standings({name: series if schedule is None else schedule.outside_resets(series)
                       for name, series in view_losses.items()}, FEWEST_VISITS)
    if len(found) < FEWEST_VIEWS:
        return NotEvaluable((f"{VIEW_LOSSES}, of at least {FEWEST_VIEWS} views with {FEWEST_VISITS} visits",))
    behind = sorted((one for one in found if one.level > ratio and one.lag > progress and one.spreads > spread),
                    key=lambda one: -one.level)
    if not behind or len(behind) > most * len(found):
        return None
    return _behind(behind, len(found), next(iter(view_losses.values())), (ratio, progress, spread, most))


def _behind(behind: list[Standing], of: int, series: Series, limits: tuple[float, ...]) -> Finding:
    worst = behind[0]
    views = "one view" if len(behind) == 1 else f"{len(behind)} views"
    ends = (min(one.first for one in behind), max(one.last for one in behind))
    return Finding(
        f"{views} of {of} learned less than the others: the loss of {worst.name} ends at {worst.level:.1f} times that of the "
        f"median view, after falling to {percent(worst.left)} of its start where the median view fell to "
        f"{percent(worst.left / worst.lag)}",
        evidence=(
            EvidenceRow("loss of the worst view / of the median view", worst.level, limits[0], "", worst.last, series.source),
            EvidenceRow("its loss / its first loss, over the median view's", worst.lag, limits[1], "", worst.last, series.source),
            EvidenceRow("its distance from the median view, in robust deviations", worst.spreads, limits[2], "", worst.last,
                        series.source),
            EvidenceRow("such views / views", len(behind) / of, limits[3], "share", worst.last, series.source),
        ),
        iterations=ends, cameras=tuple(one.name for one in behind), confidence=0.75, facts={"count": len(behind)},
    )

"""When did it start: the Gaussians of each finding are traced to the saves between which they were born."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from diagnostics.birth_words import Interval, interval, meaning, sentence
from diagnostics.diagnosis import Began, Births, Reported
from diagnostics.schedule import Schedule, schedule_of
from diagnostics.timing import timing
from diagnostics.verdict import GaussianPlace, NotEvaluable
from runs.arrays import F64, I32, I64
from runs.checkpoints import Checkpoint
from runs.lineage.born import NOT_KNOWN, Born, born
from runs.run import Run
from runs.strategy import keeps_order, moves_the_dead

# Rows of all saves together, beyond which saves between are left out: some six seconds. A recorded lineage costs less.
MOST_ROWS = 8_000_000
MOST_UNKNOWN = 0.5  # share of a finding's Gaussians that could not be followed, beyond which nothing is told of the others


def with_onsets(
    run: Run, findings: Sequence[Reported], span: tuple[int, int], beat: Callable[[], None],
) -> tuple[Reported, ...]:
    """Each finding with the events around it; where it points at Gaussians, with when they were born, or why that is not known.

    One walk through the saves serves all findings.
    """
    wanted = {found.finding.gaussians.iteration for found in findings if found.finding.gaussians is not None}
    why = _not_followed(run, wanted)
    known = {} if why or not wanted else born(run, affordable(_saves(run, max(wanted)), wanted), wanted, beat)
    schedule = schedule_of(run)
    told = []
    for found in findings:
        place = found.finding.gaussians
        began = None if place is None else why or _began(place, known.get(place.iteration), run, schedule)
        told.append(replace(found, began=began, timing=timing(found, span, schedule)))
    return tuple(told)


def _not_followed(run: Run, wanted: set[int]) -> NotEvaluable | None:
    """Why no Gaussian of this run can be followed."""
    saves = _saves(run, max(wanted, default=0))
    if any(save.shards is not None for save in saves):
        return NotEvaluable(("saves of one process (several each saved a part, so newborns do not come last)",))
    if not all(save.keeps_rows for save in saves):
        return NotEvaluable(("saves that keep the trainer's order of rows",))
    if not keeps_order(run) and not (run.path / "lineage").is_dir():
        return NotEvaluable((f"a trainer that is known to keep the order of rows ({run.trainer.name} is not), or its record",))
    return None


def _saves(run: Run, last: int) -> list[Checkpoint]:
    return [save for save in run.checkpoints if save.holds == "splats" and save.count > 0 and save.iteration <= last]


def affordable(saves: Sequence[Checkpoint], wanted: set[int]) -> list[Checkpoint]:
    """The first save, those that are wanted, and as many others, evenly spread, as hold `MOST_ROWS` together."""
    needed = [save for save in saves if save is saves[0] or save.iteration in wanted]
    others = [save for save in saves if save not in needed]
    left = MOST_ROWS - sum(save.count for save in needed)
    fit = min(len(others), max(0, left) // max((save.count for save in others), default=1))
    chosen = [others[round(place)] for place in np.linspace(0, len(others) - 1, fit)] if fit else []
    return sorted((*needed, *chosen), key=lambda save: save.iteration)


def _began(place: GaussianPlace, known: Born | None, run: Run, schedule: Schedule | None) -> Began | NotEvaluable:
    if known is None or len(known.when) != place.of:
        return NotEvaluable(("the save whose rows these are",))
    moved = moves_the_dead(run)
    intervals = [interval(known.saves, index, schedule, moves=moved) for index in range(len(known.saves))]
    if len(intervals) < 2 and intervals[0].phase != "start":
        return NotEvaluable(("an earlier save whose rows can be followed to this one",))
    if not place.count:
        return NotEvaluable(("Gaussians to trace",))
    when = known.when[place.rows]
    unknown = int((when == NOT_KNOWN).sum())
    if unknown > MOST_UNKNOWN * len(when):
        lost = f"{unknown:,} of these {len(when):,} were not recognised in the save before"
        return NotEvaluable((f"rows that can be followed ({lost})",))
    counts = np.bincount(when[when >= 0], minlength=len(intervals))
    births = tuple(_births(intervals, counts))
    return Began(
        place.iteration, births, unknown, float(known.confidence[place.rows][when >= 0].mean()), ", ".join(known.sources),
        sentence(births, len(when), unknown), *meaning(intervals, _shares(known.when, len(intervals)), counts / len(when)))


def _births(intervals: Sequence[Interval], counts: I64) -> Iterator[Births]:
    for one, count in zip(intervals, counts, strict=True):
        if count:
            yield Births(int(count), one.first, one.last, one.says)


def _shares(when: I32, intervals: int) -> F64:
    """float64 [intervals]: of all Gaussians of the save, how large a part was born in each."""
    return np.bincount(when[when >= 0], minlength=intervals) / max(1, len(when))

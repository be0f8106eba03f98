"""A run's own phases: before the first densification, while it grows, and afterwards, with what was measured in each."""

from dataclasses import dataclass

from diagnostics.measures.courses import VIEWS, Trend, is_smoothed, smoothed, trend
from diagnostics.schedule import Schedule, schedule_of
from runs.run import Run
from runs.series import Series

# What may go wrong in each, as names of patterns.
START, GROWTH, SETTLING = "Before the first densification", "While densification goes on", "After densification ended"
RISKS = {
    START: ("wrong-camera-poses", "initial-scale-too-large", "nothing-learned"),
    GROWTH: ("densification-never-triggers", "densification-runs-away", "opacity-reset-regression", "premature-plateau"),
    SETTLING: ("grows-after-densification-ended", "test-falls-while-train-rises", "late-degradation"),
}


@dataclass(frozen=True)
class Change:
    """How one series went through a phase."""

    name: str
    unit: str
    begin: float  # its first and last finite value there, outside the dips of resets
    end: float
    trend: Trend | None  # None where it has fewer than three values there
    source: str


@dataclass(frozen=True)
class Phase:
    """A part of a training, by the trainer's own schedule."""

    name: str
    first: int
    last: int
    changes: tuple[Change, ...]  # none where nothing is logged there
    densifications: int
    resets: int
    risks: tuple[str, ...]


def phases_of(run: Run, span: tuple[int, int]) -> tuple[Phase, ...]:
    """Within the range (first, last iteration); () where neither log nor settings tell when it densifies.

    No course is expected of a phase: scenes end 10 dB apart. A run without densification is one phase, its start.
    """
    schedule = schedule_of(run)
    if schedule is None:
        return ()
    inside = [event for event in schedule.densifications if span[0] <= event <= span[1]]
    if not inside:
        return (_phase(START, span, run, schedule),)
    end = max(inside[-1], min(schedule.planned_end or inside[-1], span[1]))
    parts = ((START, (span[0], inside[0])), (GROWTH, (inside[0] + 1, end)), (SETTLING, (end + 1, span[1])))
    return tuple(_phase(name, part, run, schedule) for name, part in parts if part[1] > part[0])


def _phase(name: str, part: tuple[int, int], run: Run, schedule: Schedule) -> Phase:
    told = (_change(series, part, schedule) for series in _courses(run))
    return Phase(
        name, *part, tuple(change for change in told if change is not None),
        sum(part[0] <= event <= part[1] for event in schedule.densifications),
        sum(part[0] <= reset <= part[1] for reset in schedule.resets), RISKS[name],
    )


def _courses(run: Run) -> tuple[Series, ...]:
    """Evaluations, the count, and the loss as its running median in decibels."""
    whole = [run.series[name] for name in ("test/psnr", "train/psnr", "num_gaussians") if name in run.series]
    loss = run.series.get("loss/l1")
    return (*whole, *(() if loss is None or len(loss) < 2 * VIEWS else (smoothed(loss),)))


def _change(series: Series, part: tuple[int, int], schedule: Schedule) -> Change | None:
    inside = series.between(*part)
    calm = inside if series.name == "num_gaussians" else schedule.outside_resets(inside)
    known = [float(value) for value in calm.values if value - value == 0]
    if len(known) < 2:
        return None
    every = VIEWS if is_smoothed(series) and series.name != "num_gaussians" else 1
    return Change(series.name, series.unit, known[0], known[-1], trend(calm, every), series.source)

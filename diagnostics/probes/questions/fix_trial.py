"""Fix trial: one fix of one finding, tried in short trainings beside the same trainings without it."""

from collections.abc import Callable
from dataclasses import dataclass

import diagnostics.detectors  # noqa: F401  (registers every detector)
from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Reported
from diagnostics.probes.answer import Answer, Tried
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.material import source_of, start_points
from diagnostics.probes.own_settings import own_settings
from diagnostics.probes.registry import Workload, probe
from diagnostics.probes.trial_changes import Change, change_of
from diagnostics.probes.trial_outcome import Summary
from diagnostics.probes.trial_pairs import first_pair, next_pair, shot
from diagnostics.probes.trial_schedule import Shortening
from diagnostics.probes.trial_sides import Ground, Side, Sizes, ground_of, sides_of
from diagnostics.probes.trial_words import rows, says, unshown, verdict
from diagnostics.registry import DETECTORS

SEEDS = 3
LONGEST_PX, MOST_POINTS, MOST_VIEWS = 128, 10_000, 60
MOST_GAUSSIANS = 20_000
MOST_STEPS = 1_500
GAUSSIAN_STEPS = 8_000_000  # starting points × iterations of one training
SLACK = 1.1  # of the time of the pairs so far, that must be left for a next one
CHOOSE = "a finding whose fix is to be tried (choose it beside the finding, or name it with --finding)"


@dataclass(frozen=True, eq=False)
class Case:
    """What is tried."""

    reported: Reported
    change: Change


def expected(bench: Bench) -> Workload:
    """Both sides of every seed; Gaussians in the middle of their growth. Raises OutOfReach."""
    source = source_of(bench, bench.wish.longest_px or LONGEST_PX)
    points = len(start_points(bench, MOST_POINTS))
    steps, seeds = steps_of(bench, points, MOST_STEPS, GAUSSIAN_STEPS), bench.wish.seeds or SEEDS
    return Workload(2 * seeds * steps, 2 * seeds * 11 * min(8, len(source.test) or 5), min(MOST_GAUSSIANS, 3 * points),
                    source.train[0].size_px, 2.0 * (2 * seeds + 1), at_least=True)


def steps_of(bench: Bench, points: int, most: int, gaussian_steps: int) -> int:
    """Iterations of one training: all of the run's where they are few, else as many as can be afforded."""
    affordable = bench.wish.steps or min(most, gaussian_steps // max(1, points))
    return max(1, min(own_settings(bench.evidence.run).values.iterations, affordable))


@probe("fix-trial", expected)
def fix_trial(
    bench: Bench, *, seeds: int = SEEDS, longest_px: int = LONGEST_PX, most_points: int = MOST_POINTS,
    most_views: int = MOST_VIEWS, most_gaussians: int = MOST_GAUSSIANS, most_steps: int = MOST_STEPS,
    gaussian_steps: int = GAUSSIAN_STEPS, densify_interval: int = 50, reset_interval: int = 200, smaller: float = 0.5,
    least_db: float = 0.1,
) -> Answer:
    """Raises OutOfReach where the fix cannot be tried, or the short training does not show the trouble; and Cancelled."""
    case = case_of(bench)
    bench.progress(0.02, "Reading the photos")
    sizes = Sizes(bench.wish.longest_px or longest_px, most_points, most_views)
    ground = ground_of(bench, case.change, sizes)
    short = Shortening(steps_of(bench, len(ground.points), most_steps, gaussian_steps), densify_interval, reset_interval,
                       most_gaussians, ground.thinning)
    sides = sides_of(ground, case.change, short, bench.wish.seed)
    wanted = bench.wish.seeds or seeds
    summary = _pairs(bench, case, sides, wanted)
    told, helped = says(case.reported, case.change, summary), summary.helped(smaller, least_db)
    return Answer(
        f"{verdict(helped, summary, wanted, smaller, least_db)}: {told}.", rows=rows(case.reported, summary),
        shots=(shot(summary.pairs[0], sides[0]),), done=_done(ground, sides[0], summary, wanted),
        tried=(Tried(case.reported.pattern.code, case.change.label, case.change.proposed, told, helped,
                     case.reported.fixes[bench.wish.fix - 1].do),),
    )


def case_of(bench: Bench) -> Case:
    """The finding, diagnosed here anew, and what its fix changes. Raises OutOfReach."""
    pattern = next((each for each in load_catalogue().values() if each.code == bench.wish.finding), None)
    if pattern is None:
        raise OutOfReach(f"a finding with the code {bench.wish.finding}" if bench.wish.finding else CHOOSE)
    if pattern.name not in DETECTORS:
        raise OutOfReach(f"a finding that files show: {pattern.code} is decided by a probe, or by eye")
    bench.progress(0.0, f"Looking for {pattern.code} in the run")
    reported = _reported(bench, pattern)
    change = change_of(reported, bench.wish.fix, bench.evidence.run)
    if isinstance(change, str):
        raise OutOfReach(change)
    return Case(reported, change)


def _reported(bench: Bench, pattern: Pattern) -> Reported:
    def stopped() -> bool:
        bench.beat()
        return False

    diagnosis = diagnose(bench.evidence.run, bench.evidence.span, cancelled=stopped, catalogue={pattern.name: pattern})
    bench.beat()
    if not diagnosis.findings:
        open_ = "; ".join(why for each in diagnosis.not_evaluable for why in each.missing)
        raise OutOfReach(f"the finding {pattern.code} in this run ({open_ or 'it is clear'})")
    return diagnosis.findings[0]


def _pairs(bench: Bench, case: Case, sides: tuple[Side, Side], wanted: int) -> Summary:
    """As many as time allows; the first may run out of it with all else. Raises OutOfReach and Cancelled."""
    engine, pattern = chosen_engine(bench.wish.engine).render, case.reported.pattern
    heard = _progress(bench, 2 * wanted)
    first = first_pair(bench, sides, pattern, engine, (heard(0), heard(1)))
    if first.pair is None:
        raise OutOfReach(unshown(case.reported, first.control))
    pairs = [first.pair]
    bench.show(shot(first.pair, sides[0]))
    for more in range(1, wanted):
        if bench.seconds_left < SLACK * bench.seconds / len(pairs):
            break
        try:
            pairs.append(next_pair(bench, sides, first.pair.seed + more, pattern, engine, (heard(2 * more), heard(2 * more + 1))))
        except OutOfReach:  # what was measured before still counts
            break
    return Summary(tuple(pairs), first.set_only, bool(sides[0].data.test))


def _progress(bench: Bench, trainings: int) -> Callable[[int], Callable[[float, str], None]]:
    """For each training its part of the whole; the start takes a twentieth."""

    def of(number: int) -> Callable[[float, str], None]:
        return lambda share, text: bench.progress(0.05 + 0.95 * (number + share) / trainings, text)

    return of


def _done(ground: Ground, control: Side, summary: Summary, wanted: int) -> dict[str, object]:
    settings = control.settings
    return {
        "iterations": f"{settings.iterations:,} of {ground.own.values.iterations:,}",
        "pairs of seeds": f"{len(summary.pairs)} of {wanted}",
        "size": " × ".join(map(str, ground.train[0].size_px)) + " px",
        "training views": f"{len(ground.train)} of {ground.all_views}",
        "measured views": f"{len(control.measured)} {'held out' if summary.held_out else 'trained'}",
        "starting points": f"{len(ground.points):,} of {ground.all_points:,}",
        "growth stopped at": f"{settings.cap_max:,} Gaussians",
        "densified every": settings.densification_interval, "opacities reset every": settings.opacity_reset_interval,
        "settings not told by the run": ", ".join(ground.own.usual) or "none",
        "settings not taken over": ", ".join(ground.own.refused) or "none",
    }



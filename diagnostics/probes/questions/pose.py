"""Pose probe: does each photo fit the model better from another place, or all of them through another lens?"""

from diagnostics.facts.matched import LEARNED
from diagnostics.probes.answer import Answer
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.material import checkpoint_of, source_of, training_data
from diagnostics.probes.pose_found import PoseLimits
from diagnostics.probes.pose_lens import STARTS, STEPS, LensTrial, lens_trial
from diagnostics.probes.pose_look import LONGEST_PX, MOST_VIEWS, PART, LensLimits, looked
from diagnostics.probes.pose_verdicts import Limits, answer
from diagnostics.probes.pose_views import DRAWS
from diagnostics.probes.registry import Workload, probe

LENS_PX, LENS_POINTS = 128, 10_000  # of the short trainings
SECONDS_PER_STEP = 0.006  # of those, measured: 2 ms for 2,000 points in 64 px, 5 ms for 5,000 in 72 x 128
SECONDS_PER_VIEW = 0.3  # of solving for its place, without drawing


def workload(bench: Bench) -> Workload:
    """Pictures of the save, and short trainings from the first points. Raises OutOfReach."""
    source = source_of(bench, bench.wish.longest_px or LONGEST_PX)
    count = min(len(source.train), MOST_VIEWS)
    points = bench.fact_or_none("start_points")
    trainings = 0 if points is None else (len(STARTS) + 2) * (bench.wish.steps or STEPS) * SECONDS_PER_STEP
    return Workload(0, count * DRAWS, checkpoint_of(bench).count, source.train[0].size_px, trainings + SECONDS_PER_VIEW * count)


@probe("pose", workload)
def pose(
    bench: Bench, *, motion_px: float = 0.5, explained: float = 0.3, certain: float = 3.0, unlearned: float = 0.65,
    serious: float = 0.3, kept_focal: float = 0.02, kept_aside: float = 0.01, halved: float = 0.5, focal: float = 0.1,
    aside: float = 0.02, gain_db: float = 1.0,
) -> Answer:
    """Moves cameras with Gaussians kept, then learns a lens with new Gaussians."""
    limits = Limits(PoseLimits(motion_px, explained, certain), LensLimits(kept_focal, kept_aside, halved), serious, focal, aside,
                    gain_db)
    found = looked(bench, limits.poses, limits.kept)
    if not found.moves.unexplained <= unlearned:
        raise OutOfReach(LEARNED)
    return answer(found, _trial(bench), bench.fact_or_none("lens"), limits)


def _trial(bench: Bench) -> LensTrial | tuple[str, ...]:
    """The short trainings, or what they lack."""
    try:
        source = source_of(bench, min(bench.wish.longest_px or LENS_PX, LENS_PX))
        data = training_data(bench, source, MOST_VIEWS, LENS_POINTS)
    except OutOfReach as reason:
        return reason.missing

    def told(part: float, text: str) -> None:
        bench.progress(PART + (1 - PART) * part, text)

    return lens_trial(data, bench.wish.seed, source.background == "white", chosen_engine(bench.wish.engine).render, told,
                      bench.wish.steps or STEPS)

"""The gradient-reach probe: which Gaussians do gradients never come to, and would truncated gradients?"""

from collections.abc import Iterator

import numpy as np

from diagnostics.probes.answer import Answer, Judged, Shot
from diagnostics.probes.bench import Bench
from diagnostics.probes.material import background_of, source_of
from diagnostics.probes.reach_measured import Light, Reach, looked, reach_of, wanting
from diagnostics.probes.reach_stand import FEWEST_POINTS, LONGEST_PX, MOST_VIEWS, Stand, most_points, stand_at
from diagnostics.probes.reach_trial import Trial, tried
from diagnostics.probes.reach_words import PATTERN, Found, Limits, finding, rows, says, verdict
from diagnostics.probes.registry import Workload, probe
from diagnostics.probes.sh_pictures import beside
from runs.points import PointCloud

STEPS, FEWEST_STEPS, SEEDS = 400, 200, 3
SPENT = 0.8  # of the time that is left
TRAININGS = 4
LATE = ("a start or a save before the first densification: later on, Gaussians that nobody sees may be by design (pruning comes "
        "afterwards, surfaces hide what lies behind them)")


def _workload(bench: Bench) -> Workload:
    """Two passes; the trial is done only where something is out of reach."""
    source = source_of(bench, bench.wish.longest_px or LONGEST_PX)
    points: PointCloud | None = bench.fact_or_none("start_points")
    views = min(len(source.train), MOST_VIEWS)
    count = FEWEST_POINTS if points is None else min(len(points), most_points(bench, source, len(points)))
    if bench.wish.iteration is not None or points is None:
        count = max(save.count for save in bench.fact("checkpoints"))
    return Workload(3 * views, views, count, source.train[0].size_px, at_least=True)


@probe("gradient-reach", _workload)
def gradient_reach(
    bench: Bench, *, lost: float = 0.02, bare: float = 0.7, called: float = 0.5, gain_db: float = 0.3,
) -> Answer:
    """Raises OutOfReach without cameras and photos, or without points and saves."""
    bench.progress(0.0, "views and Gaussians")
    stand = stand_at(bench)
    light = Light(background_of(stand.source.background), stand.settings, 0 if stand.early else stand.parameters.sh_degree)
    reach = reach_of(stand.parameters, stand.data.train, stand.source.train, light,
                     lambda share: bench.progress(0.02 + 0.2 * share, "gradients of every view"))
    limits = Limits(lost, bare, called, gain_db)
    found = Found(stand, reach, None, limits)
    if found.is_out_of_reach and stand.iteration is None:
        found = Found(stand, reach, _trial(bench, stand, reach), limits)
    missing = () if stand.early or not found.is_out_of_reach else (LATE,)
    said = finding(found) if found.is_out_of_reach and not missing else None
    return Answer(
        f"{says(found)}. {verdict(found)}", (Judged(PATTERN, said, missing),), rows(found),
        tuple(_shots(bench, stand, reach, light)), missing, stand.iteration, _done(stand, found),
    )


def _trial(bench: Bench, stand: Stand, reach: Reach) -> Trial | None:
    """Fewer steps where time is short; None where too few would be left."""
    seeds = bench.wish.seeds or SEEDS
    a_step = 2 * reach.seconds + reach.surrogate_seconds  # Gaussians grow
    affordable = int(bench.seconds_left * SPENT / (TRAININGS * seeds * max(a_step, 1e-6)))
    steps = bench.wish.steps or min(STEPS, affordable)
    if affordable < min(steps, FEWEST_STEPS):
        return None
    return tried(stand, seeds, steps, bench.beat, lambda begun, name: bench.progress(
        0.25 + 0.7 * begun / (TRAININGS * seeds), f"training {begun + 1} of {TRAININGS * seeds}: {name}"))


def _shots(bench: Bench, stand: Stand, reach: Reach, light: Light) -> Iterator[Shot]:
    """The view that the fewest Gaussians lie in: its photo, what the start shows of it, and where nothing shows."""
    view = stand.data.train[int(np.argmin(reach.by_view))]
    picture, gradient = looked(stand.parameters, view, light)
    empty = wanting(picture, gradient, view, light)
    tinted = np.where(empty[..., None], np.array([1.0, 0.0, 1.0], np.float32), picture.rgb)
    shot = Shot(f"{view.name}: photo | what is there | the same, pixels that want coverage and show no Gaussian in magenta",
                beside(view.photo, picture.rgb, tinted), view.name)
    bench.show(shot)
    yield shot


def _done(stand: Stand, found: Found) -> dict[str, object]:
    reach, width, height = found.reach, *stand.data.train[0].camera.size_px
    return {
        "views": f"{len(reach.by_view)} of {len(stand.source.train)}, evenly chosen",
        "pictures": f"{width} × {height} px",
        "Gaussians": f"{reach.reached.size:,} of {stand.stored:,}" + (
            f" points, thinned so that a pixel has as many as in the photo (at least {FEWEST_POINTS:,})"
            if stand.iteration is None else f" of iteration {stand.iteration:,}"),
        "only in views that were not drawn": f"{int(reach.unasked.sum()):,} Gaussians, not asked about",
        "background": stand.source.background + (" (assumed)" if stand.source.assumed_background else ""),
        "time of a picture with gradients": f"{1e3 * reach.seconds:.1f} ms, and {1e3 * reach.surrogate_seconds:.1f} ms for the "
                                            "surrogate",
        "trial": "none" if found.trial is None else (
            f"{found.trial.steps:,} iterations, {len(next(iter(found.trial.psnr.values())))} seeds each"),
    }

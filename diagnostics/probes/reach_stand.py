"""What the gradient-reach probe looks at: the start of the training, or one of its saves, and the views to look from."""

from dataclasses import dataclass

import numpy as np

from diagnostics.optimiser import initialise, schedule
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.material import Source, parameters_of, source_of, thinned, training_data
from diagnostics.probes.own_settings import own_settings
from render.raster.parameters import Parameters
from render.splats import prepare
from runs.arrays import I64
from runs.points import PointCloud

LONGEST_PX = 160
MOST_VIEWS = 48
FEWEST_POINTS = 2_000  # that thinning leaves
DENSEST = 1.0  # Gaussians of a save per pixel; pictures of more are drawn larger, up to …
LARGEST_PX = 1_600


@dataclass(frozen=True, eq=False)
class Stand:
    """Gaussians and views at one moment of the training."""

    parameters: Parameters  # the drawable ones
    rows: I64  # int64, theirs in the save, or of the points that were used
    stored: int  # Gaussians of the save, or points that the training started from
    iteration: int | None  # None: the start
    early: bool  # before the first densification
    data: TrainingData
    source: Source
    settings: OptimiserSettings  # the run's own


def stand_at(bench: Bench) -> Stand:
    """The start, unless the user asks for a save or there are no points; then the save. Raises OutOfReach."""
    points: PointCloud | None = bench.fact_or_none("start_points")
    settings = own_settings(bench.evidence.run, strategy="default").values
    if bench.wish.iteration is None and points is not None:
        return _start(bench, settings, points)
    if bench.wish.iteration is None:
        return _save(bench, settings, bench.fact("first_checkpoint").iteration)
    return _save(bench, settings, bench.wish.iteration)


def _start(bench: Bench, settings: OptimiserSettings, points: PointCloud) -> Stand:
    source = source_of(bench, bench.wish.longest_px or LONGEST_PX)
    if not len(points):
        raise OutOfReach("points to start from: the cloud is empty")
    used = thinned(points, most_points(bench, source, len(points)))
    data = training_data(bench, source, MOST_VIEWS, len(used))
    parameters, rows = _drawable(initialise.from_points(data, settings, schedule.generator(settings.seed, schedule.START)))
    return Stand(parameters, rows, len(points), None, True, data, source, settings)


def most_points(bench: Bench, source: Source, count: int) -> int:
    """So many that a small picture holds as many for each pixel as a large one: each becomes larger, since neighbours are
    farther away, and covers what it covered."""
    own = {camera.name: camera for camera in bench.fact("drawn_cameras")}
    small, large = source.train[0].size_px, own[source.train[0].name].size_px
    share: float = small[0] * small[1] / (large[0] * large[1])
    return max(FEWEST_POINTS, round(count * share))


def _save(bench: Bench, settings: OptimiserSettings, iteration: int) -> Stand:
    checkpoint = min(bench.fact("checkpoints"), key=lambda save: (abs(save.iteration - iteration), -save.iteration))
    source = source_of(bench, bench.wish.longest_px or _longest(checkpoint.count))
    parameters, rows = _drawable(parameters_of(checkpoint))
    data = training_data(bench, source, MOST_VIEWS, FEWEST_POINTS)
    initial = bench.fact_or_none("initial_checkpoint")
    early = initial is not None and checkpoint.iteration <= initial.iteration
    return Stand(parameters, rows, checkpoint.count, checkpoint.iteration, early, data, source, settings)


def _longest(count: int) -> int:
    """px; the dilation makes small Gaussians of a small picture cover more than they do in a large one."""
    return int(min(max(LONGEST_PX, np.sqrt(count / DENSEST / 0.67)), LARGEST_PX))


def _drawable(parameters: Parameters) -> tuple[Parameters, I64]:
    rows = prepare(parameters.gaussians()).rows
    if not len(rows):
        raise OutOfReach("Gaussians with finite values")
    return parameters.take(rows), rows

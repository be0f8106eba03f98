"""Facts about the start: the state before the first densification, and how the initial points cover the pictures."""

from collections.abc import Callable, Iterator

from diagnostics.facts import cameras, habits, logged, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.measures.coverage import Coverage, coverage_of
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from runs import quantities
from runs.arrays import F32
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.points import PointCloud

EARLIEST_ITERATIONS = 500  # a wrong start still shows: slopes of colours are back at 0.6 by then, sizes of nothing never grow
EARLY = "a checkpoint saved before the first densification (ask the trainer to save one early, e.g. at iteration 100)"


@fact(missing=EARLY)
def initial_checkpoint(
    first_checkpoint: Checkpoint, start_points: PointCloud | None = None, schedule: Schedule | None = None,
) -> Checkpoint | None:
    """The first checkpoint, if its Gaussians are still the initial ones: as many as there were points, or not yet densified."""
    if start_points is not None and first_checkpoint.count == len(start_points):
        return first_checkpoint
    events = schedule.densifications if schedule is not None else ()
    return first_checkpoint if events and first_checkpoint.iteration <= events[0] else None


@fact(missing=EARLY)
def initial_gaussians(initial_checkpoint: Checkpoint) -> Gaussians:
    """Its Gaussians: moved a little, neither cloned, split nor pruned."""
    return initial_checkpoint.gaussians


@fact(missing=EARLY)
def initial_spacing(initial_gaussians: Gaussians) -> F32:
    """float32 [N], mean distance to the three nearest initial Gaussians, world units; seconds for a million."""
    return quantities.neighbour_distance(initial_gaussians)


@fact(missing=EARLY)
def early_checkpoint(
    first_checkpoint: Checkpoint, initial_checkpoint: Checkpoint | None = None, counts_iterations: bool | None = None,
) -> Checkpoint | None:
    """The initial one, else the first of the run where it is early enough to tell how the Gaussians were made.

    0 stands where no file tells the iteration.
    """
    if initial_checkpoint is not None:
        return initial_checkpoint
    early = 0 < first_checkpoint.iteration <= EARLIEST_ITERATIONS
    return first_checkpoint if early and counts_iterations else None


@fact(missing=EARLY)
def early_spacing(early_checkpoint: Checkpoint) -> F32:
    """float32 [N], mean distance to the three nearest of its Gaussians, world units."""
    return quantities.neighbour_distance(early_checkpoint.gaussians)


@fact(missing="the points that training started from, and the cameras")
def start_coverage(start_points: PointCloud, train_cameras: tuple[Camera, ...], beat: Callable[[], None]) -> Coverage:
    """How the initial points lie in each training picture."""
    def one_by_one() -> Iterator[Camera]:
        for camera in train_cameras:
            beat()
            yield camera

    return coverage_of(start_points.xyz, one_by_one(), start_points.source)

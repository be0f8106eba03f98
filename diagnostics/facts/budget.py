"""Facts about how many Gaussians there may be: what the photos can pay for, and what the trainer was told."""

from dataclasses import dataclass

from diagnostics.facts import cameras, logged, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.registry import fact
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.points import PointCloud
from runs.series import Series
from runs.settings import Settings

# Stored numbers of one Gaussian: mean, scales, quaternion and opacity, and three colours per SH coefficient.
SHAPE_NUMBERS, COLOURS = 11, 3


@dataclass(frozen=True)
class Budget:
    """Numbers that training may choose, against numbers that it was shown."""

    unknowns: int  # of all Gaussians of the checkpoint
    measured: int  # three per pixel of the training photos
    views: int

    @property
    def per_measured(self) -> float:
        return self.unknowns / self.measured


@fact(missing="the sizes of the training photos, and a saved point cloud in the chosen range")
def budget(checkpoint: Checkpoint, train_cameras: tuple[Camera, ...]) -> Budget | None:
    """Of the last checkpoint of the range."""
    pixels = sum(camera.size_px[0] * camera.size_px[1] for camera in train_cameras)
    numbers = SHAPE_NUMBERS + COLOURS * (checkpoint.sh_degree + 1) ** 2
    return Budget(checkpoint.count * numbers, 3 * pixels, len(train_cameras)) if pixels else None


@fact(missing="a cap on the number of Gaussians (setting cap_max)")
def cap(settings: Settings) -> int | None:
    """Where the trainer was told of one."""
    told = settings.value("cap_max")
    return int(told) if isinstance(told, (int, float)) and not isinstance(told, bool) and told > 0 else None


@fact(missing="how many Gaussians training started with (series num_gaussians from the start, or the initial points)")
def start_count(start_points: PointCloud | None = None, count_series: Series | None = None) -> int | None:
    """By the log where it begins with the first iterations, else the initial points: a random start logs more than there are."""
    if count_series is not None and len(count_series) and count_series.iterations[0] <= 1:
        return int(count_series.values[0])
    return None if start_points is None else len(start_points)

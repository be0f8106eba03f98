"""Views for a continuation: photos at the size that is worked on, in the order in which the run visited them where it says so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts.photos import PHOTOS
from diagnostics.optimiser import schedule
from diagnostics.optimiser.views import TrainingData
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.material import Source, source_of, views
from render.projection import DILATION_PX2
from runs.cameras import Camera
from runs.points import PointCloud
from runs.run import Run

PIXEL_PX2 = 1 / 12  # variance of a box of one pixel
NO_POINTS = PointCloud(np.zeros((0, 3)), None, "")  # what continues needs none


@dataclass(frozen=True, eq=False)
class Shown:
    """What a continuation looks at."""

    data: TrainingData
    source: Source
    shrunk: float  # width of the pictures / width of the cameras' own, 0..1
    order: Mapping[int, int]  # iteration -> place in data.train, where the run logged it

    @property
    def dilation_px2(self) -> float:
        """What a smaller picture has to add to its covariances to look like the full one, averaged over its larger pixels."""
        return DILATION_PX2 * self.shrunk**2 + PIXEL_PX2 * (1 - self.shrunk**2)

    @property
    def view_index(self) -> Callable[[int, int, int], int]:
        """As logged, else every view once in random order before any comes again."""
        order = self.order
        return lambda iteration, count, seed: order.get(iteration, schedule.view_index(iteration, count, seed))

    @property
    def told(self) -> str:
        """The size of the pictures, in words."""
        width, height = self.data.train[0].camera.size_px
        return f"{width} x {height} px" + ("" if self.shrunk == 1 else f" ({self.shrunk:.2f} of the cameras' own)")


def shown(bench: Bench, longest_px: int, most: int, window: tuple[int, int], points: PointCloud = NO_POINTS) -> Shown:
    """At most `most` training views: those that the run visited first in the iterations of `window`, else evenly chosen.

    Raises OutOfReach where there are no photos, or where they may not be compared with pictures drawn here.
    """
    source = source_of(bench, longest_px)
    visited = visits(bench.evidence.run, *window)
    names = list(dict.fromkeys(visited.values()))[:most]
    chosen = [camera for camera in source.train if camera.name in names]
    loaded = views(bench, tuple(chosen) or source.train, source.background, most)
    if not loaded:
        raise OutOfReach(PHOTOS)
    places = {view.name: place for place, view in enumerate(loaded)}
    order = {iteration: places[name] for iteration, name in visited.items() if name in places}
    return Shown(TrainingData(loaded, (), points), source, _shrunk(bench, loaded[0].camera), order)


def visits(run: Run, first: int, last: int) -> Mapping[int, str]:
    """Iteration -> camera, for the iterations first..last that the log tells; names as cameras have them."""
    series = run.series.get("train/view")
    if series is None or not series.labels:
        return {}
    known = {camera.name for camera in run.cameras} | {_stem(camera.name) for camera in run.cameras}
    inside = series.between(first, last)
    told = {int(at): series.labels[int(value)] for at, value in zip(inside.iterations, inside.values, strict=True)}
    by_stem = {_stem(camera.name): camera.name for camera in run.cameras}
    return {at: by_stem.get(_stem(name), name) for at, name in told.items() if name in known or _stem(name) in known}


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]


def _shrunk(bench: Bench, camera: Camera) -> float:
    cameras: tuple[Camera, ...] = bench.fact("drawn_cameras")
    full = next(each for each in cameras if each.name == camera.name)
    return min(1.0, camera.size_px[0] / full.size_px[0])

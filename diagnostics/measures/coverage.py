"""How well a cloud of points covers each picture."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from diagnostics.measures.frusta import project
from runs.arrays import F64, I64, Array
from runs.cameras import Camera

CELLS = 8  # a picture is looked at in 8 × 8 cells


@dataclass(frozen=True, eq=False)
class Coverage:
    """Per picture, in the order of the cameras: how many points lie in it, and how much of it holds none."""

    names: tuple[str, ...]
    counts: I64  # int64 [C]
    empty_shares: F64  # float64 [C], 0..1, cells without a point
    points: int
    source: str

    @property
    def inside_share(self) -> float:
        """0..1, the mean share of the points that lie in a picture."""
        return float(self.counts.mean()) / self.points if self.points else 0.0


def coverage_of(points: Array, cameras: Iterable[Camera], source: str) -> Coverage:
    """Points [N, 3] in world units; occlusion is not asked."""
    names, counts, empty = [], [], []
    for camera in cameras:
        seen = project(points, camera)
        width, height = camera.size_px
        cells = (seen.y_px[seen.inside] * CELLS // height) * CELLS + seen.x_px[seen.inside] * CELLS // width
        names.append(camera.name)
        counts.append(int(seen.inside.sum()))
        empty.append(1 - len(np.unique(cells)) / CELLS**2)
    return Coverage(tuple(names), np.array(counts, np.int64), np.array(empty), len(points), source)

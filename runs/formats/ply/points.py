"""Positions shown as splats, where a file holds nothing else: of points everything but the place is filler."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.arrays import Array
from runs.formats.ply.body import locate
from runs.formats.ply.columns import SH_C0
from runs.formats.ply.header import read_header
from runs.formats.ply.splats import read_points
from runs.formats.splat_file import SplatFile, Stamp
from runs.gaussians import Gaussians

FILLER_OPACITY = 0.95
SPACING = 0.3  # of a dot, in parts of the distance that points would have if they filled the box of their middle 90 %
MOST_MEASURED = 100_000  # points that the box is measured on


def as_splats(means: Array, rgb: Array | None = None) -> Gaussians:
    """Round dots at `means` [N, 3], grey unless `rgb` uint8 [N, 3] is given, of a size that keeps them apart."""
    count = len(means)
    colours = np.full((count, 3), 0.5) if rgb is None else np.asarray(rgb) / 255
    return Gaussians.from_arrays(
        means=means, log_scales=np.full((count, 3), np.log(_dot(np.asarray(means, np.float64)))),
        quats_wxyz=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        logit_opacities=np.full(count, np.log(FILLER_OPACITY / (1 - FILLER_OPACITY))), sh0=(colours - 0.5) / SH_C0,
    )


def _dot(means: Array) -> float:
    """Standard deviation of a dot, world units."""
    known = means[:: max(1, len(means) // MOST_MEASURED)]
    known = known[np.isfinite(known).all(axis=1)]
    if not len(known):
        return 1.0
    low, high = np.percentile(known, [5, 95], axis=0)
    size = float(np.max(high - low))
    return SPACING * size / len(means) ** (1 / 3) if 0 < size < np.inf else 1.0


@dataclass(frozen=True)
class ReadPoints:
    """Reads the points of one PLY as dots; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp

    def __call__(self) -> Gaussians:
        cloud = read_points(self.path)
        return as_splats(cloud.xyz, cloud.rgb)


def look_at_points(path: Path) -> SplatFile:
    """A PLY that holds positions, whatever else. Raises UnreadableFile or RefusedFile, also for one that is not whole."""
    header = read_header(path)
    rows = locate(header, "vertex")
    return SplatFile(
        path, "PLY", rows.element.count, 0, header.stamp, ReadPoints(path, header.stamp), header.comments, holds="points",
    )

"""Facts about how the numbers of the last save were stored: as meant, in other columns, or with rows far from all others."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import saved, shapes  # noqa: F401  (checkpoint, gaussians, neighbour_distance)
from diagnostics.measures import spaces
from diagnostics.measures.shares import quantile
from diagnostics.registry import fact
from runs.arrays import F32, F64, I64
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians

FEWEST_ROWS = 100  # fewer may lie in any range by chance
ENOUGH_ROWS = 20_000
MANY = f"a saved point cloud with at least {FEWEST_ROWS} Gaussians"


@dataclass(frozen=True, eq=False)
class Stored:
    """What the columns of one save look like as they are stored."""

    iteration: int
    scales: tuple[float, float]  # lowest, median
    positive: bool  # no scale is below zero
    of_spacing: float  # median size once read as a logarithm / distance to the nearest neighbours, median
    opacities: tuple[float, float]
    alphas: bool  # opacities lie in 0..1, not on the logit's scale
    seen_as: tuple[float, float]  # the opacities that a viewer makes of them
    colours: tuple[float, float]
    colour_kind: str  # "colours of 0 to 1", "colours of 0 to 255", or ""
    largest: F64  # float64 [4], share of rows whose largest quaternion component is the first, … fourth
    length: float  # of the quaternions, median


@fact(missing=MANY)
def stored_spaces(checkpoint: Checkpoint, gaussians: Gaussians, neighbour_distance: F32) -> Stored | None:
    """Of the last save of the range, from at most 20,000 rows."""
    if checkpoint.count < FEWEST_ROWS:
        return None
    rows = slice(None, None, max(1, gaussians.count // ENOUGH_ROWS))
    scales, opacities, colours = gaussians.log_scales[rows], gaussians.logit_opacities[rows], gaussians.sh0[rows]
    kind = "colours of 0 to 1" if spaces.are_colours(colours) else "colours of 0 to 255" if spaces.are_bytes(colours) else ""
    sizes = _ends(scales)[0], quantile(scales, 0.5)
    return Stored(
        checkpoint.iteration, sizes, spaces.are_positive(scales), _of_spacing(scales, quantile(neighbour_distance, 0.5)),
        _ends(opacities), spaces.in_unit_range(opacities), _ends(gaussians.opacities[rows]), _ends(colours), kind,
        spaces.largest_component(gaussians.quats_wxyz[rows]), quantile(gaussians.quat_norms[rows], 0.5),
    )


@dataclass(frozen=True)
class QuaternionColumns:
    """Which four neighbouring columns hold what has length one in every row."""

    iteration: int
    mean_length: float  # of what is stored as the rotation
    spread: float  # standard deviation of it
    best: tuple[str, ...]  # names of the four columns whose length is most often one
    unit_share: float  # 0..1, rows in which it is


# As nearly every trainer writes them; harmonics between colour and opacity are left out.
ORDER = ("x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2",
         "rot_3")


@fact(missing=MANY)
def quaternion_columns(checkpoint: Checkpoint, gaussians: Gaussians) -> QuaternionColumns | None:
    """Of the last save of the range, over every four neighbouring columns but the rotation's own."""
    if checkpoint.count < FEWEST_ROWS:
        return None
    rows = slice(None, None, max(1, gaussians.count // ENOUGH_ROWS))
    lengths = gaussians.quat_norms[rows]
    lengths = lengths[np.isfinite(lengths)]
    table = np.concatenate([
        gaussians.means[rows], gaussians.sh0[rows], gaussians.logit_opacities[rows, None], gaussians.log_scales[rows],
        gaussians.quats_wxyz[rows]], axis=1)
    shares = [spaces.unit_share(table[:, first:first + 4]) for first in range(len(ORDER) - 4)]
    best = int(np.argmax(shares))
    return QuaternionColumns(
        checkpoint.iteration, float(np.mean(lengths)) if len(lengths) else float("nan"),
        float(np.std(lengths)) if len(lengths) else float("nan"), ORDER[best:best + 4], shares[best],
    )


@dataclass(frozen=True, eq=False)
class Reach:
    """How far the Gaussians of one save lie from its middle, world units."""

    iteration: int
    distances: F64  # float64 [N], from the middle; NaN where a position is not finite
    usual: float  # the distance within which 95 of 100 lie
    spacing: float  # median distance to the nearest neighbours
    box: tuple[tuple[float, float], ...]  # per axis, from the first to the last percentile

    def beyond(self, times: float) -> I64:
        """Rows farther away than so many times the usual distance."""
        return np.flatnonzero(self.distances > times * self.usual)


@fact(missing=MANY)
def reach(checkpoint: Checkpoint, gaussians: Gaussians, neighbour_distance: F32) -> Reach | None:
    """Of the last save of the range; the middle is the median, which outliers do not drag."""
    means = gaussians.means.astype(np.float64)
    finite = np.isfinite(means).all(axis=1)
    if finite.sum() < FEWEST_ROWS:
        return None
    known = means[finite]
    distances = np.full(len(means), np.nan)
    distances[finite] = np.linalg.norm(known - np.median(known, axis=0), axis=1)
    low, high = np.quantile(known, (0.01, 0.99), axis=0)
    box = tuple((float(a), float(b)) for a, b in zip(low, high, strict=True))
    return Reach(checkpoint.iteration, distances, quantile(distances, 0.95), quantile(neighbour_distance, 0.5), box)


def _of_spacing(scales: F32, spacing: float) -> float:
    """NaN where there is no spacing, or scales would overflow."""
    middle = quantile(scales, 0.5)
    return float(np.exp(middle)) / spacing if spacing > 0 and middle < 80 else float("nan")


def _ends(values: F32) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (float("nan"), float("nan"))

"""What the last save before an illegal memory access holds that is known to lead to one."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from diagnostics.facts import cameras, saved, taken  # noqa: F401  (train_cameras, start_points)
from diagnostics.facts.crash import LOG, Failure, final
from diagnostics.facts.photos import evenly
from diagnostics.facts.precision import spacing_of
from diagnostics.facts.saved import file_of, has_splats
from diagnostics.measures.frusta import project
from diagnostics.measures.nonfinite import find_flaws
from diagnostics.registry import fact
from diagnostics.verdict import EvidenceRow
from diagnostics.wording import percent
from runs.arrays import F32, I64
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.points import PointCloud
from runs.run import Run

BUFFER_BYTES = 2.0**31  # signed 32-bit offsets into one buffer (brush #500: 11,234,315 splats x 192 bytes)
SAMPLED_ROWS = 2.0**24  # torch.multinomial draws from no more (gsplat PR #338)
NEAR_PLANE = 0.2  # world units: the reference culls what is nearer (failures N-21)
MOST_VIEWS = 16
ENOUGH = 20_000  # rows in which views are looked through


@dataclass(frozen=True, eq=False)
class Before:
    """The last save at or before the error."""

    iteration: int
    count: int
    sh_degree: int
    source: str
    nonfinite: I64  # int64, rows with values that are not finite, or not once activated
    largest_log_scale: F32  # float32 [N], natural logarithm; NaN where it is not finite
    nearest_point: float | None  # smallest distance of a start point from a camera centre / median spacing of the points
    near_share: float | None  # pairs of Gaussian and camera before the near plane, of those in a picture

    def rows(self, large: float) -> I64:
        """Rows that are not finite or larger than exp(large) world units."""
        return np.union1d(self.nonfinite, self.oversized(large))

    def oversized(self, large: float) -> I64:
        return np.flatnonzero(self.largest_log_scale > large)

    @property
    def fullness(self) -> tuple[float, str]:
        """The part of the narrowest known limit that the count takes, and which limit that is."""
        colours = self.count * 4 * 3 * (self.sh_degree + 1) ** 2 / BUFFER_BYTES
        rows = self.count / SAMPLED_ROWS
        return max((colours, "the colours in one buffer of 2^31 bytes"), (rows, "the 2^24 rows that can be sampled"))

    def reasons(self, large: float, near: float, full: float) -> tuple[str, ...]:
        """Known pre-conditions that are met, in words."""
        part, limit = self.fullness
        oversized = self.oversized(large)
        found = (
            (len(self.nonfinite) > 0, f"{len(self.nonfinite):,} Gaussians hold values that are not finite"),
            (len(oversized) > 0, f"{len(oversized):,} Gaussians are larger than e^{large:g} world units"),
            (self.nearest_point is not None and self.nearest_point < near,
             f"a start point lies {self.nearest_point or 0:.2g} of the points' spacing from a camera centre"),
            (part > full, f"{self.count:,} Gaussians take {percent(part)} of {limit}"),
        )
        return tuple(says for met, says in found if met)

    def evidence(self, large: float, near: float, full: float) -> tuple[EvidenceRow, ...]:
        """Every pre-condition as measured, met or not."""
        part, limit = self.fullness
        at, file = self.iteration, self.source
        return (
            EvidenceRow("rows with values that are not finite, before it", len(self.nonfinite), 0, "rows", at, file),
            EvidenceRow(f"rows with a log scale over {large:g}, before it", len(self.oversized(large)), 0, "rows", at, file),
            EvidenceRow("nearest start point to a camera centre / median spacing", self.nearest_point, near, ""),
            EvidenceRow("part of " + limit, part, full, "share", at, file),
            EvidenceRow(f"pairs of Gaussian and view nearer than {NEAR_PLANE:g}", self.near_share, None, "share", at, file),
        )


@fact(missing=f"{LOG}, with an illegal memory access after a saved point cloud")
def before_access(
    run: Run, failures: tuple[Failure, ...], start_points: PointCloud | None = None,
    train_cameras: tuple[Camera, ...] | None = None,
) -> Before | None:
    """None where no such error ended the training, or nothing was saved before it."""
    failure = final(failures, frozenset({"illegal_access"}))
    at = None if failure is None else failure.event.iteration
    if at is None:
        return None
    kept = [c for c in run.checkpoints if c.iteration <= at and has_splats(c)]
    return _look_at(kept[-1], start_points, train_cameras or ()) if kept else None


def _look_at(last: Checkpoint, points: PointCloud | None, views: tuple[Camera, ...]) -> Before:
    gaussians = last.gaussians
    largest = np.where(np.isfinite(gaussians.log_scales), gaussians.log_scales, np.nan).max(axis=1)
    return Before(
        last.iteration, last.count, last.sh_degree, file_of(last), find_flaws(gaussians, last.iteration).rows,
        np.asarray(largest, np.float32), _nearest(points, views), _near_share(gaussians.means, views),
    )


def _nearest(points: PointCloud | None, views: tuple[Camera, ...]) -> float | None:
    """Every point is asked, since one is enough; the spacing is known from a sample."""
    finite = None if points is None else points.xyz[np.isfinite(points.xyz).all(axis=1)]
    if finite is None or len(finite) < 2 or not views:
        return None
    spacing = spacing_of(finite)
    distances = cKDTree(np.stack([view.centre for view in views])).query(finite)[0]
    return float(np.min(distances)) / spacing if spacing > 0 else None


def _near_share(means: F32, views: tuple[Camera, ...]) -> float | None:
    """Sampled in rows and views; None where nobody is in any picture."""
    sample = means[:: max(1, len(means) // ENOUGH)]
    depths = []
    for view in evenly(views, MOST_VIEWS):
        seen = project(sample[np.isfinite(sample).all(axis=1)], view)
        depths.append(seen.depth[seen.inside])
    known = np.concatenate(depths) if depths else np.zeros(0)
    return float(np.mean(known < NEAR_PLANE)) if len(known) else None

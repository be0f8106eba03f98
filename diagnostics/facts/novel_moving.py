"""Facts about scenes that move: what a deformation network makes of the canonical set, and the frames of a simulation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import saved  # noqa: F401  (checkpoint)
from diagnostics.facts.saved import file_of
from diagnostics.measures.alignment import fit_similarity
from diagnostics.measures.shares import quantile
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64, I64
from runs.checkpoints import Checkpoint
from runs.run import Run

MOMENTS = 5  # of the recording, first and last included
SAMPLED = 4_000  # Gaussians: a network of 256 numbers per layer moves them in half a second
FRAMES = 12  # of a simulation, evenly spaced
FEWEST = 50
MOVING = "a save whose Gaussians a network moves (Deformable-3D-Gaussians or 4DGaussians)"
SIMULATED = "two frames of a simulation (PhysGaussian)"


@dataclass(frozen=True, eq=False)
class Moments:
    """A sample of the Gaussians of one save at several moments of its recording."""

    iteration: int
    of: int
    times: tuple[float, ...]
    bad_rows: I64  # int64, rows that are finite as saved and not at one of the moments at least
    bad_at: tuple[int, ...]  # how many of the sample at each moment
    sampled: int
    amplitude: float  # largest median displacement between two moments / the distance within which 95 % lie
    rigid: float  # 0..1, how much of that displacement one motion of the whole scene explains
    source: str


@fact(missing=MOVING)
def moments(checkpoint: Checkpoint, beat: Callable[[], None]) -> Moments | NotEvaluable | None:
    """Of the last save of the range."""
    motion = checkpoint.motion
    if motion is None:
        return NotEvaluable((MOVING,))
    whole = checkpoint.gaussians
    finite = np.flatnonzero(np.isfinite(whole.means).all(axis=1) & np.isfinite(whole.log_scales).all(axis=1))
    rows = np.sort(np.random.default_rng(0).permutation(finite)[:SAMPLED])
    if len(rows) < FEWEST:
        return None
    sample, times, places, bad = whole.take(rows), np.linspace(*motion.span, MOMENTS), [], []
    for time in times:
        beat()
        there = motion.at(sample, float(time))
        places.append(there.means.astype(np.float64))
        bad.append(~(np.isfinite(there.means).all(axis=1) & np.isfinite(there.log_scales).all(axis=1)
                     & np.isfinite(there.quats_wxyz).all(axis=1)))
    amplitude, rigid = _common_motion(np.stack(places)[:, ~np.any(bad, axis=0)])
    return Moments(
        checkpoint.iteration, whole.count, tuple(map(float, times)), rows[np.any(bad, axis=0)],
        tuple(int(one.sum()) for one in bad), len(rows), amplitude, rigid, file_of(checkpoint),
    )


def _common_motion(places: F64) -> tuple[float, float]:
    """From the first moment to the one that is farthest from it; [T, n, 3]. (0, 0) where nothing can be told."""
    if places.shape[1] < FEWEST:
        return 0.0, 0.0
    first = places[0]
    size = quantile(np.linalg.norm(first - np.median(first, axis=0), axis=1), 0.95)
    moved = [quantile(np.linalg.norm(place - first, axis=1), 0.5) for place in places]
    farthest = int(np.argmax(moved))
    if not size > 0 or not moved[farthest] > 0:
        return 0.0, 0.0
    left = np.linalg.norm(fit_similarity(first, places[farthest]).apply(first) - places[farthest], axis=1)
    return moved[farthest] / size, max(0.0, 1 - quantile(left, 0.5) / moved[farthest])


@dataclass(frozen=True)
class Frame:
    """One frame of a simulation: how far its points reach, and how many are no places any more."""

    number: int
    reach: float  # the distance from the middle within which 95 % lie, world units
    bad: int
    of: int
    source: str


@fact(missing=SIMULATED)
def frames(run: Run, span: tuple[int, int], beat: Callable[[], None]) -> tuple[Frame, ...] | NotEvaluable | None:
    """At most twelve of the range, by number."""
    if run.trainer.name != "physgaussian":
        return NotEvaluable((SIMULATED,))
    within = [c for c in run.checkpoints if span[0] <= c.iteration <= span[1] and c.count]
    chosen = [within[i] for i in np.unique(np.linspace(0, len(within) - 1, min(FRAMES, len(within))).round().astype(int))]
    found = []
    for checkpoint in chosen:
        beat()
        found.append(_frame(checkpoint))
    return tuple(found) if len(found) > 1 else None


def _frame(checkpoint: Checkpoint) -> Frame:
    means = checkpoint.gaussians.means.astype(np.float64)
    known = means[np.isfinite(means).all(axis=1)]
    reach = quantile(np.linalg.norm(known - np.median(known, axis=0), axis=1), 0.95) if len(known) else float("nan")
    return Frame(checkpoint.iteration, reach, len(means) - len(known), len(means), file_of(checkpoint))

"""Facts about what other methods make of saved Gaussians: maps in pieces, compressed copies, tags that ride along."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import ndimage

from diagnostics.facts import saved, shapes  # noqa: F401  (checkpoint, checkpoints, neighbour_distance)
from diagnostics.facts.photos import evenly
from diagnostics.facts.saved import file_of
from diagnostics.measures.shares import quantile
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import prepare
from runs.arrays import F32, F64, I64
from runs.cameras import Camera, look_at
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.formats.splat_file import SplatFile
from runs.formats.splat_formats import could_be_splats
from runs.formats.splat_formats import look_at as look_at_file
from runs.gaussians import Gaussians
from runs.run import Run

SLAM = frozenset({"monogs", "splatam"})
CELLS = 64  # along the longest side of the box that holds 98 % of the map
SPARSE = 0.9  # quantile of the distance to neighbours: thin parts of one map must not fall apart
FEWEST = 500
VISIBLE = 1 / 255
LONGEST_PX, MOST_VIEWS, MOST_GAUSSIANS = 160, 4, 400_000
FORMAT_ENDINGS = (".compressed", "_sog")
TAG = re.compile(r"(?:.*_)?(?:id|ids|label|labels|tag|tags|obj|object|instance|semantic|class|part|ins_feat|obj_dc)(?:_\d+)?")
MAP = "the final map of a SLAM system (MonoGS, SplaTAM)"
PAIR = "a compressed copy beside the saved PLY, of the same name"
TAGS = "tags of objects or parts among the saved columns, in two saves"


@dataclass(frozen=True, eq=False)
class Pieces:
    """Connected parts of a map, largest first."""

    shares: tuple[float, ...]  # of the Gaussians within the box
    gap: float  # the width of the gap that parts two of them, world units
    second: I64  # int64, rows of the second part
    iteration: int
    of: int
    source: str


@fact(missing=MAP)
def pieces(run: Run, checkpoint: Checkpoint, neighbour_distance: F32) -> Pieces | NotEvaluable | None:
    """Parts that stay apart when each filled cell of a grid is grown by one cell to all sides.

    The grid has 64 cells along its longest side, or fewer: none is smaller than the distance between neighbours.
    """
    if run.trainer.name not in SLAM:
        return NotEvaluable((MAP,))
    gaussians = checkpoint.gaussians
    rows = np.flatnonzero(np.isfinite(gaussians.means).all(axis=1) & (gaussians.opacities > VISIBLE))
    if len(rows) < FEWEST:
        return None
    means = gaussians.means[rows].astype(np.float64)
    low, high = np.quantile(means, (0.01, 0.99), axis=0)
    cell = max(float((high - low).max()) / CELLS, quantile(neighbour_distance[rows], SPARSE))
    inside = ((means >= low) & (means <= high)).all(axis=1)
    if not cell > 0 or not inside.any():
        return None
    places = np.floor((means[inside] - low) / cell).astype(np.int64)
    filled = np.zeros(places.max(axis=0) + 1, bool)
    filled[tuple(places.T)] = True
    everywhere = np.ones((3, 3, 3), bool)
    labels, _ = ndimage.label(ndimage.binary_dilation(filled, everywhere), everywhere)
    part = labels[tuple(places.T)]
    counts = np.bincount(part)[1:]
    order = np.argsort(-counts)
    second = rows[inside][part == order[1] + 1] if len(counts) > 1 else np.zeros(0, np.int64)
    return Pieces(tuple(float(counts[i] / len(part)) for i in order[:5]), 3 * cell, second, checkpoint.iteration, gaussians.count,
                  file_of(checkpoint))


@dataclass(frozen=True)
class Compressed:
    """A save beside a compressed copy of it."""

    before: str
    after: str
    format: str
    counts: tuple[int, int]
    degrees: tuple[int, int]
    visible_lost: float  # visible Gaussians that the copy lacks / visible ones, 0..1
    psnr_db: float  # of views drawn of the one against views drawn of the other, mean
    views: int
    times_smaller: float
    iteration: int


@fact(missing=PAIR)
def compressed(
    checkpoint: Checkpoint, beat: Callable[[], None], train_cameras: tuple[Camera, ...] | None = None,
) -> Compressed | NotEvaluable | None:
    """The first copy, by name, that is not in the format of the save; drawn at 160 px from at most four views."""
    if not checkpoint.keeps_rows or not checkpoint.path.is_file():
        return NotEvaluable((PAIR,))
    copy = _copy_of(checkpoint.path)
    if copy is None:
        return None
    before, after = checkpoint.gaussians, copy.read()
    if max(before.count, after.count) > MOST_GAUSSIANS:
        return NotEvaluable((f"a pair of at most {MOST_GAUSSIANS:,} Gaussians (drawing more would take too long here)",))
    views = evenly(train_cameras, MOST_VIEWS) if train_cameras else _around(before)
    first, second, scores = prepare(before), prepare(after), []
    for camera in views:
        beat()
        shown = capped(camera, LONGEST_PX)
        scores.append(psnr(rasterise(second, shown).rgb, rasterise(first, shown).rgb))
    visible = [int((one.opacities > VISIBLE).sum()) for one in (before, after)]
    return Compressed(
        file_of(checkpoint), copy.path.name, copy.format, (before.count, after.count), (before.sh_degree, after.sh_degree),
        max(0.0, 1 - visible[1] / max(1, visible[0])), float(np.mean(np.minimum(scores, 100.0))), len(views),
        checkpoint.size_bytes / max(1, copy.stamp.size_bytes), checkpoint.iteration,
    )


def _copy_of(path: Path) -> SplatFile | None:
    for other in sorted(path.parent.iterdir()):
        if other == path or not other.is_file() or not could_be_splats(other) or _scene(other) != _scene(path):
            continue
        try:
            file = look_at_file(other)
        except RunError:
            continue  # noted when the folder was opened
        if not file.keeps_rows and file.holds == "splats":
            return file
    return None


def _scene(path: Path) -> str:
    stem = path.stem
    for ending in FORMAT_ENDINGS:
        stem = stem.removesuffix(ending)
    return stem


def _around(gaussians: Gaussians) -> tuple[Camera, ...]:
    """Four views from around the middle, where the run has no cameras."""
    means = gaussians.means[np.isfinite(gaussians.means).all(axis=1)].astype(np.float64)
    middle = np.median(means, axis=0)
    reach = float(np.quantile(np.linalg.norm(means - middle, axis=1), 0.9))
    sides: F64 = np.array([[1, -0.3, 0], [0, -0.3, 1], [-1, -0.3, 0], [0, -0.3, -1]], np.float64)
    return tuple(look_at(middle + 2.5 * reach * side, middle, size_px=(LONGEST_PX, LONGEST_PX)) for side in sides)


@dataclass(frozen=True, eq=False)
class Tags:
    """One kind of tag in two saves."""

    name: str
    earlier: float  # share of Gaussians without a tag (0 or not a number)
    later: float | None  # None: the later save has no such column
    counts: tuple[int, int]
    iterations: tuple[int, int]
    untagged: I64  # int64, rows of the later save
    source: str


@fact(missing=TAGS)
def tags(checkpoints: tuple[Checkpoint, ...]) -> Tags | NotEvaluable | None:
    """From the first save of the range that has tags to the last one; the tag that lost most."""
    tagged = [(c, tuple(n for n in c.gaussians.extra_names if TAG.fullmatch(n))) for c in checkpoints]
    first = next(((c, names) for c, names in tagged if names), None)
    if first is None or first[0] is checkpoints[-1]:
        return NotEvaluable((TAGS,))
    (start, names), last = first, checkpoints[-1]
    found = [_tags(name, start, last) for name in names]
    return max(found, key=lambda one: 2.0 if one.later is None else one.later - one.earlier)


def _tags(name: str, start: Checkpoint, last: Checkpoint) -> Tags:
    there = last.gaussians
    before = _untagged(start.gaussians.extra(name))
    after = _untagged(there.extra(name)) if name in there.extra_names else None
    return Tags(
        name, float(before.mean()), None if after is None else float(after.mean()), (start.count, last.count),
        (start.iteration, last.iteration), np.zeros(0, np.int64) if after is None else np.flatnonzero(after), file_of(last),
    )


def _untagged(values: F32) -> F32:
    return np.asarray((values == 0) | ~np.isfinite(values))

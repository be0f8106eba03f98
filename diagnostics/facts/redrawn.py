"""Facts from drawing training views again at full size, to hold the logged terms of the loss against."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, logged, losses, saved  # noqa: F401  (the facts named below)
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.logged import logged as series_of
from diagnostics.facts.losses import Terms
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import COLOURS, composite, over
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from render.raster.compare import ssim
from render.raster.cpu import rasterise
from render.splats import Splats, prepare
from runs.arrays import F32, F64
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.series import Series

MOST_REDRAWN = 8
LARGEST_PX = 1600  # longer side: beyond it INRIA's trainer shrinks the photos, and SSIM depends on the size
EPOCHS = 3  # passes over the training views before and after the save, within which a view's logged values are taken
# Largest value that the constants of SSIM expect, for pictures of 0..1: right, constants of 0..255, pictures of 0..255.
RANGES = (1.0, 255.0, 1 / 255)
IDENTITY = np.eye(3, 4)
CORRECTED = "a loss of uncorrected colours (this trainer corrects those of each photo, exposure.json)"


@dataclass(frozen=True)
class Redrawn:
    """Some training views: means of what the log says of them around the save, and of what the saved Gaussians give."""

    iteration: int
    cameras: tuple[str, ...]
    logged_l1: float
    logged_dissimilarity: float | None  # 1 - SSIM; None where no log tells it
    logged_total: float
    l1: float  # 0..1
    dissimilarity: tuple[float, ...]  # 1 - SSIM for each of RANGES


@fact(missing=f"{PHOTOS}, with a saved point cloud and a logged loss around its iteration")
def redrawn(
    run: Run, span: tuple[int, int], checkpoint: Checkpoint, drawn_train_cameras: tuple[Camera, ...], loss_terms: Terms,
    photos_alike: bool, beat: Callable[[], None], schedule: Schedule | None = None,  # noqa: ARG001
) -> Redrawn | NotEvaluable | None:
    """At most eight training views of the last checkpoint of the range, each on the background that fits it better."""
    if alike.is_rounded(checkpoint):
        return NotEvaluable((alike.ROUNDED,))
    if corrects(run.exposures):
        return NotEvaluable((CORRECTED,))
    if checkpoint.iteration < full_size_from(run):
        return NotEvaluable(("a save after training has come to pictures of full size",))
    if schedule is not None and schedule.is_muted(checkpoint.iteration):
        return NotEvaluable(("a saved point cloud outside the dip after an opacity reset",))
    known = tuple(c for c in drawn_train_cameras if c.name in run.photos and max(c.size_px) <= LARGEST_PX)
    log = _Log(loss_terms, series_of(run, span, "train/view"), checkpoint.iteration, len(drawn_train_cameras))
    splats, names, rows = prepare(checkpoint.gaussians), [], []
    for camera in evenly(known, MOST_REDRAWN):
        beat()
        told = log.of(camera.name)
        photo = None if told is None else photo_at(run, camera)
        if told is not None and photo is not None:
            names.append(camera.name)
            rows.append([*told, *_drawn(splats, camera, photo, told[0])])
    if not rows:
        return None
    l1, dissimilarity, total, own_l1, *own = np.mean(rows, axis=0).tolist()
    return Redrawn(checkpoint.iteration, tuple(names), l1, dissimilarity if np.isfinite(dissimilarity) else None, total, own_l1,
                   tuple(own))


def corrects(exposures: Mapping[str, F64]) -> bool:
    """Whether the trainer changes the colours of any view: one that only stores identities does not."""
    return any(not np.allclose(matrix, IDENTITY) for matrix in exposures.values())


@dataclass(frozen=True, eq=False)
class _Log:
    """The loss around one save, by view where the log names the views."""

    terms: Terms
    views: Series | None
    iteration: int
    count: int  # training views

    def of(self, name: str) -> tuple[float, float, float] | None:
        """Medians of L1, 1 - SSIM (NaN where it is not logged) and the loss; None where the view was not visited.

        Where the log names no views, a whole pass over all of them must be logged: single views differ too much.
        """
        rows = np.abs(self.terms.iterations - self.iteration) <= EPOCHS * self.count
        if self.views is not None and self.views.labels:
            wanted = [i for i, label in enumerate(self.views.labels) if label in (name, name.rpartition(".")[0])]
            rows &= np.isin(self.terms.iterations, self.views.iterations[np.isin(self.views.values, wanted)])
        elif rows.sum() < self.count:
            return None
        if not rows.any():
            return None
        terms = self.terms
        unknown = np.full(len(terms.total), np.nan)
        columns: tuple[F64, ...] = (terms.l1, unknown if terms.dissimilarity is None else terms.dissimilarity, terms.total)
        l1, dissimilarity, total = (float(np.median(column[rows])) for column in columns)
        return l1, dissimilarity, total


def _drawn(splats: Splats, camera: Camera, photo: F32, logged_l1: float) -> tuple[float, ...]:
    """L1, then 1 - SSIM for each of RANGES."""
    picture = rasterise(splats, camera)
    pairs = [(over(picture.rgb, picture.alpha, colour), composite(photo, colour)) for colour in COLOURS]
    shown, target = min(pairs, key=lambda pair: abs(_l1(*pair) - logged_l1))
    return _l1(shown, target), *(1 - ssim(shown, target, dynamic_range=expected) for expected in RANGES)


def _l1(picture: F32, photo: F32) -> float:
    return float(np.abs(picture - photo).mean(dtype=np.float64))

"""Facts about courses: how well the training views are explained over time, all together and each by itself."""

from collections.abc import Callable, Mapping

import numpy as np

from diagnostics.facts import logged, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.logged import logged as series_of
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import BLACK, COLOURS, composite
from diagnostics.measures.courses import VIEWS, smoothed
from diagnostics.measures.curves import since
from diagnostics.registry import fact
from render.raster.compare import psnr
from render.raster.measures import capped
from runs.cameras import Camera
from runs.run import Run
from runs.series import Series

SAMPLED_PHOTOS, SAMPLED_SIDE_PX = 12, 256  # a mean colour needs no more
VIEW_LOSSES = "the loss of each training view (series loss/l1, with train/view to tell whose it is)"


@fact(missing="a course of the training views' quality (series train/psnr, view/psnr or loss/l1)")
def training_courses(
    run: Run, train_psnr: Series | None = None, view_psnr: Series | None = None, loss_l1: Series | None = None,
) -> tuple[Series, ...] | None:
    """dB, best first: evaluations of a fixed set, then running medians over single views, from full picture size on."""
    full = full_size_from(run)
    single = [since(series, full) if full else series for series in (view_psnr, loss_l1) if series is not None]
    return (*(() if train_psnr is None else (train_psnr,)), *(smoothed(one) for one in single if len(one) >= 2 * VIEWS)) or None


@fact(missing=VIEW_LOSSES)
def view_losses(run: Run, span: tuple[int, int], loss_l1: Series) -> Mapping[str, Series] | None:
    """By training view, its L1 at each visit, from full picture size on; views that were visited at least once."""
    names = series_of(run, span, "train/view")
    if names is None or not names.labels:
        return None
    loss = since(loss_l1, full_size_from(run)) if full_size_from(run) else loss_l1
    common, at_loss, at_name = np.intersect1d(loss.iterations, names.iterations, assume_unique=True, return_indices=True)
    whose, values = names.values[at_name].astype(np.int64), loss.values[at_loss]
    order = np.argsort(whose, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(whose[order]) != 0)) if len(order) else np.zeros(0, np.int64)
    parts = np.split(order, starts[1:]) if len(starts) else []
    return {names.labels[whose[rows[0]]]: Series("loss/l1", common[rows], values[rows], "", loss.source)
            for rows in parts} or None


@fact(missing=PHOTOS)
def constant_scores(
    run: Run, train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> Mapping[str, float] | None:
    """dB, mean PSNR of pictures of one colour against a sample of the training photos: black, white, and their mean colour."""
    photos = []
    for camera in evenly(tuple(c for c in train_cameras if c.name in run.photos), SAMPLED_PHOTOS):
        beat()
        photo = photo_at(run, capped(camera, SAMPLED_SIDE_PX))
        if photo is not None:
            photos.append(composite(photo, BLACK))
    if not photos:
        return None
    mean = np.mean([photo.mean(axis=(0, 1), dtype=np.float64) for photo in photos], axis=0)
    shown = {**{name: np.full(3, level) for name, level in COLOURS.items()}, "their mean colour": mean}
    return {name: float(np.mean([psnr(np.broadcast_to(colour, photo.shape), photo) for photo in photos]))
            for name, colour in shown.items()}

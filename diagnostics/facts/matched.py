"""Facts from renders beside photos: gains, sharpness, and where in the pictures they differ; the last checkpoint of the range.

At most 24 training views, at most 256 px on the longer side: these are matters of whole pictures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, saved  # noqa: F401  (photos_alike, drawn_train_cameras)
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import COLOURS, composite, is_cut_out, over
from diagnostics.measures.matching import cell_means, channel_gains, largest_patch, sharpness, squared_error
from diagnostics.registry import fact
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import Splats, prepare
from runs.arrays import F32, F64, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.names import NameIndex
from runs.run import Run

LEARNED = "a model that has learned the photos (moved or not, its renders miss them nearly as a flat colour would)"
MOST_MATCHED = 24
LONGEST_PX = 256
COVERED = 0.5  # alpha: gains are taken where there is matter to compare
FEWEST_PIXELS = 50


@dataclass(frozen=True, eq=False)
class Matched:
    """One training view, its render on the background that fits the photo better."""

    name: str
    gains: F64  # float64 [3], photo over render per channel; NaN where too little of the picture shows matter
    error: float  # sum of squared differences under matter, as it is
    error_with_gains: float  # the same with these gains
    photo_sharpness: float
    render_sharpness: float
    differences: F64  # float64 [8, 8], mean squared difference
    photo_means: F64  # float64 [8, 8], mean grey of the photo
    photo_power: F64  # float64 [8, 8], mean squared grey of the photo
    largest_patch: float  # 0..1, of the picture: one connected patch where render and photo differ a lot


@dataclass(frozen=True, eq=False)
class Matches:
    """Every matched view of one checkpoint."""

    each: tuple[Matched, ...]
    iteration: int

    @property
    def contrasts(self) -> F64:
        """float64 [8, 8]: variance of grey in each cell over all photos: what a flat colour would miss by."""
        means, power = (np.mean([getattr(match, name) for match in self.each], axis=0) for name in ("photo_means", "photo_power"))
        return np.asarray(power - means**2)

    @property
    def unexplained(self) -> float:
        """Mean squared difference over the photos' own variance: 1 for renders of one flat colour."""
        varied = float(np.nansum(self.contrasts))
        different = float(np.nansum(np.median([match.differences for match in self.each], axis=0)))
        return different / varied if varied > 0 else float("inf")


@fact(missing="the run")
def exposures(run: Run) -> Mapping[str, F64]:
    """The trainer's colour correction per photo; an empty mapping, where it makes none, is an answer too."""
    return run.exposures


@fact(missing=f"{saved.CHECKPOINT}; {PHOTOS}")
def matches(
    run: Run, checkpoint: Checkpoint, drawn_train_cameras: tuple[Camera, ...], photos_alike: bool,  # noqa: ARG001
    beat: Callable[[], None],
) -> Matches | None:
    """Of the views that have a photo; at least one."""
    splats, found, corrected = prepare(checkpoint.gaussians), [], NameIndex(run.exposures)
    for camera in evenly(tuple(c for c in drawn_train_cameras if c.name in run.photos), MOST_MATCHED):
        beat()
        shown = capped(camera, LONGEST_PX)
        photo = photo_at(run, shown)
        if photo is not None:
            found.append(_matched(splats, shown, photo, run.exposures.get(corrected.find(camera.name) or "")))
    return Matches(tuple(found), checkpoint.iteration) if found else None


def _matched(splats: Splats, camera: Camera, photo: F32, exposure: F64 | None) -> Matched:
    """The trainer's own colour correction of the photo is part of the render that it held against it."""
    picture = rasterise(splats, camera)
    pairs = [(np.clip(_exposed(over(picture.rgb, picture.alpha, colour), exposure), 0, 1), composite(photo, colour))
             for colour in COLOURS]
    shown, target = min(pairs, key=lambda pair: float(((pair[0] - pair[1]) ** 2).sum()))
    matter = picture.alpha > COVERED
    if is_cut_out(photo):  # colours behind transparent pixels are nobody's
        matter = matter & (photo[..., 3] > COVERED)
    gains = _gains(shown, target, np.asarray(matter))
    grey = target.mean(axis=2)
    return Matched(
        camera.name, gains, squared_error(shown, target, np.asarray(matter), np.ones(3)),
        squared_error(shown, target, np.asarray(matter), gains), sharpness(target), sharpness(shown),
        cell_means(np.asarray(((shown - target) ** 2).mean(axis=2))), cell_means(grey), cell_means(grey**2),
        largest_patch(np.abs(shown - target).mean(axis=2)),
    )


def _exposed(picture: F32, exposure: F64 | None) -> F32:
    if exposure is None or not np.isfinite(exposure).all():
        return picture
    return np.asarray(picture @ exposure[:, :3] + exposure[:, 3], np.float32)


def _gains(shown: F32, target: F32, matter: Mask) -> F64:
    return channel_gains(shown, target, matter) if matter.sum() >= FEWEST_PIXELS else np.full(3, np.nan)

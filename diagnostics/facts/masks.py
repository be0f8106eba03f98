"""Facts about masks: files that say which pixels count, and what the model makes of those that do not."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from diagnostics.facts import alike, lens, saved  # noqa: F401  (photos_alike, drawn_train_cameras)
from diagnostics.facts.habits import WITHOUT_MASK_FOLDER
from diagnostics.facts.photos import evenly, photo_at
from diagnostics.measures.backgrounds import COLOURS, composite, over
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import Splats, prepare
from runs.arrays import F32, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.photos import Photo
from runs.run import Run
from runs.storage import ensure_folder

MASKS = "mask files beside the photos (masks/ in the data folder)"
MOST_LOOKED_AT = 16
LONGEST_PX = 256
COUNTS = 0.5  # grey level: white counts, by the convention of COLMAP and of every trainer that reads masks


@dataclass(frozen=True)
class Masked:
    """Masks of training views, and how well the model fits the photos under them and beside them."""

    looked_at: int
    coverage: float  # 0..1, mean share of pixels that count
    inside: float  # mean squared difference where they count; NaN where none does
    outside: float  # the same where they do not
    iteration: int
    source: str


@fact(missing=MASKS)
def masks(run: Run, drawn_train_cameras: tuple[Camera, ...]) -> dict[str, Photo] | NotEvaluable | None:
    """By camera name, of the training cameras."""
    if run.trainer.name in WITHOUT_MASK_FOLDER:
        return NotEvaluable((f"masks that the trainer used ({run.trainer.name} reads none from masks/)",))
    folder = None if run.data is None else run.data / "masks"
    if folder is not None:
        ensure_folder(folder)
    found = {} if folder is None else {camera.name: Photo(camera.name, path) for camera in drawn_train_cameras
                                       if (path := _mask_of(folder, camera.name)) is not None}
    return found or None


@fact(missing=MASKS)
def masked(
    run: Run, checkpoint: Checkpoint, masks: dict[str, Photo], drawn_train_cameras: tuple[Camera, ...], photos_alike: bool,  # noqa: ARG001
    beat: Callable[[], None],
) -> Masked | None:
    """At most 16 masked training views of the last checkpoint of the range."""
    splats = prepare(checkpoint.gaussians)
    rows = []
    for camera in evenly(tuple(c for c in drawn_train_cameras if c.name in masks and c.name in run.photos), MOST_LOOKED_AT):
        beat()
        shown = capped(camera, LONGEST_PX)
        mask, photo = mask_pixels(run, masks[camera.name], shown), photo_at(run, shown)
        if mask is not None and photo is not None:
            rows.append(_row(mask[..., :3].mean(axis=2) > COUNTS, _difference(splats, shown, photo)))
    if not rows:
        return None
    counting, wrong, pixels, all_wrong = np.sum(rows, axis=0)
    return Masked(
        len(rows), counting / pixels, wrong / counting if counting else float("nan"),
        (all_wrong - wrong) / (pixels - counting) if pixels > counting else float("nan"), checkpoint.iteration, "masks")


def _row(counts: Mask, difference: F32) -> tuple[float, float, float, float]:
    """Pixels that count, their squared difference, all pixels, and theirs."""
    return float(counts.sum()), float(difference[counts].sum()), float(counts.size), float(difference.sum())


def _difference(splats: Splats, camera: Camera, photo: F32) -> F32:
    """float32 [H, W], mean squared difference over the channels, on the background that fits better."""
    picture = rasterise(splats, camera)
    each = [((np.clip(over(picture.rgb, picture.alpha, colour), 0, 1) - composite(photo, colour)) ** 2).mean(axis=2)
            for colour in COLOURS]
    return np.asarray(min(each, key=lambda values: float(values.sum())))


def mask_pixels(run: Run, mask: Photo, camera: Camera) -> F32 | None:
    try:
        return mask.pixels(camera.size_px)
    except RunError as error:
        run.book.add_error(error)
        return None


def _mask_of(folder: Path, name: str) -> Path | None:
    """masks/NAME, masks/NAME.png (COLMAP's way), or the same stem as a PNG."""
    tried = (folder / name, folder / f"{name}.png", (folder / name).with_suffix(".png"))
    return next((path for path in tried if path.is_file()), None)

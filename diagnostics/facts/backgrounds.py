"""Facts about the background: on which colour the logged PSNR comes out again, and which colour lies behind the photos."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import logged  # noqa: F401  (test_psnr)
from diagnostics.facts.pictures import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import BLACK, COLOURS, composite, empty_pixels, over, psnr
from diagnostics.registry import fact
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import prepare
from runs.arrays import F32
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.series import Series

EARLIEST = 3  # checkpoints that are tried: early models are transparent, so that the background still shows
MOST_VIEWS = 32
LONGEST_SIDE_PX = 1024


@dataclass(frozen=True)
class BackgroundTrial:
    """The held-out views of one checkpoint before black and before white, against the photos and against the log."""

    iteration: int
    psnr_db: dict[tuple[str, str], float]  # by (colour behind the render, colour behind the photo)
    logged_db: float
    views: int
    exact: bool  # every held-out view at full size: then the logged figure comes out to a hundredth of a dB
    source: str


@dataclass(frozen=True)
class PhotoBackground:
    """The flat colour that photos have where nothing is, and how much of it the model covers."""

    colour: str
    share: float  # 0..1 of the photos' pixels
    covered: float  # 0..1, mean accumulated opacity of the model over those pixels
    has_alpha: bool
    iteration: int


@fact(missing=PHOTOS)
def photo_background(
    run: Run, checkpoint: Checkpoint, train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> PhotoBackground | None:
    """From at most eight training photos and the last checkpoint of the range; the commoner of black and white."""
    splats = prepare(checkpoint.gaussians)
    shares: dict[str, list[float]] = {colour: [] for colour in COLOURS}
    covered: dict[str, list[float]] = {colour: [] for colour in COLOURS}
    has_alpha = False
    for camera in evenly(train_cameras, 8):
        beat()
        shown = capped(camera)
        photo = photo_at(run, shown)
        if photo is None:
            continue
        alpha = rasterise(splats, shown).alpha
        has_alpha |= photo.shape[2] == 4
        for colour in COLOURS:
            empty = empty_pixels(photo, colour)
            shares[colour].append(float(empty.mean()))
            covered[colour] += [float(alpha[empty].mean())] if empty.any() else []
    if not shares[BLACK]:
        return None
    colour = max(COLOURS, key=lambda name: float(np.mean(shares[name])))
    over_empty = float(np.mean(covered[colour])) if covered[colour] else float("nan")
    return PhotoBackground(colour, float(np.mean(shares[colour])), over_empty, has_alpha, checkpoint.iteration)


@fact(missing="a logged test PSNR (series test/psnr) at a saved iteration, with the photos of the held-out views (--data)")
def background_trial(
    run: Run, checkpoints: tuple[Checkpoint, ...], cameras: tuple[Camera, ...], test_psnr: Series, beat: Callable[[], None],
) -> BackgroundTrial | None:
    """Of the earliest logged checkpoints, the one where black and white differ most."""
    held_out = tuple(camera for camera in cameras if camera.split == "test" and camera.name in run.photos)
    trials = []
    for checkpoint in checkpoints:
        logged_db = test_psnr.at(checkpoint.iteration)
        if logged_db is None or not np.isfinite(logged_db) or not held_out:
            continue
        trials.append(_trial(run, checkpoint, held_out, logged_db, test_psnr.source, beat))
        if len(trials) == EARLIEST:
            break
    return max(trials, key=lambda trial: _contrast(trial.psnr_db), default=None)


def _trial(
    run: Run, checkpoint: Checkpoint, held_out: tuple[Camera, ...], logged_db: float, source: str, beat: Callable[[], None],
) -> BackgroundTrial:
    chosen = evenly(held_out, MOST_VIEWS)
    shown = [capped(camera, LONGEST_SIDE_PX) for camera in chosen]
    splats = prepare(checkpoint.gaussians)
    scores: dict[tuple[str, str], list[float]] = {}
    for camera in shown:
        beat()
        photo = photo_at(run, camera)
        if photo is None:
            continue
        picture = rasterise(splats, camera)
        for pair, (render, target) in _pairs(picture.rgb, picture.alpha, photo).items():
            scores.setdefault(pair, []).append(psnr(render, target))
    exact = chosen == held_out and all(small is full for small, full in zip(shown, chosen, strict=True))
    count = max((len(found) for found in scores.values()), default=0)
    return BackgroundTrial(checkpoint.iteration, {pair: float(np.mean(found)) for pair, found in scores.items()}, logged_db,
                           count, exact and count == len(held_out), source)


def _pairs(rgb: F32, alpha: F32, photo: F32) -> dict[tuple[str, str], tuple[F32, F32]]:
    """An opaque photo is what it is; one with alpha may have been laid over either colour."""
    behind_photo = tuple(COLOURS) if photo.shape[2] == 4 else ("",)
    return {(mine, theirs): (over(rgb, alpha, mine), composite(photo, theirs or BLACK))
            for mine in COLOURS for theirs in behind_photo}


def _contrast(scores: dict[tuple[str, str], float]) -> float:
    return max(scores.values(), default=0.0) - min(scores.values(), default=0.0)

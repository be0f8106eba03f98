"""Facts about the background: on which colour the logged PSNR comes out again, and which colour lies behind the photos."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, logged  # noqa: F401  (photos_alike, drawn_cameras, test_psnr)
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import BLACK, COLOURS, WHITE, composite, empty_pixels, is_cut_out, over, rim_shares
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.raster.compare import psnr, psnr_of_channels
from render.raster.cpu import rasterise
from render.raster.measures import capped, contributions_of
from render.splats import Splats, prepare
from runs.arrays import F32, I64, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.series import Series

EARLIEST = 2  # checkpoints that are tried: early models are transparent, so that the background still shows
MOST_VIEWS = 32
PHOTOS_FOR_COLOUR = 8
MOSTLY = 0.5  # of its weight
LEAST_SHARE = 0.01  # of the photos' pixels: below it there is no flat background to ask the model about
LEAST_WEIGHT = 1.0  # pixels, over all photos: what adds less than one pixel paints nothing
LONGEST_SIDE_PX = 1024
# Trainers differ: INRIA's training report averages the channels' PSNR (0.08-0.3 dB more in three runs), its metrics.py does not.
DEFINITIONS = (psnr, psnr_of_channels)

Scores = dict[tuple[str, str], float]  # by (colour behind the render, colour behind the photo)


@dataclass(frozen=True)
class BackgroundTrial:
    """The held-out views of one checkpoint before black and before white, against the photos and against the log."""

    iteration: int
    psnr_db: Scores
    logged_db: float
    exact: bool  # every held-out view at full size: then the logged figure comes out to a hundredth of a dB
    source: str


@dataclass(frozen=True, eq=False)
class PhotoBackground:
    """The flat colour that photos have where nothing is, and how much of it the model covers."""

    colour: str
    share: float  # 0..1 of the photos' pixels
    surrounding: float  # 0..1, how much of the rim has it on the side that has least of it; each side's median over photos
    covered: float  # 0..1, mean accumulated opacity of the model over those pixels; NaN where there are none
    cut_out: bool  # photos are transparent where nothing is; one with alpha 1 throughout is not
    iteration: int
    painters: I64  # int64, rows of the Gaussians that spend most of their weight on those pixels
    of: int  # how many Gaussians there are


@fact(missing=PHOTOS)
def photo_background(
    run: Run, checkpoint: Checkpoint, drawn_train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> PhotoBackground | None:
    """From at most eight training photos and the last checkpoint of the range; the commoner of black and white."""
    splats = prepare(checkpoint.gaussians)
    shown = (capped(camera) for camera in evenly(drawn_train_cameras, PHOTOS_FOR_COLOUR))
    photos = [(camera, photo) for camera in shown if (photo := photo_at(run, camera)) is not None]
    if not photos:
        return None
    shares = {colour: float(np.mean([empty_pixels(photo, colour).mean() for _, photo in photos])) for colour in COLOURS}
    colour = max(shares, key=lambda name: shares[name])
    surrounding = float(np.median([rim_shares(photo, colour) for _, photo in photos], axis=0).min())
    cut_out = any(is_cut_out(photo) for _, photo in photos)
    if shares[colour] < LEAST_SHARE:
        nobody = np.zeros(0, np.int64)
        return PhotoBackground(colour, shares[colour], surrounding, float("nan"), cut_out, checkpoint.iteration, nobody,
                               splats.stored_count)
    pixels, opacity = 0, 0.0
    total, on_empty = np.zeros(len(splats)), np.zeros(len(splats))
    for camera, photo in photos:
        beat()
        empty = empty_pixels(photo, colour)
        picture = rasterise(splats, camera, contributions=True)
        pixels, opacity = pixels + int(empty.sum()), opacity + float(picture.alpha[empty].sum())
        total += contributions_of(picture).weight_sum
        on_empty += _weight_on(splats, camera, empty)
    painters = splats.rows[on_empty > MOSTLY * np.maximum(total, LEAST_WEIGHT)]
    return PhotoBackground(
        colour, shares[colour], surrounding, opacity / pixels, cut_out, checkpoint.iteration, painters, splats.stored_count)


def _weight_on(splats: Splats, camera: Camera, pixels: Mask) -> F32:
    """float32 [M], each splat's weight over the masked pixels [H, W]: depth limits admit all of them or none."""
    limits = np.where(pixels, np.float32(np.inf), np.float32(-np.inf))
    return contributions_of(rasterise(splats, camera, contributions=True, counted_before=limits)).weight_sum


@fact(missing="a logged test PSNR (series test/psnr) at a saved iteration, with the photos of the held-out views (--data)")
def background_trial(
    run: Run, checkpoints: tuple[Checkpoint, ...], drawn_cameras: tuple[Camera, ...], test_psnr: Series,
    photo_background: PhotoBackground, photos_alike: bool, beat: Callable[[], None],  # noqa: ARG001
) -> BackgroundTrial | NotEvaluable | None:
    """Of the earliest logged checkpoints, the one where renders on black and on white differ most."""
    if photo_background.share < LEAST_SHARE and not photo_background.cut_out:
        return NotEvaluable(("photos with a flat background or transparent parts",))
    if run.settings.value("train_test_exp") is True:
        return NotEvaluable(("scores of whole pictures (train_test_exp trains on one half of each held-out view)",))
    behind_photos = tuple(COLOURS) if photo_background.cut_out else ("",)
    held_out = tuple(camera for camera in drawn_cameras if camera.split == "test" and camera.name in run.photos)
    trials = []
    for checkpoint in checkpoints:
        logged_db = test_psnr.at(checkpoint.iteration)
        if logged_db is None or not np.isfinite(logged_db) or not held_out or alike.is_rounded(checkpoint):
            continue
        figures, exact = _trial(run, checkpoint, held_out, behind_photos, beat)
        trials.append(BackgroundTrial(checkpoint.iteration, _nearest(figures, logged_db), logged_db, exact, test_psnr.source))
        if len(trials) == EARLIEST:
            break
    return max(trials, key=lambda trial: _contrast(trial.psnr_db), default=None)


def _trial(
    run: Run, checkpoint: Checkpoint, held_out: tuple[Camera, ...], behind_photos: tuple[str, ...], beat: Callable[[], None],
) -> tuple[tuple[Scores, ...], bool]:
    """Mean PSNR by (colour behind the render, colour behind the photo), once per definition; and whether the trainer had the
    same pictures."""
    chosen = evenly(held_out, MOST_VIEWS)
    shown = [capped(camera, LONGEST_SIDE_PX) for camera in chosen]
    splats = prepare(checkpoint.gaussians)
    scores: dict[tuple[str, str], list[list[float]]] = {}
    for camera in shown:
        beat()
        photo = photo_at(run, camera)
        if photo is None:
            continue
        picture = rasterise(splats, camera)
        for pair, (render, target) in _pairs(picture.rgb, picture.alpha, photo, behind_photos).items():
            scores.setdefault(pair, []).append([measure(render, target) for measure in DEFINITIONS])
    exact = chosen == held_out and all(small is full for small, full in zip(shown, chosen, strict=True))
    count = max((len(found) for found in scores.values()), default=0)
    means = {pair: np.mean(found, axis=0) for pair, found in scores.items()}
    figures = tuple({pair: float(mean[i]) for pair, mean in means.items()} for i in range(len(DEFINITIONS)))
    return figures, exact and count == len(held_out)


def _nearest(figures: tuple[Scores, ...], logged_db: float) -> Scores:
    """The scores of the definition that the trainer logs: the one that comes nearest to the logged figure on any background."""
    return min(figures, key=lambda scores: min((abs(value - logged_db) for value in scores.values()), default=0.0))


def _pairs(rgb: F32, alpha: F32, photo: F32, behind_photos: tuple[str, ...]) -> dict[tuple[str, str], tuple[F32, F32]]:
    """An opaque photo is what it is (""); one that is cut out may have been laid over either colour."""
    return {(mine, theirs): (over(rgb, alpha, mine), composite(photo, theirs or BLACK))
            for mine in COLOURS for theirs in behind_photos}


def _contrast(scores: Scores) -> float:
    """dB between renders on black and on white, against the same photos: what is behind the photos is another question."""
    return max((abs(scores[BLACK, theirs] - scores[WHITE, theirs]) for _, theirs in scores), default=0.0)

"""Pictures of a report: the guilty Gaussians tinted, the plain rendering, and the photo, from one camera."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
from PIL import Image

from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.report.viewpoint import best_camera, fitted, splat_weights
from diagnostics.report.wording import count, percent
from diagnostics.verdict import NOT_AVAILABLE
from render.raster.cpu import rasterise
from render.splats import Splats, prepare
from runs.arrays import F32, U8, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.errors import RunError

LONGEST_PX = 640  # about 300 dots per inch at the printed size
MOST_KEPT = 16  # drawings of one checkpoint that are kept
SHORTEST_PX = 360  # smaller pictures are enlarged smoothly, so that a printer does not show them as mosaics
TINT = np.array([1.0, 0.42, 0.0], np.float32)
LUMA = np.array([0.2126, 0.7152, 0.0722], np.float32)  # ITU-R BT.709


@dataclass(frozen=True, eq=False)
class ReportPicture:
    """One picture and what it is."""

    label: str
    pixels: U8  # uint8 [H, W, 3]


@dataclass(frozen=True, eq=False)
class Strip:
    """Pictures of one view side by side; where there are none, `caption` says why."""

    pictures: tuple[ReportPicture, ...]
    caption: str


@dataclass(frozen=True, eq=False)
class Stage:
    """One prepared checkpoint; what was drawn of it is kept, because findings share cameras."""

    iteration: int
    splats: Splats
    weigh: Callable[[Camera], F32]  # splat_weights of a camera
    draw: Callable[[Camera], F32]  # float32 [H, W, 3], the rendering at print size


@dataclass
class Gallery:
    """Draws the strips of one diagnosis, one checkpoint at a time."""

    diagnosis: Diagnosis
    _stage: Stage | None = field(default=None, repr=False)

    def strip(self, reported: Reported) -> Strip:
        """The finding's view at its iteration; a file that cannot be read leaves a sentence instead."""
        checkpoint = self._checkpoint(reported)
        if checkpoint is None:
            return Strip((), f"Picture {NOT_AVAILABLE}: the run holds no saved Gaussians")
        try:
            return self._drawn(reported, self._staged(checkpoint))
        except RunError as error:
            return Strip((), f"Picture {NOT_AVAILABLE}: {error}")

    def _checkpoint(self, reported: Reported) -> Checkpoint | None:
        """The saved set that the finding names, else the last one up to the finding's end, else the first."""
        saved, place = self.diagnosis.run.checkpoints, reported.finding.gaussians
        if place is not None:
            return self.diagnosis.run.checkpoint(place.iteration)
        before = [checkpoint for checkpoint in saved if checkpoint.iteration <= reported.iterations[1]]
        return next(iter((*before[-1:], *saved)), None)

    def _staged(self, checkpoint: Checkpoint) -> Stage:
        if self._stage is None or self._stage.iteration != checkpoint.iteration:
            splats = prepare(checkpoint.gaussians)
            self._stage = Stage(
                checkpoint.iteration, splats, lru_cache(MOST_KEPT)(partial(splat_weights, splats)),
                lru_cache(MOST_KEPT)(partial(_plain, splats, self._background)))
        return self._stage

    def _drawn(self, reported: Reported, stage: Stage) -> Strip:
        if not len(stage.splats):
            return Strip((), f"Picture {NOT_AVAILABLE}: no Gaussian of iteration {stage.iteration:,} can be drawn")
        place = reported.finding.gaussians
        guilty = np.zeros(len(stage.splats), bool) if place is None else np.isin(stage.splats.rows, place.rows)
        camera = self._camera(reported, stage, guilty)
        plain, (width, height) = stage.draw(camera), fitted(camera.size_px, LONGEST_PX)
        views = {"Guilty Gaussians tinted": tint(plain, guilty_weight(stage.splats, camera, guilty))} if guilty.any() else {}
        rendered = [ReportPicture(label, _shown(rgb)) for label, rgb in (views | {"Rendering": plain}).items()]
        on = "white" if self._background[0] else "black"
        where = f"Iteration {stage.iteration:,}, camera {camera.name}, {width} × {height} px, on {on}. "
        return Strip((*rendered, *self._photo(camera)), where + _about_tint(reported, guilty))

    @property
    def _background(self) -> tuple[float, float, float]:
        white = bool(self.diagnosis.run.settings.value("white_background"))
        return (1.0, 1.0, 1.0) if white else (0.0, 0.0, 0.0)

    def _camera(self, reported: Reported, stage: Stage, guilty: Mask) -> Camera:
        named = {camera.name: camera for camera in self.diagnosis.run.cameras}
        accused = [named[name] for name in reported.finding.cameras if name in named]
        shown = guilty if guilty.any() else np.ones(len(guilty), bool)
        return best_camera(accused or self.diagnosis.run.cameras, stage.splats, shown, stage.weigh)

    def _photo(self, camera: Camera) -> list[ReportPicture]:
        photo = self.diagnosis.run.photos.get(camera.name)
        if photo is None:
            return []
        try:
            pixels = photo.pixels(fitted(camera.size_px, LONGEST_PX))
        except RunError as error:
            self.diagnosis.run.book.add_error(error)
            return []
        return [ReportPicture("Photo", _shown(composited(pixels, self._background)))]


def _plain(splats: Splats, background: tuple[float, float, float], camera: Camera) -> F32:
    return rasterise(splats, camera.resized(fitted(camera.size_px, LONGEST_PX)), background=background).rgb


def tint(rgb: F32, weight: F32) -> F32:
    """A rendering [H, W, 3] in grey, orange where the guilty splats are; `weight` [H, W] is what they add to a pixel, 0..1.

    The square root lifts faint ones: 2 % of a pixel is visible in a viewer that moves, and would be lost in print.
    """
    grey = (np.clip(rgb, 0, 1) @ LUMA)[..., None]
    strength = np.sqrt(np.clip(weight, 0, 1))[..., None]
    return np.asarray(0.8 * grey * (1 - strength) + TINT * strength, np.float32)


def guilty_weight(splats: Splats, camera: Camera, guilty: Mask) -> F32:
    """float32 [H, W] at print size, the summed blending weight of the guilty splats; `guilty` is bool [M]."""
    white = np.repeat(guilty[:, None], 3, axis=1).astype(np.float32)
    return rasterise(splats, camera.resized(fitted(camera.size_px, LONGEST_PX)), colours=white).rgb[..., 0]


def composited(pixels: F32, background: tuple[float, float, float]) -> F32:
    """A photo [H, W, 3 or 4] over the background colour, as the trainer composites it."""
    if pixels.shape[2] == 3:
        return pixels
    alpha = pixels[..., 3:]
    return np.asarray(pixels[..., :3] * alpha + (1 - alpha) * np.asarray(background, np.float32), np.float32)


def _shown(rgb: F32) -> U8:
    """float [H, W, 3] as bytes, enlarged where it is too small to print well."""
    finite = np.nan_to_num(rgb, nan=0, posinf=1, neginf=0)  # harmonics near the end of float32 overflow to these
    pixels = np.asarray(np.clip(finite, 0, 1) * 255 + 0.5, np.uint8)
    height, width = pixels.shape[:2]
    factor = -(-SHORTEST_PX // max(height, width))
    if factor <= 1:
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((width * factor, height * factor), Image.Resampling.BICUBIC))


def _about_tint(reported: Reported, guilty: Mask) -> str:
    place = reported.finding.gaussians
    if place is None:
        return "Nothing is tinted, because the finding names no Gaussians."
    undrawn = place.count - int(guilty.sum())
    named = count(place.count, "Gaussian")
    hidden = f" {count(undrawn, 'of them is', 'of them are')} not drawn, for invalid values." if undrawn else ""
    if not guilty.any():
        return f"The finding names {named}.{hidden}"
    return (f"Orange: {named} that the finding names ({percent(place.fraction)}), the stronger the more of a pixel they make up "
            f"(square root of their blending weight); grey: all others.{hidden}")

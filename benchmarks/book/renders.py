"""A photo, the render of a sound training and that of a faulty one side by side, by the CPU rasteriser."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from benchmarks.book.chosen import Shown
from render.raster.cpu import rasterise
from render.splats import Splats, prepare
from runs.arrays import F32, U8
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.photos import Photo
from runs.run import Run

SIDE_PX, GAP_PX = 256, 6
COVERED = 0.1  # of a view: below it nothing is to be seen
SEEN = (0.005, 0.9)  # share of a picture that is red: less is not seen, more shows nothing
RED, GREY = np.array([0.9, 0.1, 0.15], np.float32), 0.35


@dataclass(frozen=True)
class Collage:
    """The picture and what its parts are, from left to right."""

    pixels: U8  # uint8 [H, W, 4]; between the parts it is transparent
    parts: tuple[str, ...]


def collage(shown: Shown) -> Collage | None:
    """None where the faulty training has no view in common with the sound one, or nothing that can be drawn."""
    at = shown.found.iterations
    sick = _saved(shown.sick, at[1])
    camera = _view(shown)
    if sick is None or camera is None:
        return None
    healthy = min(shown.healthy.checkpoints, key=lambda save: abs(save.iteration - sick.iteration))
    sound_view = next(one for one in shown.healthy.cameras if one.name == camera.name)
    parts: list[tuple[str, F32 | None]] = [
        ("the photo", _photo(shown.sick.photos.get(camera.name), camera)),
        (f"a sound training of the same scene, iteration {healthy.iteration:,}",
         _drawn(prepare(healthy.gaussians), sound_view, shown.healthy)),
        (f"the faulty one, iteration {sick.iteration:,}", _drawn(prepare(sick.gaussians), camera, shown.sick)),
        (_marked_as(shown, sick), _marked(shown, sick, camera)),
    ]
    there = [(name, picture) for name, picture in parts if picture is not None]
    return Collage(_beside([picture for _, picture in there]), tuple(name for name, _ in there))


def _saved(run: Run, iteration: int) -> Checkpoint | None:
    """The save nearest to the finding's end."""
    splats = [checkpoint for checkpoint in run.checkpoints if checkpoint.holds == "splats"]
    return min(splats, key=lambda checkpoint: abs(checkpoint.iteration - iteration), default=None)


def _view(shown: Shown) -> Camera | None:
    """A camera that the finding names, else a held-out view, that the sound training has too; rather one that sees something."""
    named = shown.found.finding.cameras
    common = {camera.name for camera in shown.healthy.cameras}
    views = [camera for camera in shown.sick.cameras if camera.name in common]
    order = sorted(views, key=lambda camera: (camera.name not in named, camera.split != "test", camera.name))
    save = _saved(shown.sick, shown.found.iterations[1])
    splats = None if save is None else prepare(save.gaussians)
    drawn = (one for one in order if splats is not None and float(rasterise(splats, one).alpha.mean()) > COVERED)
    return next(drawn, order[0] if order else None)


def _photo(photo: Photo | None, camera: Camera) -> F32 | None:
    if photo is None:
        return None
    pixels = photo.pixels()
    if pixels.shape[2] == 4:
        pixels = pixels[..., :3] * pixels[..., 3:]
    image = Image.fromarray(np.round(255 * pixels[..., :3]).astype(np.uint8)).resize(_size(camera), Image.Resampling.BICUBIC)
    return np.asarray(image, np.float32) / np.float32(255)


def _drawn(splats: Splats, camera: Camera, run: Run, colours: F32 | None = None) -> F32:
    grey = 1.0 if run.settings.value("white_background") is True else 0.0
    picture = rasterise(splats, camera.resized(_size(camera)), background=(grey,) * 3, colours=colours)
    return np.clip(picture.rgb, 0, 1)


def _marked(shown: Shown, save: Checkpoint, camera: Camera) -> F32 | None:
    """The faulty training with the named Gaussians in red; None where the finding names none of this save, or nearly all."""
    place = shown.found.finding.gaussians
    if place is None or place.iteration != save.iteration or not 0 < place.fraction < 0.9:
        return None
    splats = prepare(save.gaussians)
    colours = np.full((len(splats.rows), 3), GREY, np.float32)
    colours[np.isin(splats.rows, place.rows)] = RED
    picture = _drawn(splats, camera, shown.sick, colours)
    red = float((picture[..., 0] > 2 * picture[..., 1] + 0.05).mean())
    return picture if SEEN[0] < red < SEEN[1] else None


def _marked_as(shown: Shown, save: Checkpoint) -> str:
    place = shown.found.finding.gaussians
    return "" if place is None else f"in red the {place.count:,} of its {save.count:,} Gaussians that the finding names"


def _size(camera: Camera) -> tuple[int, int]:
    times = SIDE_PX / max(camera.size_px)
    return round(camera.size_px[0] * times), round(camera.size_px[1] * times)


def _beside(pictures: list[F32]) -> U8:
    height = max(picture.shape[0] for picture in pictures)
    width = sum(picture.shape[1] for picture in pictures) + GAP_PX * (len(pictures) - 1)
    pixels = np.zeros((height, width, 4), np.uint8)
    left = 0
    for picture in pictures:
        part = pixels[: picture.shape[0], left: left + picture.shape[1]]
        part[..., :3], part[..., 3] = np.round(255 * picture), 255
        left += picture.shape[1] + GAP_PX
    return pixels

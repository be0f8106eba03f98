"""Facts about what training was given: points, cameras and photos with values that are not finite."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from PIL import Image

from diagnostics.facts import cameras as camera_facts  # noqa: F401  (cameras)
from diagnostics.facts import taken  # noqa: F401  (start_points)
from diagnostics.facts.photos import evenly
from diagnostics.registry import fact
from runs.cameras import Camera
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import Run
from runs.storage import open_file

FLOAT_MODES = ("F", "F;16", "F;32F")  # of Pillow: the only ones that can hold a NaN
FLOAT_ENDINGS = frozenset({".tif", ".tiff", ".pfm"})  # of formats that Pillow reads and that may hold floats
UNREAD_ENDINGS = frozenset({".exr", ".hdr", ".npy"})  # of formats with floats that are not read here
MOST_PHOTOS = 100


@dataclass(frozen=True)
class InputFlaw:
    """One kind of input that holds values which are not finite."""

    what: str
    count: int  # points, cameras or pixels
    of: int
    source: str
    cameras: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inputs:
    """What was looked at, and what was found."""

    checked: Mapping[str, int]  # points, cameras, photos: how many were looked at
    flaws: tuple[InputFlaw, ...]
    unread: int  # photos in formats that may hold NaN and are not read here


@dataclass(frozen=True)
class FloatPhotos:
    """Photos of a format that can hold a NaN."""

    looked_at: int
    bad: Mapping[str, int]  # camera name -> pixels that are not finite
    pixels: int
    unread: int


@fact(missing="the points, cameras or photos that training was given")
def inputs(
    run: Run, beat: Callable[[], None], start_points: PointCloud | None = None, cameras: tuple[Camera, ...] | None = None,
) -> Inputs | None:
    """Photos of whole numbers (PNG, JPEG) hold no NaN, so that they are not opened."""
    photos = _float_photos(run, cameras or (), beat)
    checked = {
        "points": 0 if start_points is None else len(start_points), "cameras": len(cameras or ()), "photos": len(run.photos),
    }
    if not any(checked.values()):
        return None
    flaws = (*_of_points(start_points), *_of_cameras(cameras or ()), *_of_photos(photos, run))
    return Inputs(checked, flaws, photos.unread)


def _of_points(points: PointCloud | None) -> Iterator[InputFlaw]:
    bad = 0 if points is None else int((~np.isfinite(points.xyz)).any(axis=1).sum())
    if points is not None and bad:
        yield InputFlaw("points", bad, len(points), points.source)


def _of_cameras(cameras: tuple[Camera, ...]) -> Iterator[InputFlaw]:
    bad = tuple(camera.name for camera in cameras if not _is_finite(camera))
    if bad:
        yield InputFlaw("cameras", len(bad), len(cameras), "cameras", bad)


def _is_finite(camera: Camera) -> bool:
    lens = (camera.fx, camera.fy, camera.cx, camera.cy)
    return bool(np.isfinite(camera.world_from_camera).all() and np.isfinite(lens).all())


def _of_photos(photos: FloatPhotos, run: Run) -> Iterator[InputFlaw]:
    if photos.bad:
        first = run.photos[next(iter(photos.bad))].path.name
        yield InputFlaw("pixels of photos", sum(photos.bad.values()), photos.pixels, first, tuple(photos.bad))


def _float_photos(run: Run, cameras: tuple[Camera, ...], beat: Callable[[], None]) -> FloatPhotos:
    """Looked through evenly where there are more than a hundred."""
    named = {camera.name: run.photos[camera.name] for camera in cameras if camera.name in run.photos} or dict(run.photos)
    endings = {name: photo.path.suffix.lower() for name, photo in named.items()}
    unread = sum(ending in UNREAD_ENDINGS for ending in endings.values())
    able = [name for name, ending in endings.items() if ending in FLOAT_ENDINGS]
    chosen = {c.name for c in evenly(tuple(c for c in cameras if c.name in able), MOST_PHOTOS)} or set(able[:MOST_PHOTOS])
    bad, pixels, looked_at = {}, 0, 0
    for name in chosen:
        beat()
        counted = _bad_pixels(named[name])
        if counted is not None:
            looked_at, pixels = looked_at + 1, pixels + counted[1]
            if counted[0]:
                bad[name] = counted[0]
    return FloatPhotos(looked_at, dict(sorted(bad.items())), pixels, unread)


def _bad_pixels(photo: Photo) -> tuple[int, int] | None:
    """Pixels that are not finite, and all; None for a photo of whole numbers, and for one that cannot be read."""
    try:
        with open_file(photo.path) as file, Image.open(file) as image:
            if image.mode not in FLOAT_MODES:
                return None
            values = np.asarray(image, np.float32)
    except Exception:  # Pillow raises nearly anything for a damaged file; whoever needs its picture says so
        return None
    return int((~np.isfinite(values)).sum()), values.size

"""Photos at the size a camera is drawn at, and an even choice of cameras where drawing all would take too long."""

import numpy as np

from runs.arrays import F32
from runs.cameras import Camera
from runs.errors import RunError
from runs.run import Run

PHOTOS = "the photos (give the data folder with --data)"


def evenly(cameras: tuple[Camera, ...], most: int) -> tuple[Camera, ...]:
    """At most `most` of them, evenly spaced in their order, first and last included."""
    if len(cameras) <= most:
        return cameras
    return tuple(cameras[i] for i in np.unique(np.linspace(0, len(cameras) - 1, most).round().astype(int)))


def photo_at(run: Run, camera: Camera) -> F32 | None:
    """float32 [H, W, 3 or 4] at the camera's size; None where there is no photo or it cannot be read (noted)."""
    photo = run.photos.get(camera.name)
    if photo is None:
        return None
    try:
        return photo.pixels(camera.size_px)
    except RunError as error:
        run.book.add_error(error)
        return None

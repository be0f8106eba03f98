"""Photos at the size a camera is drawn at, and an even choice of views where drawing all would take too long."""

from typing import TypeVar

import numpy as np

from runs.arrays import F32
from runs.cameras import Camera
from runs.errors import RunError
from runs.run import Run

Item = TypeVar("Item")
PHOTOS = "the photos (give the data folder with --data)"


def evenly(each: tuple[Item, ...], most: int) -> tuple[Item, ...]:
    """At most `most` of them, evenly spaced in their order, first and last included."""
    if len(each) <= most:
        return each
    return tuple(each[i] for i in np.unique(np.linspace(0, len(each) - 1, most).round().astype(int)))


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

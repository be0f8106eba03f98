"""Training photos: header facts without decoding, pixels on demand."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from runs.advice import cannot_open
from runs.arrays import F32
from runs.errors import UnreadableFile
from runs.storage import open_file

ORIENTATION_TAG = 0x0112


@dataclass(frozen=True, eq=False)
class Photo:
    """One photo on disk. `name` is the camera's image name it belongs to."""

    name: str
    path: Path

    @cached_property
    def _header(self) -> tuple[tuple[int, int], str]:
        with _opened(self.path) as image:
            return image.size, image.mode

    @property
    def size_px(self) -> tuple[int, int]:
        """Width, height as stored, before any EXIF turn."""
        return self._header[0]

    @cached_property
    def exif_orientation(self) -> int:
        """1..8 as EXIF counts: 1 is upright, or not stored. Trainers do not turn photos by it, and neither does `pixels`."""
        with _opened(self.path) as image:
            stored = image.getexif().get(ORIENTATION_TAG, 1)
        return stored if isinstance(stored, int) and 1 <= stored <= 8 else 1

    @property
    def has_alpha(self) -> bool:
        return self._header[1] in ("RGBA", "LA", "PA")

    def pixels(self, size_px: tuple[int, int] | None = None) -> F32:
        """float32 [H, W, 3 or 4], 0..1, resized to `size_px` if given. Raises UnreadableFile."""
        mode = "RGBA" if self.has_alpha else "RGB"
        with _opened(self.path) as stored:
            image = stored.convert(mode)
            if size_px is not None and image.size != size_px:
                image = image.resize(size_px, Image.Resampling.BOX)
            return np.asarray(image, np.float32) / np.float32(255)


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    try:
        with open_file(path) as file, Image.open(file) as image:
            yield image
    except Exception as error:  # Pillow raises nearly anything for a damaged file
        raise UnreadableFile(_says(error), path) from error


def _says(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return cannot_open(error, "photo")
    return "this photo cannot be decoded; copy it again from the data set"

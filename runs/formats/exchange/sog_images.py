"""The images of a SOG scene, decoded by Pillow after their size was checked against the number of splats."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from PIL import Image

from runs.advice import DAMAGED, EXPORT_SPLATS, UNTRUSTED
from runs.arrays import F32, U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.sog_parts import Parts

SPARE_PIXELS = 1 << 20  # rows that fill up the last block; the palette of view-dependent colour has 983,040 pixels at most


def pixels(parts: Parts, name: str, count: int) -> U8:
    """uint8 [count, 4], RGBA, row by row from the top left. Raises UnreadableFile or RefusedFile."""
    return picture(parts, name, count).reshape(-1, 4)[:count]


def picture(parts: Parts, name: str, count: int, spare: int = SPARE_PIXELS) -> U8:
    """uint8 [height, width, 4] of at least `count` and at most 2 `count` + `spare` pixels.

    Raises UnreadableFile or RefusedFile, before anything is decoded if the size is wrong.
    """
    with _opened(parts, name) as image:
        size = image.width * image.height
        if size < count:
            raise UnreadableFile(f"the image {name} has {size:,} pixels, not {count:,}; {EXPORT_SPLATS}", parts.path)
        if size > 2 * count + spare:
            raise RefusedFile(f"the image {name} has {size:,} pixels, far beyond {count:,}; {UNTRUSTED}", parts.path)
        return np.asarray(image.convert("RGBA"), np.uint8)


def width(parts: Parts, name: str) -> int:
    """Pixels; only the header of the image is read. Raises UnreadableFile or RefusedFile."""
    with _opened(parts, name) as image:
        return image.width


@contextmanager
def _opened(parts: Parts, name: str) -> Iterator[Image.Image]:
    try:
        with Image.open(io.BytesIO(parts.content(name).tobytes()), formats=("WEBP", "PNG")) as image:
            yield image
    except Image.DecompressionBombError as error:
        raise RefusedFile(f"the image {name} is far larger than its scene needs; {UNTRUSTED}", parts.path) from error
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise UnreadableFile(f"the image {name} cannot be decoded ({str(error)[:80]}); {DAMAGED}", parts.path) from error


def between(shares: F32, low: F32, high: F32) -> F32:
    """float32: `shares` (0..1) of the way from `low` to `high`."""
    return np.asarray(low + (high - low) * shares, np.float32)


def means_of(low_bytes: U8, high_bytes: U8, mins: F32, maxs: F32) -> F32:
    """float32 [N, 3]: 16 bits between the bounds of sign(x)·log(1 + |x|), turned back into x."""
    sixteen = low_bytes.astype(np.float64) + 256.0 * high_bytes
    logs = mins + (maxs.astype(np.float64) - mins) * (sixteen / 65535)
    return np.asarray(np.sign(logs) * np.expm1(np.abs(logs)), np.float32)

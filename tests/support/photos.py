"""Photos that exist only in memory: pictures of Gaussians, taken by the renderer."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from render.raster.cpu import rasterise
from render.splats import prepare
from runs.arrays import F32, U8
from runs.cameras import Camera
from runs.gaussians import Gaussians
from runs.photos import Photo


@dataclass(frozen=True, eq=False)
class DrawnPhoto(Photo):
    """A photo whose 8-bit pixels are given instead of a file."""

    stored: U8  # uint8 [H, W, 3 or 4]

    @property
    def size_px(self) -> tuple[int, int]:
        return self.stored.shape[1], self.stored.shape[0]

    @property
    def has_alpha(self) -> bool:
        return self.stored.shape[2] == 4

    def pixels(self, size_px: tuple[int, int] | None = None) -> F32:
        image = Image.fromarray(self.stored)
        if size_px is not None and image.size != size_px:
            image = image.resize(size_px, Image.Resampling.BOX)
        return np.asarray(image, np.float32) / np.float32(255)


def photos_of(
    gaussians: Gaussians, cameras: Iterable[Camera], *, background: float = 0.0, with_alpha: bool = False,
) -> dict[str, Photo]:
    """One photo per camera, before a grey level; with alpha the colours are straight, not premultiplied."""
    splats = prepare(gaussians)
    found: dict[str, Photo] = {}
    for camera in cameras:
        picture = rasterise(splats, camera, background=(background,) * 3)
        rgb = np.clip(picture.rgb, 0, 1)
        if with_alpha:
            straight = rasterise(splats, camera).rgb / np.maximum(picture.alpha, 1e-3)[..., None]
            rgb = np.concatenate([np.clip(straight, 0, 1), picture.alpha[..., None]], axis=2)
        found[camera.name] = DrawnPhoto(camera.name, Path("made-up") / camera.name, np.round(255 * rgb).astype(np.uint8))
    return found

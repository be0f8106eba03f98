"""What many views say about each splat and about each view: who is seen, what floats in front, what stays empty."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from render.raster.cpu import rasterise
from render.raster.picture import Contributions, Picture
from render.splats import Splats
from runs.arrays import F32, F64, I64, Array
from runs.cameras import Camera

LONGEST_PX: Final = 512  # cap of the longer side; weights are then summed over fewer, larger pixels
SEEN_WEIGHT: Final = 1 / 255  # one 8-bit step of one pixel: a view with less cannot be told from one without the splat
DEPTH_MARGIN: Final = 0.05  # of the depth: nearer to the main surface than this counts as on it
HOLE_ALPHA: Final = 0.5  # a pixel that lets more than half of the background through is a hole


@dataclass(frozen=True, eq=False)
class ViewStatistics:
    """Sums over the cameras for each of M splats, and one row for each of C cameras."""

    camera_names: tuple[str, ...]
    seen_by: I64  # int64 [M], cameras in which its weights sum to more than `SEEN_WEIGHT`
    weight_sum: F64  # float64 [M], over pixels and cameras
    weight_max: F32  # float32 [M], 0..1, largest in any pixel
    front_share: F64  # float64 [M], part of its weight clearly before the pixel's strongest splat; NaN where unseen
    split_share: F64  # float64 [M], part of its weight in pixels whose mean and strongest depth differ; NaN where unseen
    mean_alpha: F64  # float64 [C], 0..1
    hole_share: F64  # float64 [C], 0..1, pixels with alpha below `HOLE_ALPHA`


def capped(camera: Camera, longest_px: int = LONGEST_PX) -> Camera:
    """The camera with its longer side at most `longest_px`; itself where it is small enough."""
    factor = longest_px / max(camera.size_px)
    if factor >= 1:
        return camera
    width, height = (max(1, round(size * factor)) for size in camera.size_px)
    return camera.resized((width, height))


def front_weight(splats: Splats, camera: Camera, picture: Picture, margin: float = DEPTH_MARGIN) -> F32:
    """float32 [M], each splat's weight in pixels where it is nearer than the strongest splat by `margin` of its depth.

    `picture` is the same view. After SparseGS (Xiong et al. 2023): a floater is matter before the mode of a ray's weights.
    """
    return _weights_before(splats, camera, np.asarray((1 - margin) * picture.mode_depth, np.float32))


def split_weight(splats: Splats, camera: Camera, picture: Picture, margin: float = DEPTH_MARGIN) -> F32:
    """float32 [M], each splat's weight in pixels whose mean depth differs from the strongest splat's by over `margin` of it.

    Such a ray meets matter at two depths (SparseGS' test). Thin structures and glass look the same.
    """
    with np.errstate(invalid="ignore"):
        split = np.abs(picture.depth - picture.mode_depth) > margin * picture.mode_depth
    return _weights_before(splats, camera, np.where(split, np.float32(np.inf), np.float32(-np.inf)))


def view_statistics(
    splats: Splats, cameras: Iterable[Camera], *, longest_px: int = LONGEST_PX, margin: float = DEPTH_MARGIN,
    beat: Callable[[], None] = lambda: None,
) -> ViewStatistics:
    """Render every camera, at most `longest_px` on the longer side, and add up. `beat` is called before each rendering."""
    count = len(splats)
    seen_by, total, largest = np.zeros(count, np.int64), np.zeros(count), np.zeros(count, np.float32)
    front, split = np.zeros(count), np.zeros(count)
    rows: list[tuple[str, float, float]] = []
    for camera in cameras:
        beat()
        shown = capped(camera, longest_px)
        picture = rasterise(splats, shown, contributions=True)
        added = contributions_of(picture)
        seen_by += added.weight_sum > SEEN_WEIGHT
        total += added.weight_sum
        np.maximum(largest, added.weight_max, out=largest)
        beat()
        front += front_weight(splats, shown, picture, margin)
        beat()
        split += split_weight(splats, shown, picture, margin)
        rows.append((camera.name, float(picture.alpha.mean()), float((picture.alpha < HOLE_ALPHA).mean())))
    names, alphas, holes = zip(*rows, strict=True) if rows else ((), (), ())
    return ViewStatistics(tuple(names), seen_by, total, largest, _share(front, total), _share(split, total),
                          np.array(alphas, np.float64), np.array(holes, np.float64))


def brightness_ratio(picture: Array, photo: Array) -> float:
    """Mean grey of the picture over that of the photo, both 0..1; NaN where the photo is black.

    Its logarithm scatters by 0.01 over the views of a healthy run, and by 0.11 where exposure varies by 20 %.
    """
    grey = float(np.mean(photo))
    return float(np.mean(np.clip(picture, 0, 1))) / grey if grey > 0 else float("nan")


def contributions_of(picture: Picture) -> Contributions:
    """The contributions of a picture. Raises ValueError where it was rendered without them."""
    if picture.contributions is None:
        raise ValueError("this picture was rendered without contributions=True")
    return picture.contributions


def _weights_before(splats: Splats, camera: Camera, limits: F32) -> F32:
    return contributions_of(rasterise(splats, camera, contributions=True, counted_before=limits)).weight_sum


def _share(part: F64, whole: F64) -> F64:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 0)

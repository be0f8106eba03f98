"""Facts from pictures: the last checkpoint of the range rendered at training cameras, beside the photos where they are at hand.

Cost: at most 16 views of at most 512 px on the longer side, evenly chosen, each rendered twice; about 0.25 s per rendering
of a million Gaussians on two idle cores, so some 8 s. Per-Gaussian numbers are kept as sums, never per view and pixel.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.facts import cameras as camera_facts
from diagnostics.facts import lens, saved  # noqa: F401  (drawn_train_cameras)
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import BLACK, composite
from diagnostics.measures.contradictions import Contradictions
from diagnostics.measures.registration import Shift, residual_shift
from diagnostics.measures.surfaces import regional_depth
from diagnostics.measures.witnesses import ColourSpread, brightness_bias, effective_views, hear
from diagnostics.registry import fact
from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.raster.measures import LONGEST_PX, capped, contributions_of, front_weight
from render.raster.picture import Picture
from render.splats import Splats, prepare
from runs.arrays import F32, F64, I64
from runs.cameras import Camera
from runs.gaussians import Gaussians
from runs.run import Run

MOST_VIEWS = 16
DRAWN = f"in pictures of at most {LONGEST_PX} px"  # the size at which shifts are measured in pixels
SEEN_WEIGHT = 0.02  # of a pixel: below five 8-bit levels in the strongest pixel a splat does not count as seen
FEWEST_WITNESSES = 3  # two colours always agree about their mean half way between them


@dataclass(frozen=True, eq=False)
class View:
    """One camera at the size it was rendered at."""

    camera: Camera
    psnr: float | None  # dB of the render on black against the photo on black; None without photo
    shift: Shift | None  # None without photo, or where the picture cannot tell


@dataclass(frozen=True, eq=False)
class Views:
    """Every rendered training view, and what each of M splats did in them."""

    splats: Splats
    each: tuple[View, ...]
    weight: F64  # float64 [M], alpha × transmittance summed over pixels and training views
    front_weight: F64  # float64 [M], the part of it in pixels where the splat lies clearly before the region's surface
    largest: F32  # float32 [M], 0..1, the largest weight in any pixel
    effective_views: F64  # float64 [M], how many training views share its weight evenly
    frusta: I64  # int64 [M], training pictures in which its centre lies
    photo_spread: F64  # float64 [M], 0..1, how much the photos disagree about the colour at its place; NaN unknown
    contradictions: Contradictions  # which splats rule pixels against the photos


@fact(missing=f"{saved.CHECKPOINT}; {camera_facts.CAMERAS}")
def views(
    run: Run, gaussians: Gaussians, drawn_train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> Views:
    """The last checkpoint of the range at its cameras, with photos where they are at hand."""
    splats = prepare(gaussians)
    sums = _Sums(splats)
    each = []
    for camera in evenly(drawn_train_cameras, MOST_VIEWS):
        beat()
        each.append(_look(run, splats, camera, sums))
    return Views(splats, tuple(each), *sums.results())


@fact(missing=PHOTOS)
def photographed(views: Views) -> tuple[View, ...] | None:
    """Training views that have a photo; at least one."""
    return tuple(view for view in views.each if view.psnr is not None) or None


def _look(run: Run, splats: Splats, camera: Camera, sums: "_Sums") -> View:
    shown = capped(camera)
    photo = photo_at(run, shown)
    picture = rasterise(splats, shown, contributions=True)
    if photo is None:
        sums.add(shown, picture, None)
        return View(shown, None, None)
    on_black = composite(photo, BLACK)
    sums.add(shown, picture, on_black)
    return View(shown, psnr(picture.rgb, on_black), residual_shift(np.clip(picture.rgb, 0, 1), on_black))


class _Sums:
    """Adds up what the splats did, view by view."""

    def __init__(self, splats: Splats) -> None:
        count = len(splats)
        self.splats = splats
        self.total, self.squares = np.zeros(count), np.zeros(count)
        self.front, self.frusta = np.zeros(count), np.zeros(count, np.int64)
        self.largest = np.zeros(count, np.float32)
        self.colours = ColourSpread.empty(count)
        self.contradictions = Contradictions.empty(count)

    def add(self, camera: Camera, picture: Picture, photo: F32 | None) -> None:
        added = contributions_of(picture)
        said = hear(self.splats.means, camera, picture.mode_depth, photo)
        self.total += added.weight_sum
        self.squares += added.weight_sum.astype(np.float64) ** 2
        self.front += front_weight(self.splats, camera, replace(picture, mode_depth=regional_depth(picture.mode_depth)))
        self.frusta += said.inside
        np.maximum(self.largest, added.weight_max, out=self.largest)
        if photo is not None and said.photo is not None:
            seen = said.inside & ~said.behind & (added.weight_max > SEEN_WEIGHT)
            self.colours.add(seen, said.photo - brightness_bias(photo, picture.rgb))
            self.contradictions.add(picture, photo)

    def results(self) -> tuple[F64, F64, F32, F64, I64, F64, Contradictions]:
        return (self.total, self.front, self.largest, effective_views(self.total, self.squares), self.frusta,
                self.colours.deviation(FEWEST_WITNESSES), self.contradictions)

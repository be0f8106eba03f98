"""Facts from pictures: the last checkpoint of the range rendered at training cameras, beside the photos where they are at hand.

Cost: at most 16 views of at most 512 px on the longer side, evenly chosen, each rendered twice; about 0.25 s per rendering
of a million Gaussians on two idle cores, so some 8 s. Per-Gaussian numbers are kept as sums, never per view and pixel.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, saved  # noqa: F401  (photos_alike, drawn_train_cameras)
from diagnostics.facts import cameras as camera_facts
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import BLACK, composite
from diagnostics.measures.contradictions import Contradictions
from diagnostics.measures.detail import Detail, detail_of
from diagnostics.measures.hiding import surface_limits
from diagnostics.measures.registration import Shift, residual_shift
from diagnostics.measures.rejection import Rejection, Strengths, fitting
from diagnostics.measures.witnesses import ColourSpread, brightness_bias, effective_views, hear
from diagnostics.registry import fact
from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.raster.measures import LONGEST_PX, capped, contributions_of
from render.raster.picture import Picture
from render.raster.removal import removal
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
    detail: Detail | None = None  # None without photo


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
    nearest: F64  # float64 [M], the smallest depth at which a training picture shows its centre, world units; inf where none does
    photo_spread: F64  # float64 [M], 0..1, how much the photos disagree about the colour at its place; NaN unknown
    contradictions: Contradictions  # which splats rule pixels against the photos
    rejection: Strengths | None  # how clearly the photos would do without it; None without photos


@fact(missing=f"{saved.CHECKPOINT}; {camera_facts.CAMERAS}")
def views(
    run: Run, gaussians: Gaussians, drawn_train_cameras: tuple[Camera, ...], beat: Callable[[], None],
    photos_alike: bool | None = None,
) -> Views:
    """The last checkpoint of the range at its cameras, with photos where they are at hand and show what was drawn."""
    splats = prepare(gaussians)
    sums = _Sums(splats)
    each = []
    for camera in evenly(drawn_train_cameras, MOST_VIEWS):
        beat()
        shown = capped(camera)
        each.append(_look(splats, shown, photo_at(run, shown) if photos_alike else None, sums))
    return Views(splats, tuple(each), *sums.results())


@fact(missing=PHOTOS)
def photographed(views: Views, photos_alike: bool) -> tuple[View, ...] | None:  # noqa: ARG001  (else no photo was asked)
    """Training views that have a photo; at least one."""
    return tuple(view for view in views.each if view.psnr is not None) or None


def _look(splats: Splats, shown: Camera, photo: F32 | None, sums: "_Sums") -> View:
    picture = rasterise(splats, shown, contributions=True)
    sums.add(shown, picture, photo)
    if photo is None:
        return View(shown, None, None)
    on_black = composite(photo, BLACK)
    shift = residual_shift(np.clip(picture.rgb, 0, 1), on_black)
    return View(shown, psnr(picture.rgb, on_black), shift, detail_of(picture, photo))


class _Sums:
    """Adds up what the splats did, view by view."""

    def __init__(self, splats: Splats) -> None:
        count = len(splats)
        self.splats = splats
        self.total, self.squares = np.zeros(count), np.zeros(count)
        self.front, self.frusta = np.zeros(count), np.zeros(count, np.int64)
        self.largest, self.nearest = np.zeros(count, np.float32), np.full(count, np.inf)
        self.colours, self.contradictions = ColourSpread.empty(count), Contradictions.empty(count)
        self.rejection = Rejection.empty(count)

    def add(self, camera: Camera, picture: Picture, photo: F32 | None) -> None:
        """One more view; its photo [H, W, 3 or 4] as it is stored."""
        added, on_black = contributions_of(picture), None if photo is None else composite(photo, BLACK)
        said = hear(self.splats.means, camera, picture.mode_depth, on_black)
        self.total += added.weight_sum
        self.squares += added.weight_sum.astype(np.float64) ** 2
        self.frusta += said.inside
        self.nearest = np.where(said.inside, np.minimum(self.nearest, said.depth), self.nearest)
        np.maximum(self.largest, added.weight_max, out=self.largest)
        self._take_away(camera, picture, photo)
        if on_black is not None and said.photo is not None:
            seen = said.inside & ~said.behind & (added.weight_max > SEEN_WEIGHT)
            self.colours.add(seen, said.photo - brightness_bias(on_black, picture.rgb))
            self.contradictions.add(picture, on_black)

    def _take_away(self, camera: Camera, picture: Picture, photo: F32 | None) -> None:
        """What hangs before the region's surface, and what the photo says to each splat: one pass tells both."""
        shown, wanted = (picture.rgb, picture.rgb) if photo is None else fitting(picture, photo)
        found = removal(self.splats, camera, shown, wanted, surface_limits(picture))
        self.front += found.front_weight
        if photo is not None:
            self.rejection.add(found)

    def results(self) -> tuple[F64, F64, F32, F64, I64, F64, F64, Contradictions, Strengths | None]:
        return (self.total, self.front, self.largest, effective_views(self.total, self.squares), self.frusta, self.nearest,
                self.colours.deviation(FEWEST_WITNESSES), self.contradictions, self.rejection.strengths(self.splats.means))

"""Looking at a save with its Gaussians kept: the best place of each camera, and the lens that all of them ask for."""

from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

import numpy as np

from diagnostics.facts.photos import PHOTOS, evenly
from diagnostics.optimiser.views import View
from diagnostics.probes.answer import Shot
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.material import views
from diagnostics.probes.pose_common import lens_alone, own_moves
from diagnostics.probes.pose_flow import NOTHING, SAME_LENS, moved
from diagnostics.probes.pose_found import Moves, PoseLimits, moves_of
from diagnostics.probes.pose_views import DRAWS, Fitted, fitted
from diagnostics.probes.sh_drawn import Drawn, drawn_at
from diagnostics.probes.sh_pictures import beside
from render.raster.picture import Picture
from runs.arrays import F32, F64
from runs.cameras import Camera

LONGEST_PX, MOST_VIEWS, FEWEST_VIEWS = 256, 24, 3
DRAWING_SHARE = 0.5  # of the time that the probe may take
PART = 0.75  # of the whole probe's work


@dataclass(frozen=True)
class LensLimits:
    """From which numbers on all photos ask for another lens; see the probe's page."""

    focal: float
    aside: float
    halved: float  # of the moves that one lens must leave at most


@dataclass(frozen=True, eq=False)
class Looked:
    """What views say with the Gaussians kept."""

    drawn: Drawn
    shown: tuple[View, ...]  # as they were placed, photos with them
    fits: tuple[Fitted, ...]
    moves: Moves
    lens: F64 | None  # float64 [3], that all views ask for; the moves are then measured through it
    full: Camera  # the first one, at the size that trained
    names: tuple[str, ...]  # all training cameras
    fewer: str  # why fewer views were looked at; empty where it were not


def looked(bench: Bench, poses: PoseLimits, lenses: LensLimits) -> Looked:
    """Raises OutOfReach where too few views can be held against their photos."""
    drawn = drawn_at(bench, LONGEST_PX)
    most, fewer = _affordable(bench, drawn)
    shown = views(bench, evenly(drawn.source.train, most), drawn.source.background)
    if len(shown) < FEWEST_VIEWS:
        raise OutOfReach(f"at least {FEWEST_VIEWS} training views with photos (there are {len(shown)})" if shown else PHOTOS)
    full = {camera.name: camera for camera in bench.fact("drawn_cameras")}
    fits = _fits(bench, drawn, shown, SAME_LENS, 0.0)
    asked = lens_alone(fits)
    far = abs(asked.lens[0]) > lenses.focal or float(np.hypot(*asked.lens[1:])) > lenses.aside
    lens = asked.lens if far and asked.left_px < lenses.halved * asked.before_px else None
    if lens is not None:
        fits = _fits(bench, drawn, shown, lens, 0.5)
    factors = [full[view.name].size_px[0] / view.camera.size_px[0] for view in shown]
    return Looked(drawn, shown, fits, moves_of(fits, own_moves(fits), factors, poses), lens, full[shown[0].name],
                  tuple(camera.name for camera in drawn.source.train), fewer)


def _affordable(bench: Bench, drawn: Drawn) -> tuple[int, str]:
    """As many views as fit into the time, by the time of one picture (the second: the first compiles)."""
    camera = drawn.source.train[0]
    drawn.picture(camera)
    bench.beat()
    started = monotonic()
    drawn.picture(camera)
    seconds = max(monotonic() - started, 1e-3)
    count = int(DRAWING_SHARE * bench.seconds_left / (seconds * DRAWS))
    if count >= min(MOST_VIEWS, len(drawn.source.train)):
        return MOST_VIEWS, ""
    return max(FEWEST_VIEWS, count), f"one picture takes {seconds:.1f} s"


def _fits(bench: Bench, drawn: Drawn, shown: tuple[View, ...], lens: F64, start: float) -> tuple[Fitted, ...]:
    """Each view's best move, through another lens where one is given."""
    fits = []
    for number, view in enumerate(shown):
        bench.progress(PART * (start + (1 - start) * number / len(shown)), f"where {view.name} fits best")
        through = View(moved(view.camera, NOTHING, lens), view.photo)
        fits.append(fitted(partial(_draw, bench, drawn), through))
        bench.point("PSNR by view, as it stands", "dB", number, fits[-1].psnr_before)
        bench.point("PSNR by view, from the best place", "dB", number, fits[-1].psnr_after)
    return tuple(fits)


def _draw(bench: Bench, drawn: Drawn, camera: Camera) -> Picture:
    bench.beat()
    picture = drawn.picture(camera)
    return replace(picture, rgb=drawn.corrected(picture, camera))


def shot_of(found: Looked) -> Shot:
    """The view that stands worst, or moves most: as it is drawn, its photo, and drawn from the best place."""
    worst = found.moves.wrong[0].name if found.moves.wrong else max(found.moves.each, key=lambda one: one.motion_px).name
    place = next(i for i, view in enumerate(found.shown) if view.name == worst)
    before, after = (_rgb(found.drawn, camera) for camera in (
        found.shown[place].camera, moved(found.fits[place].camera, found.fits[place].pose)))
    return Shot(f"{worst}: render | photo | render from the best place", beside(before, found.shown[place].photo, after), worst)


def _rgb(drawn: Drawn, camera: Camera) -> F32:
    return drawn.corrected(drawn.picture(camera), camera)

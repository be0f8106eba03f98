"""Facts about evaluations: how many views each of them was of, and what the saved Gaussians give on the held-out views."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, logged, saved  # noqa: F401  (the facts named below)
from diagnostics.facts.logged import logged as series_of
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.facts.redrawn import CORRECTED, corrects
from diagnostics.measures.backgrounds import COLOURS, composite, over
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import Splats, prepare
from runs.arrays import F32
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.series import Series

MOST_DRAWN, LONGEST_SIDE_PX = 8, 1024
VIEW_COUNTS = ("test/views", "test/num_views", "raw/test_views", "raw/eval_views", "raw/num_eval_images")


@dataclass(frozen=True)
class Score:
    """What was logged of some views, and what the saved Gaussians give on them: the background that comes nearer."""

    logged_db: float
    drawn_db: float
    swapped_db: float  # against photos whose red and blue are exchanged
    views: int
    source: str

    @property
    def off_db(self) -> float:
        """How much better the saved Gaussians are than the log says."""
        return self.drawn_db - self.logged_db


@dataclass(frozen=True)
class Rescored:
    """Held-out and training views of one save."""

    iteration: int
    test: Score
    train: Score | None  # None where no evaluation of training views is logged at that iteration


@fact(missing="how many views each evaluation was of (series test/views)")
def evaluated_views(run: Run, span: tuple[int, int]) -> Series | None:
    """Views per evaluation, where a log tells them."""
    return next((series for name in VIEW_COUNTS if (series := series_of(run, span, name)) is not None), None)


@fact(missing=f"{PHOTOS}, with a logged test PSNR (series test/psnr) at the iteration of a saved point cloud")
def rescored(
    run: Run, checkpoints: tuple[Checkpoint, ...], drawn_cameras: tuple[Camera, ...], test_psnr: Series, photos_alike: bool,  # noqa: ARG001
    beat: Callable[[], None], train_psnr: Series | None = None,
) -> Rescored | NotEvaluable | None:
    """The last save whose evaluation is logged, at most eight views of each kind."""
    if corrects(run.exposures) or run.settings.value("train_test_exp") is True:
        return NotEvaluable((CORRECTED,))
    saves = [c for c in checkpoints if np.isfinite(test_psnr.at(c.iteration) or np.nan) and not alike.is_rounded(c)]
    held_out = tuple(camera for camera in drawn_cameras if camera.split == "test")
    if not saves or not held_out:
        return None
    splats, iteration = prepare(saves[-1].gaussians), saves[-1].iteration
    test = _score(run, splats, held_out, test_psnr, iteration, beat)
    trained = tuple(camera for camera in drawn_cameras if camera.split == "train")
    train = None if train_psnr is None else _score(run, splats, trained, train_psnr, iteration, beat)
    return None if test is None else Rescored(iteration, test, train)


def _score(
    run: Run, splats: Splats, cameras: tuple[Camera, ...], series: Series, iteration: int, beat: Callable[[], None],
) -> Score | None:
    logged_db = series.at(iteration)
    if logged_db is None or not np.isfinite(logged_db):
        return None
    rows = []
    for camera in evenly(tuple(c for c in cameras if c.name in run.photos), MOST_DRAWN):
        beat()
        small = capped(camera, LONGEST_SIDE_PX)
        photo = photo_at(run, small)
        if photo is not None:
            rows.append(_drawn(splats, small, photo))
    if not rows:
        return None
    drawn, swapped = np.mean(rows, axis=0)  # [backgrounds] each
    return Score(logged_db, float(drawn.max()), float(swapped[int(drawn.argmax())]), len(rows), series.source)


def _drawn(splats: Splats, camera: Camera, photo: F32) -> list[list[float]]:
    """PSNR before each background, against the photo and against the photo with red and blue exchanged."""
    picture = rasterise(splats, camera)
    pairs = [(over(picture.rgb, picture.alpha, colour), composite(photo, colour)) for colour in COLOURS]
    return [[psnr(shown, target) for shown, target in pairs], [psnr(shown, target[..., ::-1]) for shown, target in pairs]]

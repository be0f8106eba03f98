"""Facts about the lens: around which point of the picture the trainer drew, and its cameras as it drew through them.

cameras.json stores no principal point, so the run's cameras carry that of the COLMAP model. Trainers honour it or draw
around the image centre, as INRIA's does; no file says which, so a few views are drawn both ways and held against the photos.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.facts import alike, saved  # noqa: F401  (renders_alike, photos_alike, checkpoint)
from diagnostics.facts import cameras as camera_facts
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
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

OFF_CENTRE_PX = 0.5  # nearer than that to the centre, both ways give the same pixels
MOST_TRIED = 5
# Below it nothing is decided. Where the principal point was honoured, the centre costs 0.6-10 dB at all nine saves of two
# real runs, one of them with wrong poses. Drawing 0.6 px beside the point that was used costs 0.3-13 dB in five trained
# models, and nothing in those that show no edge, where it does not matter either.
LEAST_GAIN_DB = 0.1
PRINCIPAL_POINTS = "the cameras' principal points (the COLMAP model with --data)"


@dataclass(frozen=True, eq=False)
class Trial:
    """One training view against its photo, drawn both ways."""

    name: str  # of the camera
    around_point_db: float
    around_centre_db: float


@dataclass(frozen=True, eq=False)
class Lens:
    """Training cameras whose principal point is off the image centre, and what drawing around either one gives."""

    off_centre: tuple[Camera, ...]
    trials: tuple[Trial, ...]  # none where no camera is off the centre
    iteration: int

    @property
    def gain_db(self) -> float | None:
        """Median over the tried views of what drawing around the image centre gains; None where nothing was tried."""
        gains = [trial.around_centre_db - trial.around_point_db for trial in self.trials]
        return float(np.median(gains)) if gains else None

    @property
    def centred(self) -> bool:
        """The trainer drew around the image centre although the principal point lies elsewhere; False where undecided."""
        return self.gain_db is not None and self.gain_db > LEAST_GAIN_DB


def offset_px(camera: Camera) -> tuple[float, float]:
    """How far right of and below the image centre the principal point lies."""
    return camera.cx - camera.size_px[0] / 2, camera.cy - camera.size_px[1] / 2


def around_centre(camera: Camera) -> Camera:
    """The same camera with its principal point in the image centre."""
    return replace(camera, cx=camera.size_px[0] / 2, cy=camera.size_px[1] / 2)


@fact(missing=PHOTOS)
def lens(
    run: Run, checkpoint: Checkpoint, train_cameras: tuple[Camera, ...], photos_alike: bool, beat: Callable[[], None],  # noqa: ARG001
) -> Lens | NotEvaluable | None:
    """From at most five training views of the last checkpoint of the range, drawn around either point."""
    if not any(camera.has_principal_point for camera in train_cameras):
        return NotEvaluable((PRINCIPAL_POINTS,))
    off = tuple(camera for camera in train_cameras if max(map(abs, offset_px(camera))) > OFF_CENTRE_PX)
    if not off:
        return Lens((), (), checkpoint.iteration)
    splats, trials = prepare(checkpoint.gaussians), []
    for camera in evenly(tuple(camera for camera in off if camera.name in run.photos), MOST_TRIED):
        beat()
        shown = capped(camera)
        photo = photo_at(run, shown)
        if photo is not None:
            trials.append(Trial(camera.name, _fit(splats, shown, photo), _fit(splats, around_centre(shown), photo)))
    return Lens(off, tuple(trials), checkpoint.iteration) if trials else None


@fact(missing=camera_facts.CAMERAS)
def drawn_cameras(
    cameras: tuple[Camera, ...], renders_alike: bool, lens: Lens | None = None,  # noqa: ARG001  (else nothing may be drawn)
) -> tuple[Camera, ...]:
    """Every camera as the trainer drew through it: whatever is held against photos is drawn through these."""
    return tuple(map(around_centre, cameras)) if lens is not None and lens.centred else cameras


@fact(missing=camera_facts.CAMERAS)
def drawn_train_cameras(
    train_cameras: tuple[Camera, ...], renders_alike: bool, lens: Lens | None = None,  # noqa: ARG001  (else nothing may be drawn)
) -> tuple[Camera, ...]:
    """The training cameras as the trainer drew through them."""
    return tuple(map(around_centre, train_cameras)) if lens is not None and lens.centred else train_cameras


def _fit(splats: Splats, camera: Camera, photo: F32) -> float:
    """dB, before black or white, whichever fits better: a wrong background must not hide the lens."""
    picture = rasterise(splats, camera)
    return max(psnr(over(picture.rgb, picture.alpha, colour), composite(photo, colour)) for colour in COLOURS)

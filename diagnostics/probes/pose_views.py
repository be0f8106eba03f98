"""Finding, view by view, the small move of the camera under which a save, kept as it is, fits the photo best."""

from collections.abc import Callable
from dataclasses import dataclass

from diagnostics.optimiser.views import View
from diagnostics.probes.pose_fit import Residual, residual
from diagnostics.probes.pose_flow import NOTHING, added, moved
from render.raster.compare import psnr
from render.raster.picture import Picture
from runs.arrays import F64
from runs.cameras import Camera

Draw = Callable[[Camera], Picture]
BLURS = (1 / 16, 1 / 32, 1 / 64, 1 / 128)  # of the longer side: a blur of so much finds moves of about as much
STEPS_PER_BLUR = 3
CONVERGED_PX = 0.01
DRAWS = 13  # pictures of one view, measured: 8-13
DAMPING, EASIER, HARDER, HOPELESS = 1e-3, 1 / 3, 30.0, 100.0  # Levenberg and Marquardt's


@dataclass(frozen=True, eq=False)
class Fitted:
    """One view before and after its camera was moved. Pixels are those of the size that is worked at."""

    camera: Camera  # as it was
    pose: F64  # float64 [6], the move found
    motion: F64  # float64 [9, 9], px^2 that a move of POSE and LENS makes
    depth: float  # median distance of what is shown, world units
    uncertainty_px: float
    before: float  # mean squared difference, exposure fitted, slightly blurred
    after: float
    varied: float  # the photo's own variance
    psnr_before: float  # dB, as drawn
    psnr_after: float

    @property
    def name(self) -> str:
        return self.camera.name

    @property
    def explained(self) -> float:
        """Part of the squared difference that the move takes away."""
        return 1 - self.after / self.before if self.before > 0 else 0.0

    @property
    def unexplained(self) -> float:
        """What is left, over the photo's own variance: 1 for a flat colour."""
        return self.after / self.varied if self.varied > 0 else float("inf")


@dataclass(frozen=True, eq=False)
class _Standing:
    """Where the search stands."""

    pose: F64
    picture: Picture
    camera: Camera


def fitted(draw: Draw, view: View) -> Fitted:
    """Coarse to fine, some five to ten pictures. The best place found counts: where no move helps, none is made."""
    start = _Standing(NOTHING, draw(view.camera), view.camera)
    blurs = [part * max(view.camera.size_px) for part in BLURS]
    standing = start
    for blur in blurs:
        standing = _refined(draw, view, standing, blur)
    first, last = _look(view, start, blurs[-1]), _look(view, standing, blurs[-1])
    if not last.cost(first.noise) < first.cost(first.noise):
        standing = _refined(draw, view, start, blurs[-1])
        last = _look(view, standing, blurs[-1])
    return Fitted(
        view.camera, standing.pose, last.motion, last.depth, last.uncertainty_px, first.squares, last.squares, first.varied,
        psnr(start.picture.rgb, view.photo), psnr(standing.picture.rgb, view.photo),
    )


def _look(view: View, standing: _Standing, blur: float) -> Residual:
    return residual(standing.picture, view.photo, standing.camera, blur)


def _refined(draw: Draw, view: View, standing: _Standing, blur: float) -> _Standing:
    """A few steps at one blur; only those that bring the picture nearer to the photo are taken."""
    found, damping = _look(view, standing, blur), DAMPING
    for _ in range(STEPS_PER_BLUR):
        step = found.step(damping)
        if not CONVERGED_PX < found.length_px(step) < max(view.camera.size_px):
            break
        pose = added(standing.pose, step)
        camera = moved(view.camera, pose)
        tried = _Standing(pose, draw(camera), camera)
        there = _look(view, tried, blur)
        if there.cost(found.noise) < found.cost(found.noise):
            standing, found, damping = tried, there, damping * EASIER
        else:
            damping *= HARDER
            if damping > HOPELESS:
                break
    return standing

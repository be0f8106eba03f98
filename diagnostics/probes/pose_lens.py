"""Another lens for all cameras, learned along in a short training from the run's first points.

Gaussians that were trained through a wrong lens have bent to it and no longer ask for another one; while they form, they do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnostics.optimiser.optimiser import Engine, Optimiser
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from diagnostics.probes.pose_flow import LENS, NOTHING, SAME_LENS, moved
from render.raster.gradients import Gradients, Rendering
from render.raster.parameters import Parameters
from runs.arrays import F32, F64, Array
from runs.cameras import Camera

STEPS = 300
STARTS = (1.0, 0.5, 2.0)  # factors on the focal length: photos of another size are off by whole factors
RATES = (8e-3, 3e-3, 3e-3)  # of LENS per step, falling with the square of what is left
LAST_RATE = 0.05  # of the first one
BETAS, TINY = (0.9, 0.99), 1e-15  # Adam's


@dataclass(frozen=True, eq=False)
class LensTrial:
    """What another lens for all cameras gives in the same short training."""

    lens: F64  # float64 [3], LENS
    psnr: float  # dB, mean over all views, with that lens
    psnr_as_is: float  # dB, with the cameras as they are
    views: int
    points: int
    size_px: tuple[int, int]
    steps: int  # of each training

    @property
    def gain_db(self) -> float:
        return self.psnr - self.psnr_as_is


def lens_trial(
    data: TrainingData, seed: int, white: bool, engine: Engine, told: Callable[[float, str], None], steps: int = STEPS,
) -> LensTrial:
    """Learns the lens from three focal lengths and trains once more through the best one, and once as it is.

    `told` is called after each step with 0..1 and what is being done; it may raise.
    """
    settings = OptimiserSettings.mini(
        iterations=steps, seed=seed, white_background=white, sh_degree=0, densify_until_iter=0, opacity_reset_interval=10 * steps,
        test_iterations=(), save_iterations=(), checkpoint_iterations=())
    trainings = len(STARTS) + 2

    def trained(lens: F64, number: int, learns: bool) -> tuple[float, F64]:
        learner = _Learner(engine, lens, steps if learns else 0)
        optimiser = Optimiser(data, settings, engine=learner)
        optimiser.run(progress=lambda step: told((number + step.iteration / steps) / trainings, "a short training, its lens "
                                                 + ("learned along" if learns else "kept")))
        learner.steps = 0
        return float(np.mean([*optimiser.evaluate((*data.train, *data.test)).values()])), learner.lens

    learned = [trained(np.array([np.log(start), 0.0, 0.0]), number, True) for number, start in enumerate(STARTS)]
    best = max(learned, key=lambda one: one[0])[1]
    as_is, with_lens = (trained(lens, len(STARTS) + number, False)[0] for number, lens in enumerate((SAME_LENS, best)))
    return LensTrial(best, with_lens, as_is, len(data.train) + len(data.test), len(data.points), data.train[0].camera.size_px,
                     steps)


class _Learner:
    """A renderer that looks through a lens of its own, and learns it by Adam in so many steps from the same gradients."""

    def __init__(self, engine: Engine, lens: F64, steps: int) -> None:
        self.engine, self.lens, self.steps = engine, lens.copy(), steps
        self._taken, self._mean, self._square = 0, np.zeros(LENS), np.zeros(LENS)

    def __call__(self, parameters: Parameters, camera: Camera, **how: Any) -> Rendering:
        through = moved(camera, NOTHING, self.lens)
        return _Seen(self.engine(parameters, through, **how), through, self.felt)

    def felt(self, gradient: F64) -> None:
        """One step of Adam; the gradient is dL / dLENS."""
        if not self.steps:
            return
        left = 1 - self._taken / self.steps
        self._taken += 1
        (slow, slower), rate = BETAS, np.array(RATES) * (LAST_RATE + (1 - LAST_RATE) * left**2)
        self._mean = slow * self._mean + (1 - slow) * gradient
        self._square = slower * self._square + (1 - slower) * gradient**2
        mean, square = self._mean / (1 - slow**self._taken), self._square / (1 - slower**self._taken)
        self.lens = self.lens - rate * mean / (np.sqrt(square) + TINY)


@dataclass(frozen=True, eq=False)
class _Seen:
    """A rendering that passes on how the loss changes with the lens."""

    drawn: Rendering
    camera: Camera
    felt: Callable[[F64], None]

    @property
    def rgb(self) -> Array:
        return self.drawn.rgb

    @property
    def alpha(self) -> Array:
        return self.drawn.alpha

    @property
    def radii_px(self) -> F32:
        return self.drawn.radii_px

    def backward(self, rgb_gradient: Array, alpha_gradient: Array | None = None) -> Gradients:
        gradients = self.drawn.backward(rgb_gradient, alpha_gradient)
        self.felt(_to_lens(np.asarray(self.drawn.rgb, np.float64), np.asarray(rgb_gradient, np.float64), self.camera))
        return gradients


def _to_lens(rgb: F64, gradient: F64, camera: Camera) -> F64:
    """float64 [3]: dL / dLENS for dL / drgb; a lens moves what is drawn, whatever its depth."""
    down, across = ((gradient * slope).sum(axis=2) for slope in np.gradient(rgb, axis=(0, 1)))
    width, height = camera.size_px
    x, y = np.arange(width) + 0.5 - camera.cx, np.arange(height) + 0.5 - camera.cy
    zoomed = across.sum(axis=0) @ x + down.sum(axis=1) @ y
    return -np.array([zoomed, width * across.sum(), width * down.sum()])

"""A watch over one training: after each part of a step it looks for the first value that is not finite, and keeps the largest
that were seen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from diagnostics.facts.rates import TITLES
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.loss import Loss, Target, photometric_loss
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.step import INRIA_NAMES
from render.raster.gradients import Gradients
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import F32, I64, Array

# A covariance holds squared scales: exp(2 x) leaves single precision at half of 88.7.
LARGEST_LOG_SCALE = 44.36
SMALLEST_QUAT = 1e-19  # its square is no normal number of single precision, so the quotient by its length is no rotation
LARGEST_GRADIENT = 1.84e19  # square root of the largest number of single precision: Adam's second moment holds squares

SQUARED_SCALES, ROTATIONS = "squared scales, exp(2 x log scale)", "rotations, quaternion / its length"
ENOUGH = 10  # steps, for a median of what came before


@dataclass(eq=False)
class Broken(Exception):
    """The first tensor with a value that is not finite."""

    tensor: str
    stage: str  # "photo", "picture", "loss", "gradients", "parameters", "moments", "activations"
    values: int  # that are not finite
    rows: I64  # Gaussians that hold them; empty where it is a picture or a number
    iteration: int = 0
    view: str = ""
    before: Parameters | None = None  # the Gaussians before the step


@dataclass(frozen=True)
class Largest:
    """Largest magnitudes of one step, or of all."""

    gradient: float = 0.0
    step: float = 0.0  # in learning rates
    log_scale: float = float("-inf")
    quat: float = float("inf")  # shortest quaternion

    def joined(self, other: "Largest") -> "Largest":
        return Largest(max(self.gradient, other.gradient), max(self.step, other.step), max(self.log_scale, other.log_scale),
                       min(self.quat, other.quat))


@dataclass(eq=False)
class Watch:
    """Recipe steps that look before they hand on. Each raises Broken."""

    gradients_seen: list[float] = field(default_factory=list)  # largest magnitude of each step

    def loss(self, picture: F32, target: Target, settings: OptimiserSettings) -> Loss:
        """Photo, picture, each term, and the gradient of the picture, in this order."""
        _numbers("the photo", "photo", target.photo)
        _numbers("the picture", "picture", picture)
        loss = photometric_loss(picture, target, settings)
        for name, value in (("L1", loss.l1), ("SSIM", loss.ssim), ("the loss", loss.total)):
            _numbers(name, "loss", np.array([value]))
        _numbers("the gradient of the picture", "loss", loss.rgb_gradient)
        return loss

    def gradients(self, _context: Context, gradients: Gradients) -> Gradients:
        """Each group; keeps the largest."""
        for name in GROUPS:
            _rows(f"gradients of the {titled(name)}", "gradients", getattr(gradients, name))
        self.gradients_seen.append(max(_largest(getattr(gradients, name)) for name in GROUPS))
        return gradients

    @property
    def growth(self) -> float:
        """Largest gradient of the last step / median of those before it; NaN where there were fewer than ten."""
        before = [value for value in self.gradients_seen[:-1] if value > 0]
        return self.gradients_seen[-1] / float(np.median(before)) if len(before) >= ENOUGH else float("nan")


def look_at_parameters(parameters: Parameters) -> None:
    """Raises Broken for a parameter that is not finite, and for one whose exp or quotient is not, in any trainer."""
    for name in GROUPS:
        _rows(titled(name), "parameters", getattr(parameters, name))
    for what, bad in unsafe(parameters):
        if bad.any():
            raise Broken(what, "activations", int(bad.sum()), np.flatnonzero(bad))


def look_at_moments(name: str, mean: Array, square: Array) -> None:
    """Raises Broken."""
    _rows(f"Adam's mean of the gradients of the {titled(name)}", "moments", mean)
    _rows(f"Adam's mean of the squared gradients of the {titled(name)}", "moments", square)


def unsafe(parameters: Parameters) -> Iterator[tuple[str, Array]]:
    """(what is not finite once it is computed from finite parameters, bool [N]); our own renderer passes such rows over."""
    yield SQUARED_SCALES, np.asarray((parameters.log_scales > LARGEST_LOG_SCALE).any(axis=1))
    yield ROTATIONS, np.asarray(lengths(parameters.quats_wxyz) < SMALLEST_QUAT)


def magnitudes(
    before: Parameters, parameters: Parameters, rates: Mapping[str, float], gradient: float, groups: tuple[str, ...],
) -> Largest:
    """Of one step; its length that of the `groups` which Adam alone has moved."""
    steps = [_largest(getattr(parameters, name) - getattr(before, name)) / rates[name] for name in groups if rates[name] > 0]
    return Largest(gradient, max(steps, default=0.0), float(parameters.log_scales.max(initial=-np.inf)),
                   float(lengths(parameters.quats_wxyz).min(initial=np.inf)))


def lengths(quats: Array) -> Array:
    """[N]; in double precision, so that short ones are told from zero."""
    return np.asarray(np.sqrt(np.square(quats, dtype=np.float64).sum(axis=1)))


def titled(group: str) -> str:
    """A parameter group in words."""
    return TITLES[INRIA_NAMES[group]]


def _numbers(tensor: str, stage: str, values: Array) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        raise Broken(tensor, stage, int(bad.sum()), np.zeros(0, np.int64))


def _rows(tensor: str, stage: str, values: Array) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        raise Broken(tensor, stage, int(bad.sum()), np.flatnonzero(bad.reshape(len(bad), -1).any(axis=1)))


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))

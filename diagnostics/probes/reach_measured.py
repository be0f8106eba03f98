"""Which Gaussians get a gradient from any view, why the others get none, and whom truncated gradients would reach."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from diagnostics.measures.frusta import seen_by
from diagnostics.optimiser import phases
from diagnostics.optimiser.loss import Target, photometric_loss
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.truncgrad import TruncGrad
from diagnostics.optimiser.views import View
from render.projection import NEAR
from render.raster import cpu
from render.raster.differentiable import Rendered, render
from render.raster.measures import contributions_of
from render.raster.parameters import Parameters
from render.raster.truncated import surrogate
from render.splats import prepare
from runs.arrays import I64, Array, Mask
from runs.cameras import Camera

CODE = TruncGrad.of_code()
BACKGROUND_LEVELS = 4  # of 255, by which a photo's background differs from the colour it is meant to have
Told = Callable[[float], None]  # 0..1, between views; raises Cancelled


@dataclass(frozen=True, eq=False)
class Reach:
    """Gaussians by what reaches them over all views; masks are bool [N], the first five exclude each other and cover all."""

    reached: Mask  # some view gives it a gradient
    off: Mask  # its centre lies in no training picture
    faint: Mask  # in a picture that was drawn, and alpha is below 1/255 in every pixel
    hidden: Mask  # behind others in every view that would show it
    unasked: Mask  # only in pictures that were not drawn
    dead: Mask  # by the code's filter, reached or not
    called: Mask  # of those without a gradient: pixels would pull at it, if it counted as dead
    pixels: int  # of the photos, that are not the background
    bare: int  # of them: want coverage and show no Gaussian
    answered: int  # of them: those that would pull at a Gaussian without gradient
    by_view: I64  # int64 [views], Gaussians that each view shows
    seconds: float  # per picture with its gradients
    surrogate_seconds: float  # more, with the surrogate

    @property
    def lost(self) -> Mask:
        """Without a gradient from any view; those that were not asked about are not among them."""
        return ~self.reached & ~self.unasked

    def share(self, mask: Mask) -> float:
        """0..1, of the Gaussians that were asked about."""
        return float(mask.sum() / max((~self.unasked).sum(), 1))


@dataclass(frozen=True)
class Light:
    """How pictures are drawn and compared."""

    background: tuple[float, float, float]
    settings: OptimiserSettings
    sh_degree: int


def reach_of(
    parameters: Parameters, views: tuple[View, ...], cameras: tuple[Camera, ...], light: Light, told: Told,
) -> Reach:
    """One pass through the views for gradients, a second for what truncated gradients would add; `cameras` are all that the
    training has."""
    reached = np.zeros(parameters.count, bool)
    bare, by_view, times = 0, [], list[float]()
    for place, view in enumerate(views):
        told(0.4 * place / len(views))
        began = perf_counter()
        picture, gradient = looked(parameters, view, light)
        found = picture.backward(gradient)
        times.append(perf_counter() - began)
        reached |= (found.logit_opacities != 0) | found.sh0.any(axis=1) | found.means.any(axis=1)
        by_view.append(int((picture.radii_px > 0).sum()))
        bare += int(wanting(picture, gradient, view, light).sum())
    hidden = _behind(parameters, views, ~reached, lambda share: told(0.4 + 0.2 * share))
    inside, anywhere = (seen_by(parameters.means, each, NEAR) > 0 for each in ([view.camera for view in views], cameras))
    rest = ~reached & ~hidden
    called, answered, longer = _called(parameters, views, light, ~reached, lambda share: told(0.6 + 0.4 * share))
    return Reach(
        reached, rest & ~anywhere, rest & inside, hidden, rest & anywhere & ~inside, _dead(parameters), called,
        sum(int(_is_something(view, light).sum()) for view in views), bare, answered, np.array(by_view),
        float(np.median(times)), longer,
    )


def looked(parameters: Parameters, view: View, light: Light) -> tuple[Rendered, Array]:
    """The picture of a view, and dL/d(rgb) [H, W, 3]."""
    picture = render(parameters, view.camera, background=light.background, sh_degree=light.sh_degree)
    return picture, photometric_loss(picture.rgb, Target.of(view), light.settings).rgb_gradient


def wanting(picture: Rendered, gradient: Array, view: View, light: Light) -> Mask:
    """bool [H, W]: no Gaussian shows, and one in the photo's colour would lower the loss."""
    gain = ((view.photo - np.array(light.background)) * gradient).sum(axis=2)
    return np.asarray((picture.alpha == 0) & (gain < 0) & _is_something(view, light))


def _is_something(view: View, light: Light) -> Mask:
    """bool [H, W]: the photo differs from the background."""
    return np.asarray(np.abs(view.photo - np.array(light.background)).max(axis=2) > BACKGROUND_LEVELS / 255)


def _behind(parameters: Parameters, views: tuple[View, ...], asked: Mask, told: Told) -> Mask:
    """bool [N]: of those asked about, the ones that would show in some view if nothing stood before them."""
    rows, shows = np.flatnonzero(asked), np.zeros(int(asked.sum()), np.int64)
    if len(rows):
        splats = prepare(parameters.take(rows).gaussians())
        for place, view in enumerate(views):
            told(place / len(views))
            shows += contributions_of(cpu.rasterise(splats, view.camera, t_stop=0.0, contributions=True, threads=1)).pixel_count
    behind = np.zeros(parameters.count, bool)
    behind[rows[shows > 0]] = True
    return behind


def _called(
    parameters: Parameters, views: tuple[View, ...], light: Light, lost: Mask, told: Told,
) -> tuple[Mask, int, float]:
    """Who of the lost is pulled at, how many bare pixels pull at them, and what the surrogate takes per picture.

    The lost are given the opacity of dead ones: no picture shows them, so none changes.
    """
    called, answered, spent = np.zeros(parameters.count, bool), 0, list[float]()
    if not lost.any():
        return called, 0, 0.0
    treated = _as_dead(parameters, lost)
    for place, view in enumerate(views):
        told(place / len(views))
        picture, gradient = looked(treated, view, light)
        begins = perf_counter()
        found = surrogate(picture, gradient, phases.truncation(CODE, view.camera.size_px))
        spent.append(perf_counter() - begins)
        called |= lost & (found.pulling_px > 0)
        answered += int((wanting(picture, gradient, view, light) & (found.calls > 0)).sum())
    return called, answered, float(np.median(spent))


def _as_dead(parameters: Parameters, rows: Mask) -> Parameters:
    logits = parameters.logit_opacities.copy()
    logits[rows] = np.minimum(logits[rows], _most(parameters))
    return replace(parameters, logit_opacities=logits)


def _dead(parameters: Parameters) -> Mask:
    return np.asarray(parameters.logit_opacities <= _most(parameters))


def _most(parameters: Parameters) -> Array:
    """The largest logit of a dead Gaussian."""
    return np.asarray(np.log(CODE.dead_opacity / (1 - CODE.dead_opacity)), parameters.dtype)

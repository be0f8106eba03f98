"""How much of a view's error each Gaussian's higher harmonics make, so that the parts add up to what the cut changes."""

from dataclasses import replace

import numpy as np

from diagnostics.optimiser.optimiser import Engine
from diagnostics.optimiser.views import View
from render.harmonics import C0, colours
from render.projection import DILATION_PX2
from render.raster.parameters import Parameters
from runs.arrays import F64, I64, Mask


def costs(
    model: Parameters, view: View, degree: int, render: Engine, *, background: tuple[float, float, float],
    counted: Mask | None = None, correction: F64 | None = None,
) -> F64:
    """float64 [N]: squared error of the picture, summed over pixels and channels, that comes from bands above `degree`.

    A picture is linear in the colours of its Gaussians, and its squared error quadratic. Along the straight line from the cut
    colours to the full ones the error therefore changes by exactly its gradient at the middle times the difference, Gaussian
    by Gaussian: the parts sum to error(full) - error(cut). Positive where the bands make the view worse. `correction` is the
    trainer's own [3, 4], laid over the picture; only pixels in `counted` [H, W] make the error.
    """
    towards = model.means.astype(np.float64) - view.camera.centre
    towards /= np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    sh = np.concatenate([model.sh0[:, None], model.sh_rest], axis=1)
    full, cut = colours(sh, towards, model.sh_degree), colours(sh, towards, degree)
    picture = render(with_colours(model, (full + cut) / 2), view.camera, background=background, sh_degree=0,
                     dilation_px2=DILATION_PX2)
    matrix = np.eye(3, 4) if correction is None else correction
    by_rgb = 2 * (picture.rgb @ matrix[:, :3] + matrix[:, 3] - view.photo) @ matrix[:, :3].T
    if counted is not None:
        by_rgb = by_rgb * counted[..., None]
    by_colour = picture.backward(np.asarray(by_rgb, picture.rgb.dtype)).sh0 / C0
    return np.asarray((by_colour * (full - cut)).sum(axis=1), np.float64)


def with_colours(model: Parameters, rgb: F64) -> Parameters:
    """The same Gaussians, each of one colour [N, 3], 0.., from every side."""
    real = model.dtype
    return replace(model, sh0=np.ascontiguousarray((rgb - 0.5) / C0, dtype=real), sh_rest=np.zeros((model.count, 0, 3), real))


def costliest(cost: F64, share: float) -> I64:
    """int64 [n], the fewest rows that together make `share` of all that is made worse, worst first."""
    order = np.argsort(-cost)
    summed = np.cumsum(np.maximum(cost[order], 0))
    if len(summed) == 0 or not summed[-1] > 0:
        return order[:0]
    return order[: int(np.searchsorted(summed, share * summed[-1])) + 1]

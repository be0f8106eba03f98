"""Pictures of trainable Gaussians with exact gradients, on the CPU: what the probes and the fault lab train with.

The rules of the picture are those of `reference` (INRIA's: Kerbl et al. 2023, written anew). Gradients are hand-derived
and go all the way to the raw parameters. Sums over pixels are kept apart for a fixed number of bands of the picture and
added in a fixed order, so no number depends on how many threads worked.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from render.projection import DILATION_PX2, NEAR, slope_limits
from render.raster import layout_training as layout
from render.raster.gradients import Gradients, shaped
from render.raster.kernels_backward_blend import gather_rows
from render.raster.kernels_backward_project import pull_back
from render.raster.kernels_training_blend import blend_rows
from render.raster.kernels_training_project import project_all
from render.raster.parameters import Parameters
from runs.arrays import F32, F64, I64, Array
from runs.cameras import Camera

__all__ = ["Gradients", "Rendered", "render"]


@dataclass(frozen=True, eq=False)
class _Frame:
    """One view of the parameters as the kernels read it, with the splats on the picture, nearest first."""

    view: F64  # float64 [3, 4], camera from world
    lens: F64  # float64 [10], see `kernels_footprint`
    centre: F64  # float64 [3]
    size_px: I64  # int64 [2]
    degree: int
    background: Array  # [3]
    threads: int
    rows: F64  # float64 [N, FIELDS], the first `count` are filled
    splat_of: Array  # int32 [N]
    count: int
    pixels: Array  # what the forward pass left in its segments


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture that knows its way back. It reads the parameters again in `backward`: change them only afterwards."""

    rgb: Array  # [H, W, 3], background included, not clamped above 1
    alpha: Array  # [H, W], 0..1
    radii_px: F32  # float32 [N], INRIA's radius: three standard deviations, rounded up; 0 where the picture does not show it
    parameters: Parameters
    frame: _Frame

    def backward(self, rgb_gradient: Array, alpha_gradient: Array | None = None) -> Gradients:
        """Gradients for dL/d(rgb) [H, W, 3] and dL/d(alpha) [H, W]. Raises ValueError for other shapes."""
        frame, real = self.frame, self.rgb.dtype
        by_rgb = shaped(rgb_gradient, self.rgb, "rgb_gradient")
        by_alpha = np.empty((0, 0), real) if alpha_gradient is None else shaped(alpha_gradient, self.alpha, "alpha_gradient")
        sums = np.empty((layout.CHUNKS, frame.count, layout.SUMS))

        def work(chunk: int) -> None:
            first, last = layout.rows_of(chunk, self.rgb.shape[0])
            gather_rows(first, last, frame.size_px, frame.count, frame.rows, frame.background, frame.pixels,
                        by_rgb, by_alpha, sums[chunk])

        each_chunk(work, frame.threads)
        means, log_scales, quats, logits, sh0, sh_rest = (np.zeros_like(array) for array in groups_of(self.parameters))
        found = Gradients(means, log_scales, quats, logits, sh0, sh_rest, np.zeros((len(means), 2), real))
        pull_back(*groups_of(self.parameters), frame.degree, frame.view, frame.lens, frame.centre,
                  frame.count, frame.rows, frame.splat_of, sums, *groups_of(found), found.means2d_px)
        return found


def render(
    parameters: Parameters, camera: Camera, *, background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    sh_degree: int | None = None, near: float = NEAR, dilation_px2: float = DILATION_PX2, threads: int = 1,
) -> Rendered:
    """The picture at the camera's `size_px`, in the dtype of the parameters.

    `background` is RGB 0..1. `sh_degree` caps the degree that is drawn. `near` is in world units. `dilation_px2` is added to both
    variances of a splat. Rows with NaN or infinite values, a zero quaternion or a log scale above 20 are left out and get the
    gradient 0; coefficients above the drawn degree are not looked at.
    """
    real, count = parameters.dtype, parameters.count
    degree = parameters.sh_degree if sh_degree is None else min(sh_degree, parameters.sh_degree)
    lens = np.array([camera.fx, camera.fy, camera.cx, camera.cy, *slope_limits(camera), near, dilation_px2])
    view, centre = np.ascontiguousarray(camera.camera_from_world[:3]), np.ascontiguousarray(camera.centre)
    size_px, radii = np.array(camera.size_px), np.empty(count, np.float32)
    rows, splat_of = np.empty((count, layout.FIELDS)), np.empty(count, np.int32)
    found = project_all(*groups_of(parameters), degree, view, lens, centre, size_px, rows, splat_of, radii)
    width, height = camera.size_px
    pixels = np.empty(height * layout.segments_across(width) * int(layout.SEGMENT), real)
    rgb, alpha, behind = np.empty((height, width, 3), real), np.empty((height, width), real), np.array(background, real)

    def work(chunk: int) -> None:
        blend_rows(*layout.rows_of(chunk, height), size_px, found, rows, behind, pixels, rgb, alpha)

    each_chunk(work, threads)
    frame = _Frame(view, lens, centre, size_px, degree, behind, threads, rows, splat_of, found, pixels)
    return Rendered(rgb, alpha, radii, parameters, frame)


def groups_of(of: Parameters | Gradients) -> tuple[Array, Array, Array, Array, Array, Array]:
    return of.means, of.log_scales, of.quats_wxyz, of.logit_opacities, of.sh0, of.sh_rest


def each_chunk(work: Callable[[int], None], threads: int) -> None:
    """Do the work of every chunk; a single thread needs no pool, which would cost as much as a small picture."""
    if threads == 1:
        for chunk in range(layout.CHUNKS):
            work(chunk)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(layout.CHUNKS)))

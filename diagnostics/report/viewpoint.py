"""Where to look from: the camera that shows given splats best, or a framing camera where the run has none."""

from collections.abc import Callable, Sequence

import numpy as np

from render.raster.cpu import rasterise
from render.splats import Splats
from runs.arrays import F32, F64, Array, Mask
from runs.cameras import Camera, look_at

NEAR = 0.2  # world units, the rasteriser's near plane
SAMPLE = 20_000  # splats that are enough to rank cameras by
TRIALS = 4  # cameras that are drawn small to see what the guilty splats really add to the picture
TRIAL_PX = 160
FRAMING_DIRECTION = np.array([0.4, -0.35, -0.85])  # a little from the right and from above, in a y-down world


def best_camera(cameras: Sequence[Camera], splats: Splats, guilty: Mask, weigh: Callable[[Camera], F32]) -> Camera:
    """The camera in whose small rendering the guilty splats have most weight.

    `guilty` is bool [M]; `weigh` answers `splat_weights` of a camera. Only the few cameras that frame most guilty splats are
    weighed. Without cameras: `framing_camera`.
    """
    if not cameras:
        return framing_camera(splats, guilty)
    means = splats.means[guilty]
    means = means[:: max(1, len(means) // SAMPLE)]
    ranked = sorted(cameras, key=lambda camera: -framed(camera, means))[:TRIALS]
    return ranked[0] if len(ranked) == 1 else max(ranked, key=lambda camera: float(weigh(camera)[guilty].sum()))


def splat_weights(splats: Splats, camera: Camera) -> F32:
    """float32 [M], what each splat adds to a small rendering: its blending weight averaged over the pixels, 0..1."""
    small = camera.resized(fitted(camera.size_px, TRIAL_PX))
    drawn = rasterise(splats, small, contributions=True).contributions
    assert drawn is not None  # asked for
    return drawn.weight_sum / np.float32(small.size_px[0] * small.size_px[1])


def framed(camera: Camera, means: Array) -> int:
    """How many points [n, 3] lie in front of the camera and inside its picture."""
    in_camera = means @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    ahead = in_camera[in_camera[:, 2] > NEAR]
    x = camera.fx * ahead[:, 0] / ahead[:, 2] + camera.cx
    y = camera.fy * ahead[:, 1] / ahead[:, 2] + camera.cy
    width, height = camera.size_px
    return int(((x >= 0) & (x < width) & (y >= 0) & (y < height)).sum())


def framing_camera(splats: Splats, guilty: Mask, size_px: tuple[int, int] = (640, 400)) -> Camera:
    """A camera that looks at the middle of the guilty splats; percentiles, so that far outliers do not wreck the view."""
    shown = splats.means[guilty] if guilty.any() else splats.means
    centre, radius = _ball(shown, 90)
    radius = max(radius, 0.4 * _ball(splats.means, 80)[1], 1e-3)
    return look_at(centre + 2.4 * radius * FRAMING_DIRECTION, centre, size_px=size_px, name="framing view")


def _ball(points: Array, percentile: float) -> tuple[F64, float]:
    if not len(points):
        return np.zeros(3), 0.0
    centre = np.median(points, axis=0).astype(np.float64)
    return centre, float(np.percentile(np.linalg.norm(points - centre, axis=1), percentile))


def fitted(size_px: tuple[int, int], most: int) -> tuple[int, int]:
    """The size shrunk so that the longer side is at most `most`; never enlarged."""
    shrink = min(1.0, most / max(size_px))
    return max(1, round(size_px[0] * shrink)), max(1, round(size_px[1] * shrink))

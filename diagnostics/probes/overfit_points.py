"""Where the start points lie as one camera sees them, and points placed in its picture to compare with."""

from dataclasses import dataclass, replace

import numpy as np

from diagnostics.optimiser.views import View
from diagnostics.probes.material import thinned
from render.projection import NEAR
from runs.arrays import Array, Mask
from runs.cameras import Camera
from runs.points import PointCloud

MOST_POINTS = 12_000  # of one fit; more do not show in pictures so small
MARGIN = 0.15  # of width and height: what lies so far beside the picture may still reach into it
FEWEST_SEEN = 500  # with fewer the others come along: it costs nothing, and large Gaussians reach far
PIXELS_PER_PLACED = 2  # enough for any photo: it is only asked whether optimiser and renderer can learn it at all
PIXELS_PER_POINT = 8  # as in the sparsest sound start that was measured; with fewer points pictures are made smaller
SMALLEST_PX = 64  # longer side: smaller pictures were not measured


@dataclass(frozen=True)
class Whereabouts:
    """How many start points one camera has where."""

    of: int
    inside: int  # the picture, beyond the near plane
    behind: int  # the camera
    too_near: int  # in front of the camera, nearer than the near plane
    beside: int  # in front, outside the picture


def whereabouts(points: PointCloud, camera: Camera) -> Whereabouts:
    """Counts over all points; points that are not finite count as beside."""
    depth, inside = _seen(points, camera, 0.0)
    behind, near = depth <= 0, (depth > 0) & (depth < NEAR)
    kept = inside & ~behind & ~near
    beside = ~(kept | behind | near)
    return Whereabouts(len(points), int(kept.sum()), int(behind.sum()), int(near.sum()), int(beside.sum()))


def serving_px(points: PointCloud, cameras: tuple[Camera, ...]) -> int:
    """Longer side of pictures of which the median camera has a start point per 8 pixels, at least 64 px, at most the cameras'."""
    longest = max(cameras[0].size_px)
    share = float(np.median([
        PIXELS_PER_POINT * whereabouts(points, camera).inside / (camera.size_px[0] * camera.size_px[1]) for camera in cameras]))
    return longest if share >= 1 else min(longest, max(SMALLEST_PX, round(longest * np.sqrt(share))))


def seen_by(points: PointCloud, cameras: tuple[Camera, ...], most: int = MOST_POINTS) -> PointCloud:
    """The points that any of the cameras may see, evenly thinned to `most`; all, thinned, where hardly any is seen."""
    seen = np.zeros(len(points), bool)
    for camera in cameras:
        depth, inside = _seen(points, camera, MARGIN)
        seen |= inside & (depth >= NEAR)
    return thinned(_kept(points, seen) if seen.sum() >= FEWEST_SEEN else points, most)


def placed(points: PointCloud, view: View) -> PointCloud:
    """A grid of points in the view's picture in the photo's colours, at the depth at which the start points are seen."""
    width, height = view.camera.size_px
    step = np.sqrt(PIXELS_PER_PLACED)
    x, y = (values.ravel() for values in np.meshgrid(np.arange(step / 2, width, step), np.arange(step / 2, height, step)))
    depth, camera = _typical_depth(points, view.camera), view.camera
    own = np.stack(((x - camera.cx) / camera.fx * depth, (y - camera.cy) / camera.fy * depth, np.full(len(x), depth)), axis=1)
    xyz = own @ camera.world_from_camera[:3, :3].T + camera.centre
    colours = view.photo[y.astype(int), x.astype(int)]
    return PointCloud(xyz, (np.clip(colours, 0, 1) * 255).round().astype(np.uint8), "placed in the picture")


def _typical_depth(points: PointCloud, camera: Camera) -> float:
    """World units, well beyond the near plane."""
    depth, inside = _seen(points, camera, 0.0)
    seen = depth[inside & (depth >= NEAR)]
    return max(float(np.median(seen)) if len(seen) else 0.0, 5 * NEAR)


def _seen(points: PointCloud, camera: Camera, margin: float) -> tuple[Array, Mask]:
    """Depth [N] along the optical axis, and whether the centre lies in the picture or `margin` of its size beside it."""
    own = points.xyz @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    depth = own[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        x = camera.fx * own[:, 0] / depth + camera.cx
        y = camera.fy * own[:, 1] / depth + camera.cy
    width, height = camera.size_px
    inside = (np.abs(x / width - 0.5) <= 0.5 + margin) & (np.abs(y / height - 0.5) <= 0.5 + margin)
    return depth, inside


def _kept(points: PointCloud, rows: Mask) -> PointCloud:
    return replace(points, xyz=points.xyz[rows], rgb=None if points.rgb is None else points.rgb[rows],
                   error_px=None if points.error_px is None else points.error_px[rows],
                   track_lengths=None if points.track_lengths is None else points.track_lengths[rows])

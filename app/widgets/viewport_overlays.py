"""What is painted over the picture: camera frusta, marks of selected Gaussians, the frame of the photo."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.session import State
from render.splats import Splats
from render.viewport.frusta import frustum_lines, frustum_size, project_lines, under_pixel
from runs.arrays import F32, F64, Mask
from runs.cameras import Camera

MOST_FRUSTA = 300  # more would cover the picture and slow the painting; every k-th camera is drawn then
MOST_MARKS = 20  # larger selections are tinted instead
MOST_DOTS = 2000  # of the tinted Gaussians, evenly taken: more would cover the picture


@dataclass(frozen=True, eq=False)
class Frusta:
    """Lines of the cameras that are drawn."""

    cameras: tuple[Camera, ...]
    lines: F64  # float64 [C, 10, 2, 3] world

    @property
    def test(self) -> frozenset[int]:
        return frozenset(i for i, camera in enumerate(self.cameras) if camera.split == "test")

    def pictured(self, view: Camera, device_px: float) -> tuple[F64, ...]:
        """float64 [10, 2, 2] each, widget pixels; the frustum that is looked through is left out (NaN)."""
        if not self.cameras:
            return ()
        flat = project_lines(self.lines.reshape(-1, 2, 3), view) / device_px
        each = flat.reshape(len(self.cameras), -1, 2, 2)
        own = [np.linalg.norm(camera.centre - view.centre) < 1e-9 for camera in self.cameras]
        each[np.array(own)] = np.nan
        return tuple(each)

    def named_under(self, pictured: Sequence[F64], x: float, y: float) -> int | None:
        """Index of the frustum at a widget pixel."""
        return under_pixel(pictured, x, y)


def frusta_of(cameras: Sequence[Camera]) -> Frusta:
    """At most `MOST_FRUSTA` of the cameras, evenly taken."""
    chosen = tuple(cameras[:: -(-len(cameras) // MOST_FRUSTA)]) if cameras else ()
    size = frustum_size(chosen)
    lines = [frustum_lines(camera, size) for camera in chosen]
    return Frusta(chosen, np.array(lines) if lines else np.zeros((0, 10, 2, 3)))


def marks_of(state: State, splats: Splats, view: Camera, device_px: float) -> F64 | None:
    """float64 [K, 2]: where the selected Gaussians are, widget pixels; NaN behind the camera."""
    selected = state.selected
    if selected is None or state.shown is None or selected.iteration != state.shown.checkpoint.iteration:
        return None
    if not len(selected.rows) or len(selected.rows) > MOST_MARKS:
        return None
    at = np.searchsorted(splats.rows, selected.rows)
    drawn = (at < len(splats)) & (splats.rows[np.minimum(at, max(len(splats) - 1, 0))] == selected.rows) if len(splats) else []
    return _pictured(splats.means[at[np.asarray(drawn, bool)]], view, device_px)


def dots_of(tint: Mask | None, splats: Splats, view: Camera, device_px: float) -> F64 | None:
    """float64 [K, 2]: centres of tinted Gaussians, widget pixels: a faint floater is hardly seen by its colour alone."""
    rows = np.flatnonzero(tint) if tint is not None else np.zeros(0, np.int64)
    if not len(rows):
        return None
    return _pictured(splats.means[rows[:: -(-len(rows) // MOST_DOTS)]], view, device_px)


def _pictured(means: F32, view: Camera, device_px: float) -> F64:
    points = means.astype(np.float64)
    x, y, z = (points @ view.camera_from_world[:3, :3].T + view.camera_from_world[:3, 3]).T
    z = np.where(z > 0, z, np.nan)
    return np.column_stack([view.fx * x / z + view.cx, view.fy * y / z + view.cy]) / device_px


def photo_frame(photo: Camera, view: Camera, device_px: float) -> tuple[float, float, float, float]:
    """x, y, width, height of the photo within the picture of `view`, which `fit_into` made of it."""
    scale = view.fx / photo.fx
    left, top = view.cx - scale * photo.cx, view.cy - scale * photo.cy
    return (left / device_px, top / device_px, scale * photo.size_px[0] / device_px, scale * photo.size_px[1] / device_px)

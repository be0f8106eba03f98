"""Photos and keypoints as a lens with radial distortion shows them; the cameras stay pinholes."""

from dataclasses import replace

import numpy as np
from scipy import ndimage

from diagnostics.optimiser.views import View
from runs.arrays import F32, F64
from runs.cameras import Camera
from tests.lab.scenes.photo_transforms import with_views
from tests.lab.scenes.scene import Scene

ROUNDS = 20  # of the inversion; each shrinks what is left by about 2 k1 r²


def bent(scene: Scene, k1: float) -> Scene:
    """A point at distance r from the axis, on the plane z = 1, is shown at r (1 + k1 r²)."""
    curved = with_views(scene, lambda view: replace(view, photo=_bent_photo(view, k1)))
    if curved.tracks is None:
        return curved
    cameras = {view.name: view.camera for view in curved.views}
    tracks, xy = curved.tracks, curved.tracks.xy_px.copy()
    for index, name in enumerate(tracks.image_names):
        rows = tracks.image_index == index
        if name in cameras and rows.any():
            xy[rows] = _shown(xy[rows], cameras[name], k1)
    return replace(curved, tracks=replace(tracks, xy_px=xy))


def _shown(xy_px: F64, camera: Camera, k1: float) -> F64:
    middle, focal = np.array([camera.cx, camera.cy]), np.array([camera.fx, camera.fy])
    plane = (xy_px - middle) / focal
    return np.asarray(plane * (1 + k1 * (plane**2).sum(axis=1, keepdims=True)) * focal + middle)


def _bent_photo(view: View, k1: float) -> F32:
    """Each pixel of the new photo asks where it lay before."""
    camera, (width, height) = view.camera, view.camera.size_px
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    middle, focal = np.array([camera.cx, camera.cy]), np.array([camera.fx, camera.fy])
    seen = (np.stack([x.ravel(), y.ravel()], axis=1) - middle) / focal
    plane = seen.copy()
    for _ in range(ROUNDS):
        plane = seen / (1 + k1 * (plane**2).sum(axis=1, keepdims=True))
    places = plane * focal + middle - 0.5
    channels = [ndimage.map_coordinates(view.photo[..., c], places.T[::-1], order=1, mode="nearest") for c in range(3)]
    return np.asarray(np.stack(channels, axis=1).reshape(height, width, 3), np.float32)

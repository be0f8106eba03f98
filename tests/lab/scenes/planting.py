"""Places for planted faults: in the empty space before surfaces, on surfaces, and how far a place is from any surface."""

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F32, F64
from tests.lab.scenes.scene import Scene
from tests.lab.scenes.tracing import MISS
from tests.lab.scenes.tracks import bilinear, rays_through


def free_places(scene: Scene, count: int, *, near: float = 0.25, far: float = 0.8, seed: int = 0) -> F64:
    """float64 [N, 3]: places where nothing is, for a camera looked through them at a point farther away.

    `near` and `far` are shares of the way from the camera to the point. Needs tracks, so real captures serve too.
    """
    seen = scene.tracks
    if seen is None:
        raise ValueError(f"the points of {scene.name} have no tracks, so no ray is known to be free")
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(seen.point_index), count)
    centres = np.stack([view.camera.centre for view in scene.views])[seen.image_index[rows]]
    ways = scene.data.points.xyz[seen.point_index[rows]] - centres
    return np.asarray(centres + rng.uniform(near, far, (count, 1)) * ways)


def surface_places(scene: Scene, count: int, *, seed: int = 0) -> tuple[F64, F32]:
    """float64 [N, 3] places on surfaces that training photos show, and float32 [N, 3] their colours there, 0..1."""
    rng = np.random.default_rng(seed)
    xyz, rgb = _seen_surface(scene, 2 * count // len(scene.data.train) + 8, rng)
    rows = rng.permutation(len(xyz))[:count]
    return xyz[rows], rgb[rows]


def surface_distance(scene: Scene, xyz: F64, *, per_view: int = 4096, seed: int = 0) -> F64:
    """float64 [N]: world units to the nearest of many places on the surfaces that training photos show."""
    surface, _ = _seen_surface(scene, per_view, np.random.default_rng(seed))
    return np.asarray(cKDTree(surface).query(xyz)[0], np.float64)


def _seen_surface(scene: Scene, per_view: int, rng: np.random.Generator) -> tuple[F64, F32]:
    if scene.world is None:
        raise ValueError(f"{scene.name} is a real capture: nobody knows its surfaces")
    places, colours = [], []
    for view in scene.data.train:
        xy_px = rng.random((per_view, 2)) * view.camera.size_px
        rays = rays_through(view.camera, xy_px)
        distances, _ = scene.world.hits(np.broadcast_to(view.camera.centre, rays.shape), rays)
        met = distances < MISS
        places.append(view.camera.centre + distances[met, None] * rays[met])
        colours.append(bilinear(view.photo, xy_px[met]))
    return np.concatenate(places), np.concatenate(colours).astype(np.float32)

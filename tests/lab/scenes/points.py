"""What structure from motion would find in the photos of a world."""

from collections.abc import Sequence

import numpy as np

from diagnostics.optimiser.views import View
from runs.arrays import F32, F64, Array, Mask
from runs.cameras import Camera
from runs.formats.cameras.colmap import Observations
from runs.points import PointCloud
from tests.lab.scenes.tracing import MISS
from tests.lab.scenes.tracks import mean_colours, mean_errors_px, project, rays_through, track_lengths, triangulated
from tests.lab.scenes.world import World

KEYPOINT_NOISE = 0.002  # of the picture's longer side, standard deviation: points off by 0.1-0.5 % of the extent
MATCHED = 0.45  # a feature in sight is matched with this probability: tracks of 7 views, as in the fox capture
GRAZING = 0.15  # cosine to the normal below which nothing is matched
LEAST_ANGLE_DEG = 2.0  # between the outermost rays of a track; COLMAP's mapper filters at 1.5
SURPLUS = 4  # candidates per wanted point


def reconstruct(world: World, views: Sequence[View], count: int, rng: np.random.Generator) -> tuple[PointCloud, Observations]:
    """Up to `count` points seen by at least two views, triangulated from noisy keypoints; colours are the photos' means."""
    cameras = [view.camera for view in views]
    surface = _candidates(world, views, SURPLUS * count, rng)
    seen = np.stack([_in_view(world, camera, surface) for camera in cameras])
    seen &= rng.random(seen.shape) < MATCHED
    good = (seen.sum(0) >= 2) & (_widest_angle_deg(cameras, surface, seen) > LEAST_ANGLE_DEG)
    surface, seen = surface[good][:count], seen[:, good][:, :count]
    keypoints = _keypoints(views, surface, seen, rng)
    xyz = triangulated(cameras, surface, keypoints)
    lengths = track_lengths(keypoints, len(xyz))
    errors_px = mean_errors_px(cameras, xyz, keypoints)
    colours = mean_colours(views, keypoints, len(xyz))
    return PointCloud(xyz, colours, "0/points3D", errors_px, lengths), keypoints


def _candidates(world: World, views: Sequence[View], count: int, rng: np.random.Generator) -> F64:
    """float64 [N, 3]: places on surfaces, drawn by the photos' local contrast as a feature detector would."""
    found: list[Array] = []
    for view in views:
        contrast = _contrast(view.photo)
        weight = contrast + contrast.mean() + 1e-6
        chosen = rng.choice(weight.size, count // len(views) + 1, p=(weight / weight.sum()).ravel())
        width = view.camera.size_px[0]
        rays = rays_through(view.camera, np.stack([chosen % width, chosen // width], axis=1) + rng.random((len(chosen), 2)))
        distances, _ = world.hits(np.broadcast_to(view.camera.centre, rays.shape), rays)
        met = distances < MISS
        found.append(view.camera.centre + distances[met, None] * rays[met])
    places = np.concatenate(found)
    return places[rng.permutation(len(places))]


def _contrast(photo: F32) -> F64:
    """float64 [H, W]: the slope of the grey levels."""
    down, right = np.gradient(photo.mean(2, dtype=np.float64))
    return np.asarray(np.hypot(down, right))


def _in_view(world: World, camera: Camera, places: F64) -> Mask:
    """bool [N]: inside the picture, not hidden, and not at a grazing angle."""
    xy_px, depth = project(camera, places)
    inside = (depth > 0) & (xy_px > 0.5).all(1) & (xy_px < np.array(camera.size_px) - 0.5).all(1)
    rays = places - camera.centre
    away = np.linalg.norm(rays, axis=1)
    rays /= away[:, None]
    distances, rows = world.hits(np.broadcast_to(camera.centre, rays.shape), rays)
    facing = -(world.normals(places, rays, np.maximum(rows, 0)) * rays).sum(1)
    return np.asarray(inside & (np.abs(distances - away) < 1e-4 * away) & (facing > GRAZING))


def _widest_angle_deg(cameras: Sequence[Camera], places: F64, seen: Mask) -> F64:
    """float64 [N]: between the first ray of each track and the one farthest from it."""
    rays = np.stack([camera.centre - places for camera in cameras])
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    first = rays[seen.argmax(0), np.arange(len(places))]
    cosines = np.where(seen, (rays * first).sum(2), 1.0)
    return np.asarray(np.degrees(np.arccos(np.clip(cosines.min(0), -1, 1))))


def _keypoints(views: Sequence[View], places: F64, seen: Mask, rng: np.random.Generator) -> Observations:
    image, point = (index.astype(np.int64) for index in np.nonzero(seen))
    xy_px = np.stack([project(view.camera, places)[0] for view in views])[image, point]
    noise_px = KEYPOINT_NOISE * max(views[0].camera.size_px)
    return Observations(tuple(view.name for view in views), image, point, xy_px + rng.normal(0, noise_px, xy_px.shape))

"""Scenes with other views, cameras, world frames or points; each function gives a new scene and leaves the old one alone.

Other photos: photo_transforms.

Where a camera or the cloud is made to lie, photos and observations stay as they were taken. Stored reprojection errors
stay too, as after a faulty converter, unless a docstring says that they are computed anew.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from runs.arrays import F32, F64, I64, Array
from runs.cameras import Camera
from runs.points import PointCloud
from tests.lab.scenes.building import build
from tests.lab.scenes.fox import fox
from tests.lab.scenes.photo_transforms import Names, with_views
from tests.lab.scenes.scene import Scene, reprojected
from tests.lab.scenes.solids import Xyz, rotation
from tests.lab.scenes.tracks import of_points


def rebuilt(scene: Scene, **changes: Any) -> Scene:
    """The same scene photographed anew with other arguments of `build` (size_px, seed, views, principal_shift …)."""
    arguments = {**scene.arguments, **changes}
    name = arguments.pop("name")
    return fox(**arguments) if name == "fox" else build(name, **arguments)


def downscaled(scene: Scene, factor: int) -> Scene:
    """Photos, alphas and masks as means of factor x factor pixels, cameras and observations to match."""
    def smaller(camera: Camera) -> Camera:
        return camera.resized((camera.size_px[0] // factor, camera.size_px[1] // factor))

    small = with_views(scene, lambda view: replace(
        view, camera=smaller(view.camera), photo=_means(view.photo, factor),
        mask=None if view.mask is None else _means(view.mask, factor),
    ))
    tracks = None if scene.tracks is None else replace(scene.tracks, xy_px=scene.tracks.xy_px / factor)
    alphas = {name: _means(alpha, factor) for name, alpha in scene.alphas.items()}
    errors_px = scene.data.points.error_px
    scaled = None if errors_px is None else np.asarray(errors_px / factor, np.float32)
    return _with_points(replace(small, tracks=tracks, alphas=alphas), replace(scene.data.points, error_px=scaled))


def _means(pixels: F32, factor: int) -> F32:
    height, width = (side // factor for side in pixels.shape[:2])
    if (height * factor, width * factor) != pixels.shape[:2]:
        raise ValueError(f"{pixels.shape[1]} x {pixels.shape[0]} pixels cannot be divided by {factor}")
    blocks = pixels.reshape(height, factor, width, factor, *pixels.shape[2:])
    return np.asarray(blocks.mean((1, 3), dtype=np.float64), np.float32)


def fewer_views(scene: Scene, count: int) -> Scene:
    """Every n-th training view, with all points; their tracks, lengths and errors are those of the views that are left."""
    train = scene.data.train
    kept = tuple(train[i] for i in np.linspace(0, len(train) - 1, count).round().astype(int))
    return reprojected(replace(scene, data=replace(scene.data, train=kept)))


def without_test(scene: Scene) -> Scene:
    """No view held back."""
    return reprojected(replace(scene, data=replace(scene.data, test=())))


# Cameras that lie about the photo they took.


def with_cameras(scene: Scene, change: Callable[[Camera], Camera], names: Names = None) -> Scene:
    """Other cameras under the same photos."""
    return with_views(scene, lambda view: replace(view, camera=change(view.camera)), names)


def perturbed_poses(scene: Scene, shift: float, turn_deg: float, names: Names = None, seed: int = 0) -> Scene:
    """Poses off by a random shift and turn: standard deviations per axis, `shift` as a share of the extent.

    Reprojection errors are computed anew: whoever supplied these poses knew no better ones.
    """
    order = {view.name: index for index, view in enumerate(scene.views)}
    distance = shift * scene.data.extent

    def moved(camera: Camera) -> Camera:
        rng = np.random.default_rng([seed, order[camera.name]])
        pose = camera.world_from_camera.copy()
        pose[:3, 3] += rng.normal(0, distance, 3)
        pose[:3, :3] = pose[:3, :3] @ rotation(_xyz(rng.normal(0, turn_deg, 3)))
        return replace(camera, world_from_camera=pose)

    return reprojected(with_cameras(scene, moved, names))


def focal_scaled(scene: Scene, factor: float, names: Names = None) -> Scene:
    """Focal lengths that are `factor` times the true ones."""
    return with_cameras(scene, lambda camera: replace(camera, fx=camera.fx * factor, fy=camera.fy * factor), names)


def principal_centred(scene: Scene) -> Scene:
    """Cameras that take the image centre for the principal point; build the scene with a `principal_shift` first."""
    return with_cameras(scene, lambda camera: replace(camera, cx=camera.size_px[0] / 2, cy=camera.size_px[1] / 2))


def opengl_axes(scene: Scene) -> Scene:
    """Poses of the OpenGL convention (y up, z backwards) taken for OpenCV's."""
    turned = np.diag([1.0, -1.0, -1.0, 1.0])
    return with_cameras(scene, lambda camera: replace(camera, world_from_camera=camera.world_from_camera @ turned))


def poses_inverted(scene: Scene) -> Scene:
    """World-to-camera matrices taken for camera-to-world."""
    return with_cameras(scene, lambda camera: replace(camera, world_from_camera=camera.camera_from_world))


# The whole world in another frame: nothing lies.


def moved_world(scene: Scene, shift: Xyz = (0.0, 0.0, 0.0), *, scale: float = 1.0, turn_deg: Xyz = (0.0, 0.0, 0.0)) -> Scene:
    """Cameras, points and surfaces after x -> scale * turn(x) + shift, as with geographic coordinates or other units."""
    turn, offset = rotation(turn_deg), np.array(shift, np.float64)

    def moved(camera: Camera) -> Camera:
        pose = np.eye(4)
        pose[:3, :3] = turn @ camera.world_from_camera[:3, :3]
        pose[:3, 3] = scale * turn @ camera.centre + offset
        return replace(camera, world_from_camera=pose)

    world = None if scene.world is None else scene.world.moved(turn, scale, offset)
    return _with_xyz(with_cameras(replace(scene, world=world), moved), scale * scene.data.points.xyz @ turn.T + offset)


# Points that do not fit the cameras, or are worth less.


def _with_points(scene: Scene, points: PointCloud) -> Scene:
    return replace(scene, data=replace(scene.data, points=points))


def _with_xyz(scene: Scene, xyz: Array) -> Scene:
    return _with_points(scene, replace(scene.data.points, xyz=np.asarray(xyz, np.float64)))


def _xyz(values: F64) -> Xyz:
    return float(values[0]), float(values[1]), float(values[2])


def points_scaled(scene: Scene, factor: float) -> Scene:
    """The cloud blown up about its mean, cameras as they were."""
    middle = scene.data.points.xyz.mean(0)
    return _with_xyz(scene, middle + factor * (scene.data.points.xyz - middle))


def points_moved(scene: Scene, shift: Xyz) -> Scene:
    """The cloud elsewhere, cameras as they were; `shift` in extents."""
    return _with_xyz(scene, scene.data.points.xyz + scene.data.extent * np.array(shift))


def points_turned(scene: Scene, turn_deg: Xyz) -> Scene:
    """The cloud turned about the world's origin, as when another tool's up axis was used; cameras as they were."""
    return _with_xyz(scene, scene.data.points.xyz @ rotation(turn_deg).T)


def points_noisy(scene: Scene, sigma: float, seed: int = 0) -> Scene:
    """Noise of standard deviation `sigma` extents per axis; reprojection errors are computed anew."""
    noise = np.random.default_rng(seed).normal(0, sigma * scene.data.extent, scene.data.points.xyz.shape)
    return reprojected(_with_xyz(scene, scene.data.points.xyz + noise))


def points_kept(scene: Scene, count: int, seed: int = 0) -> Scene:
    """A random choice of `count` points with their tracks."""
    points = scene.data.points
    rows = np.sort(np.random.default_rng(seed).choice(len(points), min(count, len(points)), replace=False)).astype(np.int64)
    kept = PointCloud(points.xyz[rows], _rows(points.rgb, rows), points.source,
                      _rows(points.error_px, rows), _rows(points.track_lengths, rows))
    return _with_points(replace(scene, tracks=None if scene.tracks is None else of_points(scene.tracks, rows)), kept)


def _rows(column: Any, rows: I64) -> Any:
    return None if column is None else column[rows]


def points_random(scene: Scene, count: int, half_size: float, seed: int = 0) -> Scene:
    """No structure from motion: a uniform cube of `half_size` extents about the cloud's median, in random colours."""
    rng = np.random.default_rng(seed)
    xyz = np.median(scene.data.points.xyz, axis=0) + scene.data.extent * half_size * rng.uniform(-1, 1, (count, 3))
    return _with_points(replace(scene, tracks=None), PointCloud(xyz, rng.integers(0, 256, (count, 3), np.uint8), "random"))


def points_with_outliers(scene: Scene, share: float, spread: float, seed: int = 0) -> Scene:
    """A share of the points replaced by wrong matches, up to `spread` extents away; their tracks and errors stay."""
    rng, xyz = np.random.default_rng(seed), scene.data.points.xyz.copy()
    rows = rng.choice(len(xyz), max(1, round(share * len(xyz))), replace=False)
    xyz[rows] += scene.data.extent * spread * rng.uniform(-1, 1, (len(rows), 3))
    return _with_xyz(scene, xyz)


def points_of_one_place(scene: Scene) -> Scene:
    """All points where their median lies, so that every distance to a neighbour is zero."""
    return _with_xyz(scene, np.repeat(np.median(scene.data.points.xyz, axis=0)[None], len(scene.data.points), axis=0))


def points_without_colour(scene: Scene) -> Scene:
    """The cloud as a tool exports it that drops colours: all grey."""
    return _with_points(scene, replace(scene.data.points, rgb=np.full(scene.data.points.xyz.shape, 128, np.uint8)))

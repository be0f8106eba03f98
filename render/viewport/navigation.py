"""Camera motion as pure functions: each takes a Camera and returns the moved one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from runs.arrays import F64, Array
from runs.cameras import Camera, look_at

DEFAULT_UP = (0.0, -1.0, 0.0)  # COLMAP worlds are usually y-down
POLE_DEG = 2.0  # an orbit stops this far from looking straight along `up`: past it the picture would flip
FREE = "free"


@dataclass(frozen=True, eq=False)
class Sphere:
    """What a view should show."""

    centre: F64  # float64 [3], world units
    radius: float  # world units, > 0


def scene_up(cameras: Sequence[Camera]) -> F64:
    """float64 [3], unit: the direction that people who took the photos held upwards.

    Photographers keep the horizon level, so up is the direction most square to all the cameras' right-hand axes; their
    mean image-up only settles its sign, or answers alone where the right-hand axes do not span a plane.
    """
    mean_up = -np.sum([camera.world_from_camera[:3, 1] for camera in cameras], axis=0) if cameras else np.zeros(3)
    if np.linalg.norm(mean_up) < 0.1 * max(len(cameras), 1):  # no cameras, or they point every way
        return np.array(DEFAULT_UP)
    rights = np.array([camera.world_from_camera[:3, 0] for camera in cameras])
    spread, axes = np.linalg.eigh(rights.T @ rights / len(rights))
    level = axes[:, 0] * np.sign(axes[:, 0] @ mean_up)
    trusted = spread[1] > max(10 * spread[0], 0.02) and level @ mean_up > 0.5 * np.linalg.norm(mean_up)
    return _unit(level if trusted else mean_up)


def robust_sphere(points: Array, share: float = 0.8) -> Sphere:
    """The median of `points` [M, 3] and the radius that holds `share` of them, so that far outliers never count.

    Raises ValueError where there is no finite point.
    """
    finite = np.asarray(points, np.float64)[np.isfinite(points).all(axis=1)]
    if not len(finite):
        raise ValueError("there are no points to frame")
    centre = np.median(finite, axis=0)
    radius = float(np.quantile(np.linalg.norm(finite - centre, axis=1), share))
    return Sphere(centre, max(radius, 1e-3 * float(np.abs(centre).max()), 1e-6))


def frame(camera: Camera, sphere: Sphere) -> Camera:
    """Step back along the viewing direction until the whole sphere fits into the picture."""
    width, height = camera.size_px
    half_angle = min(np.arctan(width / 2 / camera.fx), np.arctan(height / 2 / camera.fy))
    distance = sphere.radius / np.sin(half_angle)
    return _moved(camera, sphere.centre - distance * camera.forward)


def first_view(points: Array, cameras: Sequence[Camera], size_px: tuple[int, int]) -> Camera:
    """Where a run opens: the first training photo's view, or a framing of the points where no camera is known."""
    if cameras:
        chosen = next((camera for camera in cameras if camera.split != "test"), cameras[0])
        return free(fit_into(chosen, size_px))
    sphere = robust_sphere(points) if len(points) else Sphere(np.zeros(3), 1.0)
    eye = sphere.centre + np.array([0.4, -0.4, -1.0]) * sphere.radius
    return frame(look_at(eye, sphere.centre, up=DEFAULT_UP, size_px=size_px, name=FREE), sphere)


def pivot_for(camera: Camera, points: Array, sphere: Sphere) -> F64:
    """float64 [3]: what an orbit turns about: on the viewing axis, as deep as the `points` [M, 3] in mid-picture.

    Where none is there, beside the middle of the scene; never nearer than a tenth of the scene's radius.
    """
    seen = np.asarray(points, np.float64) @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    x, y, z = seen[seen[:, 2] > 0].T
    width, height = camera.size_px
    central = (np.abs(x) < z * width / (6 * camera.fx)) & (np.abs(y) < z * height / (6 * camera.fy))
    depth = float(np.median(z[central])) if central.any() else float((sphere.centre - camera.centre) @ camera.forward)
    return np.asarray(camera.centre + max(depth, 0.1 * sphere.radius) * camera.forward)


def orbit(camera: Camera, pivot: Array, yaw_rad: float, pitch_rad: float, up: Array) -> Camera:
    """Turn about `pivot`: yaw about `up`, then pitch about the camera's own right-hand axis, stopping short of the poles."""
    turn_by = _turning(camera, yaw_rad, pitch_rad, up)
    eye = pivot + turn_by @ (camera.centre - pivot)
    return _posed(camera, turn_by @ camera.world_from_camera[:3, :3], eye)


def turn(camera: Camera, yaw_rad: float, pitch_rad: float, up: Array) -> Camera:
    """Look elsewhere from the same place."""
    return _posed(camera, _turning(camera, yaw_rad, pitch_rad, up) @ camera.world_from_camera[:3, :3], camera.centre)


def pan(camera: Camera, pivot: Array, right_px: float, down_px: float) -> Camera:
    """Shift so that the plane through `pivot` follows the mouse by this many pixels."""
    depth = max(float((pivot - camera.centre) @ camera.forward), 1e-6)
    shift = np.array([-right_px / camera.fx, -down_px / camera.fy, 0.0]) * depth
    return fly(camera, shift)


def dolly(camera: Camera, pivot: Array, factor: float) -> Camera:
    """Scale the distance to `pivot` by `factor` (> 0; below 1 comes nearer)."""
    return _moved(camera, pivot + (camera.centre - pivot) * factor)


def fly(camera: Camera, right_down_forward: Array) -> Camera:
    """Move along the camera's own axes, world units."""
    return _moved(camera, camera.centre + camera.world_from_camera[:3, :3] @ np.asarray(right_down_forward, np.float64))


def zoom_to(camera: Camera, points: Array, margin: float = 1.5) -> Camera:
    """Look at `points` [M, 3] from where they fill the picture with some room, keeping the side they are seen from."""
    sphere = robust_sphere(points, share=0.95)
    return frame(camera, Sphere(sphere.centre, sphere.radius * margin))


def fit_into(camera: Camera, size_px: tuple[int, int]) -> Camera:
    """The same view in a picture of another shape: the whole image is inside, centred, never stretched."""
    scale = min(size_px[0] / camera.size_px[0], size_px[1] / camera.size_px[1])
    left, top = ((size_px[axis] - scale * camera.size_px[axis]) / 2 for axis in (0, 1))
    return replace(camera, fx=camera.fx * scale, fy=camera.fy * scale, cx=camera.cx * scale + left,
                   cy=camera.cy * scale + top, size_px=size_px)


def free(camera: Camera) -> Camera:
    """The same view, belonging to no photo."""
    return replace(camera, name=FREE, split=None, has_principal_point=True)


def _turning(camera: Camera, yaw_rad: float, pitch_rad: float, up: Array) -> F64:
    """float64 [3, 3]: the world rotation of an orbit step."""
    polar = np.arccos(np.clip(camera.forward @ up, -1, 1))  # 0 looks along up
    limit = np.radians(POLE_DEG)
    # A camera that came here looking along the pole may leave it, but no step goes nearer.
    lowest, highest = min(limit, polar) - polar, max(np.pi - limit, polar) - polar
    pitch = np.clip(pitch_rad, lowest, highest)
    right = camera.world_from_camera[:3, 0]
    return rotation(np.asarray(up), yaw_rad) @ rotation(right, -float(pitch))


def rotation(axis: Array, angle_rad: float) -> F64:
    """float64 [3, 3], Rodrigues' formula; `axis` is a unit vector."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle_rad) * cross + (1 - np.cos(angle_rad)) * cross @ cross)


def _moved(camera: Camera, eye: Array) -> Camera:
    return _posed(camera, camera.world_from_camera[:3, :3], eye)


def _posed(camera: Camera, axes: Array, eye: Array) -> Camera:
    """The camera elsewhere; its axes are made square again, or a thousand drags would shear the picture."""
    pose = np.eye(4)
    forward = _unit(axes[:, 2])
    right = _unit(axes[:, 0] - (axes[:, 0] @ forward) * forward)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = right, np.cross(forward, right), forward, eye
    return free(replace(camera, world_from_camera=pose))


def _unit(vector: Array) -> F64:
    return np.asarray(vector / np.linalg.norm(vector), np.float64)

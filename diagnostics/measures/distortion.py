"""How far a lens bends straight lines: where it shows a point, against where a pinhole camera would."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from runs.arrays import F64
from runs.cameras import Camera

Bend = Callable[[F64, Sequence[float]], F64]  # points [n, 2] of the plane z = 1, and the lens's parameters -> bent points [n, 2]


def corner_shift_px(lens: str, distortion: Sequence[float], camera: Camera) -> float | None:
    """The largest distance over the four corners, px of the camera's picture; None for a lens whose formula is not known here.

    Formulas: COLMAP `src/colmap/sensor/models.h` (OpenCV's lens models in COLMAP's order of parameters).
    """
    bend = BENDS.get(lens)
    if bend is None:
        return None
    width, height = camera.size_px
    focal = np.array([camera.fx, camera.fy])
    corners = (np.array([[0, 0], [width, 0], [0, height], [width, height]]) - (camera.cx, camera.cy)) / focal
    with np.errstate(all="ignore"):
        shift = float(np.linalg.norm((bend(corners, distortion) - corners) * focal, axis=1).max())
    return shift if np.isfinite(shift) else None


def _padded(distortion: Sequence[float], length: int) -> list[float]:
    return [*distortion, *[0.0] * length][:length]


def _radial(points: F64, distortion: Sequence[float]) -> F64:
    """k1, k2."""
    k1, k2 = _padded(distortion, 2)
    squared = (points**2).sum(axis=1, keepdims=True)
    return np.asarray(points * (1 + k1 * squared + k2 * squared**2))


def _tangential(points: F64, p1: float, p2: float) -> F64:
    x, y = points.T
    squared = x**2 + y**2
    return np.stack([2 * p1 * x * y + p2 * (squared + 2 * x**2), p1 * (squared + 2 * y**2) + 2 * p2 * x * y], axis=1)


def _opencv(points: F64, distortion: Sequence[float]) -> F64:
    """k1, k2, p1, p2."""
    return _radial(points, distortion[:2]) + _tangential(points, *_padded(distortion, 4)[2:])


def _full_opencv(points: F64, distortion: Sequence[float]) -> F64:
    """k1, k2, p1, p2, k3, k4, k5, k6: a fraction of two polynomials."""
    k1, k2, p1, p2, k3, k4, k5, k6 = _padded(distortion, 8)
    s = (points**2).sum(axis=1, keepdims=True)
    radial = (1 + s * (k1 + s * (k2 + s * k3))) / (1 + s * (k4 + s * (k5 + s * k6)))
    return np.asarray(points * radial + _tangential(points, p1, p2))


def _fisheye(points: F64, distortion: Sequence[float]) -> F64:
    """k1 to k4, of the angle instead of its tangent."""
    k1, k2, k3, k4 = _padded(distortion, 4)
    radius = np.linalg.norm(points, axis=1, keepdims=True)
    angle = np.arctan(radius)
    s = angle**2
    bent = angle * (1 + s * (k1 + s * (k2 + s * (k3 + s * k4))))
    return np.asarray(points * np.where(radius > 0, bent / np.where(radius > 0, radius, 1), 1))


def _fov(points: F64, distortion: Sequence[float]) -> F64:
    """omega."""
    (omega,) = _padded(distortion, 1)
    radius = np.linalg.norm(points, axis=1, keepdims=True)
    if not omega or not radius.all():
        return points
    return np.asarray(points * np.arctan(2 * radius * np.tan(omega / 2)) / omega / radius)


BENDS: Mapping[str, Bend] = {
    "SIMPLE_RADIAL": _radial, "RADIAL": _radial, "OPENCV": _opencv, "FULL_OPENCV": _full_opencv, "OPENCV_FISHEYE": _fisheye,
    "SIMPLE_RADIAL_FISHEYE": _fisheye, "RADIAL_FISHEYE": _fisheye, "SIMPLE_FISHEYE": _fisheye, "FISHEYE": _fisheye, "FOV": _fov,
}

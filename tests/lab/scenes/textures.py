"""Patterns as functions of a place on a solid, so that every camera sees the same surface."""

import math

from runs.kernels import kernel


@kernel
def _corner(i: int, j: int, k: int) -> float:
    """A number of 0..1 that looks random, by lattice place."""
    mixed = (i * 73856093) ^ (j * 19349663) ^ (k * 83492791)
    mixed = ((mixed ^ (mixed >> 13)) * 1274126177) & 0x7FFFFFFF
    return float((mixed ^ (mixed >> 16)) & 0xFFFF) / 65535.0


@kernel
def _mix(a: float, b: float, t: float) -> float:
    return a + (b - a) * t


@kernel
def _layer(i: int, j: int, k: int, u: float, v: float) -> float:
    low = _mix(_corner(i, j, k), _corner(i + 1, j, k), u)
    return _mix(low, _mix(_corner(i, j + 1, k), _corner(i + 1, j + 1, k), u), v)


@kernel
def noise(x: float, y: float, z: float) -> float:
    """Smooth value noise, 0..1, one lattice cell per unit."""
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    u, v, w = x - i, y - j, z - k
    u, v, w = u * u * (3 - 2 * u), v * v * (3 - 2 * v), w * w * (3 - 2 * w)
    i, j, k = int(i), int(j), int(k)
    return _mix(_layer(i, j, k, u, v), _layer(i, j, k + 1, u, v), w)


@kernel
def _steep(value: float, sharpness: float) -> float:
    return min(max(0.5 + (value - 0.5) * sharpness, 0.0), 1.0)


@kernel
def _bricks(x: float, y: float, z: float) -> float:
    """Rows of bricks with their own shades; 0 in the joints."""
    row = math.floor(2 * z)
    along = x + y + 0.5 * (row % 2)
    column = math.floor(along)
    if 2 * z - row < 0.12 or along - column < 0.06:
        return 0.0
    return 0.45 + 0.55 * _corner(int(column), int(row), 7)


@kernel
def _sky(x: float, y: float, z: float) -> float:
    """Brighter towards the horizon, with soft clouds; x, y, z is a unit direction."""
    clouds = 0.6 * noise(4 * x, 4 * y, 9 * z) + 0.4 * noise(11 * x + 5, 11 * y, 23 * z)
    return min(max(1 - 1.4 * abs(z), 0.0) * 0.55 + _steep(clouds, 2.6) * 0.45, 1.0)


@kernel
def blend(pattern: int, x: float, y: float, z: float) -> float:
    """The share of the second colour, 0..1; x, y, z in periods of the pattern, or a unit direction for a sky."""
    if pattern == 1:  # the odd offsets keep a lattice plane off the faces of boxes
        return float((math.floor(x + 0.13) + math.floor(y + 0.17) + math.floor(z + 0.29)) % 2)
    if pattern == 2:
        return float(math.floor(x + 0.4 * y + 1.3 * z + 0.21) % 2)
    if pattern == 3:
        return _steep(0.65 * noise(x, y, z) + 0.35 * noise(2.7 * x + 9, 2.7 * y, 2.7 * z), 2.8)
    if pattern == 4:
        return _bricks(x, y, z)
    return _sky(x, y, z) if pattern == 5 else 0.0

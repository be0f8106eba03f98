"""Ray-tracing kernels: where a ray meets the solids first, and the colour that it sees there."""

import math
from typing import Any

import numpy as np

from runs.arrays import F32, F64, I64, Array
from runs.kernels import kernel
from tests.lab.scenes.textures import blend, noise

MISS = 1e30
NEAREST = 1e-6  # a ray does not meet the surface that it starts on

Vector = tuple[float, float, float]
Row = Any  # one row of a SOLID table


@kernel
def _unit(x: float, y: float, z: float) -> Vector:
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@kernel
def _slab(origin: float, direction: float) -> tuple[float, float]:
    """The stretch of the ray with |coordinate| <= 1."""
    if abs(direction) < 1e-12:
        return (-MISS, MISS) if abs(origin) <= 1 else (MISS, -MISS)
    one, two = (-1 - origin) / direction, (1 - origin) / direction
    return min(one, two), max(one, two)


@kernel
def _quadric(aa: float, ab: float, bb: float) -> tuple[float, float]:
    """The stretch with aa t^2 + 2 ab t + bb <= 1."""
    if aa < 1e-24:
        return (-MISS, MISS) if bb <= 1 else (MISS, -MISS)
    root = ab * ab - aa * (bb - 1)
    if root < 0:
        return MISS, -MISS
    root = math.sqrt(root)
    return (-ab - root) / aa, (-ab + root) / aa


@kernel
def _stretch(shape: int, o: Vector, d: Vector) -> tuple[float, float]:
    """Where the ray enters and leaves a unit shape; entry > exit if it misses."""
    ab, aa, bb = o[0] * d[0] + o[1] * d[1], d[0] * d[0] + d[1] * d[1], o[0] * o[0] + o[1] * o[1]
    if shape == 0:
        return _quadric(aa + d[2] * d[2], ab + o[2] * d[2], bb + o[2] * o[2])
    near, far = _slab(o[2], d[2])
    if shape == 2:
        near_side, far_side = _quadric(aa, ab, bb)
        return max(near, near_side), min(far, far_side)
    near_x, far_x = _slab(o[0], d[0])
    near_y, far_y = _slab(o[1], d[1])
    return max(near, near_x, near_y), min(far, far_x, far_y)


@kernel
def _to_local(solid: Row, x: float, y: float, z: float, shift: float) -> Vector:
    m, t = solid.linear, solid.offset
    return (
        m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + shift * t[0],
        m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + shift * t[1],
        m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + shift * t[2],
    )


@kernel
def _passes_by(solid: Row, o: Vector, d: Vector) -> Any:
    """Whether the ray (unit direction) misses the ball around the solid."""
    x, y, z = solid.centre[0] - o[0], solid.centre[1] - o[1], solid.centre[2] - o[2]
    along = x * d[0] + y * d[1] + z * d[2]
    return x * x + y * y + z * z - along * along > solid.reach2


@kernel
def first_hit(solids: Array, o: Vector, d: Vector) -> tuple[float, int]:
    """Distance along the unit direction and row of the first solid met; MISS and -1 if there is none."""
    best, found = MISS, -1
    for row in range(len(solids)):
        solid = solids[row]
        if _passes_by(solid, o, d):
            continue
        near, far = _stretch(solid.shape, _to_local(solid, o[0], o[1], o[2], 1.0), _to_local(solid, d[0], d[1], d[2], 0.0))
        t = far if solid.inside else near
        if near <= far and NEAREST < t < best:
            best, found = t, row
    return best, found


@kernel
def _normal(solid: Row, p: Vector, d: Vector) -> Vector:
    """Unit normal at a local place of the surface, turned against the ray."""
    x, y, z = p
    if solid.shape == 2:
        x, y, z = (0.0, 0.0, z) if abs(z) > math.sqrt(x * x + y * y) else (x, y, 0.0)
    elif solid.shape == 1:
        most = max(abs(x), abs(y), abs(z))
        x, y, z = x * (abs(x) == most), y * (abs(y) == most), z * (abs(z) == most)
    m = solid.linear
    nx, ny, nz = _unit(
        m[0, 0] * x + m[1, 0] * y + m[2, 0] * z, m[0, 1] * x + m[1, 1] * y + m[2, 1] * z, m[0, 2] * x + m[1, 2] * y + m[2, 2] * z,
    )
    side = -1.0 if nx * d[0] + ny * d[1] + nz * d[2] > 0 else 1.0
    return side * nx, side * ny, side * nz


@kernel
def _albedo(solid: Row, p: Vector) -> Vector:
    h, period = solid.half, solid.period
    x, y, z = p[0] * h[0] / period, p[1] * h[1] / period, p[2] * h[2] / period
    share = blend(solid.pattern, p[0], p[1], p[2]) if solid.pattern == 5 else blend(solid.pattern, x, y, z)
    fine = 0.6 * noise(3.1 * x, 3.1 * y, 3.1 * z) + 0.4 * noise(7.3 * x, 7.3 * y, 7.3 * z + 3)
    shade = 1 + solid.grain * (2 * fine - 1)
    a, b = solid.a, solid.b
    return shade * (a[0] + share * (b[0] - a[0])), shade * (a[1] + share * (b[1] - a[1])), shade * (a[2] + share * (b[2] - a[2]))


@kernel
def _light(solids: Array, light: F64, p: Vector, n: Vector, d: Vector, solid: Row) -> tuple[float, float]:
    """Diffuse and specular strength of one light (x, y, z, strength, casts shadows) at a place."""
    x, y, z = light[0] - p[0], light[1] - p[1], light[2] - p[2]
    away = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / away, y / away, z / away
    facing = n[0] * x + n[1] * y + n[2] * z
    if facing <= 0:
        return 0.0, 0.0
    if light[4] > 0:
        start = (p[0] + 1e-4 * away * n[0], p[1] + 1e-4 * away * n[1], p[2] + 1e-4 * away * n[2])
        if first_hit(solids, start, (x, y, z))[0] < away:
            return 0.0, 0.0
    hx, hy, hz = _unit(x - d[0], y - d[1], z - d[2])
    shine = solid.gloss * max(n[0] * hx + n[1] * hy + n[2] * hz, 0.0) ** solid.shininess if solid.gloss > 0 else 0.0
    return light[3] * facing, light[3] * shine


@kernel
def _colour(solids: Array, lights: F64, ambient: float, o: Vector, d: Vector, t: float, row: int) -> Vector:
    solid = solids[row]
    p = (o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2])
    local = _to_local(solid, p[0], p[1], p[2], 1.0)
    red, green, blue = _albedo(solid, local)
    if not solid.lit:
        return red, green, blue
    n = _normal(solid, local, d)
    diffuse, specular = ambient * (0.75 + 0.25 * n[2]), 0.0
    for i in range(len(lights)):
        more = _light(solids, lights[i], p, n, d, solid)
        diffuse += more[0]
        specular += more[1]
    return diffuse * red + specular, diffuse * green + specular, diffuse * blue + specular


@kernel
def trace_picture(solids: Array, lights: F64, ambient: float, pose: F64, lens: F64, size: tuple[int, int], samples: int) -> F32:
    """float32 [H, W, 4]: colour on black 0..1 and coverage, the mean of samples x samples rays per pixel.

    `pose` is world from camera, `lens` holds fx, fy, cx, cy, and `size` is width, height.
    """
    out = np.zeros((size[1], size[0], 4), np.float32)
    o = (pose[0, 3], pose[1, 3], pose[2, 3])
    for index in range(size[0] * size[1] * samples * samples):
        pixel, sub = index // (samples * samples), index % (samples * samples)
        row, column = pixel // size[0], pixel % size[0]
        x = (column + (sub % samples + 0.5) / samples - lens[2]) / lens[0]
        y = (row + (sub // samples + 0.5) / samples - lens[3]) / lens[1]
        d = _unit(
            pose[0, 0] * x + pose[0, 1] * y + pose[0, 2], pose[1, 0] * x + pose[1, 1] * y + pose[1, 2],
            pose[2, 0] * x + pose[2, 1] * y + pose[2, 2],
        )
        t, found = first_hit(solids, o, d)
        if found >= 0:
            seen = _colour(solids, lights, ambient, o, d, t, found)
            for channel in range(3):
                out[row, column, channel] += min(max(seen[channel], 0.0), 1.0)
            out[row, column, 3] += 1.0
    return out / np.float32(samples * samples)


@kernel
def trace_hits(solids: Array, origins: F64, directions: F64) -> tuple[F64, I64]:
    """float64 [N] distances and int64 [N] rows of the first solid met, MISS and -1 for none; directions are unit vectors."""
    distances, rows = np.empty(len(origins)), np.empty(len(origins), np.int64)
    for i in range(len(origins)):
        o, d = origins[i], directions[i]
        distances[i], rows[i] = first_hit(solids, (o[0], o[1], o[2]), (d[0], d[1], d[2]))
    return distances, rows


@kernel
def trace_normals(solids: Array, places: F64, directions: F64, rows: I64) -> F64:
    """float64 [N, 3]: unit normals at places on the solids in `rows`, turned against the directions."""
    out = np.empty((len(places), 3))
    for i in range(len(places)):
        p, d = places[i], directions[i]
        local = _to_local(solids[rows[i]], p[0], p[1], p[2], 1.0)
        out[i, 0], out[i, 1], out[i, 2] = _normal(solids[rows[i]], local, (d[0], d[1], d[2]))
    return out

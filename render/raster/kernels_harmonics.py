"""Kernels for the terms of `render.harmonics.basis` at one direction, and for their slopes."""

from render.harmonics import C0, C1, C2, C3, C4
from runs.arrays import F64, Array
from runs.kernels import inlined


@inlined
def sh_terms(terms: Array, degree: int, x: float, y: float, z: float) -> None:
    """The terms of `render.harmonics.basis` for one direction."""
    terms[0] = C0
    if degree < 1:
        return
    terms[1], terms[2], terms[3] = -C1 * y, C1 * z, -C1 * x
    if degree < 2:
        return
    xx, yy, zz = x * x, y * y, z * z
    terms[4], terms[5], terms[6] = C2[0] * x * y, C2[1] * y * z, C2[2] * (2 * zz - xx - yy)
    terms[7], terms[8] = C2[3] * x * z, C2[4] * (xx - yy)
    if degree < 3:
        return
    terms[9], terms[10], terms[11] = C3[0] * y * (3 * xx - yy), C3[1] * x * y * z, C3[2] * y * (4 * zz - xx - yy)
    terms[12], terms[13] = C3[3] * z * (2 * zz - 3 * xx - 3 * yy), C3[4] * x * (4 * zz - xx - yy)
    terms[14], terms[15] = C3[5] * z * (xx - yy), C3[6] * x * (xx - 3 * yy)
    if degree < 4:
        return
    terms[16], terms[17], terms[18] = C4[0] * x * y * (xx - yy), C4[1] * y * z * (3 * xx - yy), C4[2] * x * y * (7 * zz - 1)
    terms[19], terms[20] = C4[3] * y * z * (7 * zz - 3), C4[4] * (zz * (35 * zz - 30) + 3)
    terms[21], terms[22] = C4[5] * x * z * (7 * zz - 3), C4[6] * (xx - yy) * (7 * zz - 1)
    terms[23], terms[24] = C4[7] * x * z * (xx - 3 * yy), C4[8] * (xx * (xx - 3 * yy) - yy * (3 * xx - yy))


@inlined
def sh_slopes(slopes: F64, degree: int, x: float, y: float, z: float) -> None:
    """float64 [(degree+1)², 3]: derivatives of `sh_terms` with x, y and z taken as independent.

    Along the sphere, which is all that a direction can move, they do not depend on how the terms are continued off it.
    """
    _set(slopes, 0, 0.0, 0.0, 0.0, 0.0)
    if degree >= 1:
        _set(slopes, 1, -C1, 0.0, 1.0, 0.0)
        _set(slopes, 2, C1, 0.0, 0.0, 1.0)
        _set(slopes, 3, -C1, 1.0, 0.0, 0.0)
    if degree >= 2:
        _slopes2(slopes, x, y, z)
    if degree >= 3:
        _slopes3(slopes, x, y, z)
    if degree >= 4:
        _slopes4(slopes, x, y, z)


@inlined
def _set(slopes: F64, k: int, factor: float, by_x: float, by_y: float, by_z: float) -> None:
    slopes[k, 0], slopes[k, 1], slopes[k, 2] = factor * by_x, factor * by_y, factor * by_z


@inlined
def _slopes2(slopes: F64, x: float, y: float, z: float) -> None:
    _set(slopes, 4, C2[0], y, x, 0.0)
    _set(slopes, 5, C2[1], 0.0, z, y)
    _set(slopes, 6, C2[2], -2 * x, -2 * y, 4 * z)
    _set(slopes, 7, C2[3], z, 0.0, x)
    _set(slopes, 8, C2[4], 2 * x, -2 * y, 0.0)


@inlined
def _slopes3(slopes: F64, x: float, y: float, z: float) -> None:
    xx, yy, zz = x * x, y * y, z * z
    _set(slopes, 9, C3[0], 6 * x * y, 3 * (xx - yy), 0.0)
    _set(slopes, 10, C3[1], y * z, x * z, x * y)
    _set(slopes, 11, C3[2], -2 * x * y, 4 * zz - xx - 3 * yy, 8 * y * z)
    _set(slopes, 12, C3[3], -6 * x * z, -6 * y * z, 6 * zz - 3 * xx - 3 * yy)
    _set(slopes, 13, C3[4], 4 * zz - 3 * xx - yy, -2 * x * y, 8 * x * z)
    _set(slopes, 14, C3[5], 2 * x * z, -2 * y * z, xx - yy)
    _set(slopes, 15, C3[6], 3 * (xx - yy), -6 * x * y, 0.0)


@inlined
def _slopes4(slopes: F64, x: float, y: float, z: float) -> None:
    xx, yy, zz = x * x, y * y, z * z
    _set(slopes, 16, C4[0], y * (3 * xx - yy), x * (xx - 3 * yy), 0.0)
    _set(slopes, 17, C4[1], 6 * x * y * z, 3 * z * (xx - yy), y * (3 * xx - yy))
    _set(slopes, 18, C4[2], y * (7 * zz - 1), x * (7 * zz - 1), 14 * x * y * z)
    _set(slopes, 19, C4[3], 0.0, z * (7 * zz - 3), y * (21 * zz - 3))
    _set(slopes, 20, C4[4], 0.0, 0.0, z * (140 * zz - 60))
    _set(slopes, 21, C4[5], z * (7 * zz - 3), 0.0, x * (21 * zz - 3))
    _set(slopes, 22, C4[6], 2 * x * (7 * zz - 1), -2 * y * (7 * zz - 1), 14 * z * (xx - yy))
    _set(slopes, 23, C4[7], 3 * z * (xx - yy), -6 * x * y * z, x * (xx - 3 * yy))
    _set(slopes, 24, C4[8], 4 * x * (xx - 3 * yy), 4 * y * (yy - 3 * xx), 0.0)

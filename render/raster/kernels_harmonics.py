"""Kernels for the terms of `render.harmonics.basis` at one direction, and for what they say about the direction."""

from render.harmonics import C0, C1, C2, C3, C4
from runs.arrays import F64, Array
from runs.kernels import lane_kernel


@lane_kernel
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


@lane_kernel
def sh_pull(pulls: F64, degree: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The derivatives of Σ pulls[k]·term[k] by x, y and z, taken as independent; pulls is float64 [(degree+1)²].

    Along the sphere, which is all that a direction can move, they do not depend on how the terms are continued off it.
    """
    by_x = by_y = by_z = 0.0
    if degree >= 1:
        by_x, by_y, by_z = -C1 * pulls[3], -C1 * pulls[1], C1 * pulls[2]
    if degree >= 2:
        u, v, w = _pull2(pulls, x, y, z)
        by_x, by_y, by_z = by_x + u, by_y + v, by_z + w
    if degree >= 3:
        u, v, w = _pull3(pulls, x, y, z)
        by_x, by_y, by_z = by_x + u, by_y + v, by_z + w
    if degree >= 4:
        u, v, w = _pull4(pulls, x, y, z)
        by_x, by_y, by_z = by_x + u, by_y + v, by_z + w
    return by_x, by_y, by_z


@lane_kernel
def _pull2(pulls: F64, x: float, y: float, z: float) -> tuple[float, float, float]:
    a, b, c, d, e = C2[0] * pulls[4], C2[1] * pulls[5], C2[2] * pulls[6], C2[3] * pulls[7], C2[4] * pulls[8]
    return a * y + d * z + 2 * x * (e - c), a * x + b * z - 2 * y * (e + c), b * y + 4 * c * z + d * x


@lane_kernel
def _pull3(pulls: F64, x: float, y: float, z: float) -> tuple[float, float, float]:
    a, b, c, d = C3[0] * pulls[9], C3[1] * pulls[10], C3[2] * pulls[11], C3[3] * pulls[12]
    e, f, g = C3[4] * pulls[13], C3[5] * pulls[14], C3[6] * pulls[15]
    xx, yy, zz, ring = x * x, y * y, z * z, x * x - y * y
    by_x = x * y * (6 * a - 2 * c) + b * y * z + 2 * x * z * (f - 3 * d) + e * (4 * zz - 3 * xx - yy) + 3 * g * ring
    by_y = 3 * a * ring + b * x * z + c * (4 * zz - xx - 3 * yy) - 2 * y * z * (f + 3 * d) - x * y * (2 * e + 6 * g)
    return by_x, by_y, b * x * y + 8 * z * (c * y + e * x) + 3 * d * (2 * zz - xx - yy) + f * ring


@lane_kernel
def _pull4(pulls: F64, x: float, y: float, z: float) -> tuple[float, float, float]:
    a, b, c, d, e = C4[0] * pulls[16], C4[1] * pulls[17], C4[2] * pulls[18], C4[3] * pulls[19], C4[4] * pulls[20]
    f, g, h, i = C4[5] * pulls[21], C4[6] * pulls[22], C4[7] * pulls[23], C4[8] * pulls[24]
    xx, yy, zz, ring = x * x, y * y, z * z, x * x - y * y
    third_x, third_y, seven = x * (xx - 3 * yy), y * (3 * xx - yy), 7 * zz - 1
    by_x = (a * third_y + 6 * b * x * y * z + c * y * seven + f * z * (seven - 2) + 2 * g * x * seven + 3 * h * z * ring
            + 4 * i * third_x)
    by_y = (a * third_x + 3 * b * z * ring + c * x * seven + d * z * (seven - 2) - 2 * g * y * seven - 6 * h * x * y * z
            - 4 * i * third_y)
    by_z = (b * third_y + 14 * c * x * y * z + 3 * seven * (d * y + f * x) + 20 * e * z * (7 * zz - 3) + 14 * g * z * ring
            + h * third_x)
    return by_x, by_y, by_z

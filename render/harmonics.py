"""Real spherical harmonics as 3D Gaussian Splatting uses them: constants, basis and colour."""

from typing import Final

import numpy as np

from runs.arrays import F64, Array

MAX_DEGREE: Final = 4

# Orthonormal real SH with the signs of INRIA's rasteriser and gsplat; degree 4 as in gsplat and svox2.
C0: Final = 0.28209479177387814
C1: Final = 0.4886025119029199
C2: Final = (1.0925484305920792, -1.0925484305920792, 0.31539156525252005, -1.0925484305920792, 0.5462742152960396)
C3: Final = (-0.5900435899266435, 2.890611442640554, -0.4570457994644658, 0.3731763325901154,
             -0.4570457994644658, 1.445305721320277, -0.5900435899266435)
C4: Final = (2.5033429417967046, -1.7701307697799304, 0.9461746957575601, -0.6690465435572892, 0.10578554691520431,
             -0.6690465435572892, 0.47308734787878004, -1.7701307697799304, 0.6258357354491761)


def basis(directions: Array, degree: int) -> F64:
    """float64 [N, (degree+1)²] for unit `directions` [N, 3]. Raises ValueError above degree 4."""
    if not 0 <= degree <= MAX_DEGREE:
        raise ValueError(f"spherical harmonics of degree {degree} are not defined here (0 to {MAX_DEGREE})")
    x, y, z = np.asarray(directions, np.float64).T
    bands = [_band0(x), _band1(x, y, z), _band2(x, y, z), _band3(x, y, z), _band4(x, y, z)]
    return np.stack([value for band in bands[: degree + 1] for value in band], axis=1)


def colours(sh: Array, directions: Array, degree: int) -> F64:
    """float64 [N, 3]: max(SH(direction) + 0.5, 0) for `sh` [N, K, 3], K >= (degree+1)²; not clamped above."""
    terms = basis(directions, degree)
    summed = np.einsum("nk,nkc->nc", terms, np.asarray(sh, np.float64)[:, : terms.shape[1]])
    return np.asarray(np.maximum(summed + 0.5, 0.0), np.float64)


def _band0(x: F64) -> list[F64]:
    return [np.full_like(x, C0)]


def _band1(x: F64, y: F64, z: F64) -> list[F64]:
    return [-C1 * y, C1 * z, -C1 * x]


def _band2(x: F64, y: F64, z: F64) -> list[F64]:
    return [C2[0] * x * y, C2[1] * y * z, C2[2] * (2 * z * z - x * x - y * y), C2[3] * x * z, C2[4] * (x * x - y * y)]


def _band3(x: F64, y: F64, z: F64) -> list[F64]:
    xx, yy, zz = x * x, y * y, z * z
    return [
        C3[0] * y * (3 * xx - yy), C3[1] * x * y * z, C3[2] * y * (4 * zz - xx - yy),
        C3[3] * z * (2 * zz - 3 * xx - 3 * yy),
        C3[4] * x * (4 * zz - xx - yy), C3[5] * z * (xx - yy), C3[6] * x * (xx - 3 * yy),
    ]


def _band4(x: F64, y: F64, z: F64) -> list[F64]:
    xx, yy, zz = x * x, y * y, z * z
    return [
        C4[0] * x * y * (xx - yy), C4[1] * y * z * (3 * xx - yy), C4[2] * x * y * (7 * zz - 1),
        C4[3] * y * z * (7 * zz - 3), C4[4] * (zz * (35 * zz - 30) + 3),
        C4[5] * x * z * (7 * zz - 3), C4[6] * (xx - yy) * (7 * zz - 1),
        C4[7] * x * z * (xx - 3 * yy), C4[8] * (xx * (xx - 3 * yy) - yy * (3 * xx - yy)),
    ]

"""Turning splats into other axes: places, rotations and view-dependent colour together.

Training PLYs are taken to have x right, y down, z forward (RDF). Formulas: the covariance turns with the matrix M, so a
quaternion turns with M for a rotation and with -M for a mirror; SH coefficients of band l turn by the (2l+1)² matrix of
Ivanic and Ruedenberg, J. Phys. Chem. 100 (1996) 6342, with the correction of 102 (1998) 9099.
"""

from functools import cache

import numpy as np

from runs.arrays import F32, F64

Signs = tuple[float, ...]
HALF_TURN_X: Signs = (1.0, -1.0, -1.0)  # right-up-back (OpenGL, spz) <-> right-down-forward
HALF_TURN_Z: Signs = (-1.0, -1.0, 1.0)  # left-up-forward (glTF) <-> right-down-forward


def flip_means(means: F32, signs: Signs) -> F32:
    """float32 [N, 3] along axes of which some point the other way; `signs` of x, y, z are 1 or -1."""
    return np.asarray(means * np.asarray(signs, np.float32), np.float32)


def flip_quats(quats_wxyz: F32, signs: Signs) -> F32:
    """float32 [N, 4]: x, y, z of a quaternion take the product of the other two signs (axial vector)."""
    x, y, z = signs
    return np.asarray(quats_wxyz * np.array([1.0, y * z, x * z, x * y], np.float32), np.float32)


@cache
def flip_signs(signs: Signs, degree: int) -> Signs:
    """The sign that each SH coefficient above DC takes, (degree+1)²-1 of them: what its polynomial takes."""
    blocks = bands(np.diag(signs), degree)
    return tuple(float(np.rint(value)) for block in blocks[1:] for value in np.diag(block))


def turn_quats(quats_wxyz: F32, rotation: F64) -> F32:
    """float32 [N, 4]: the rotations of `quats_wxyz` followed by the rotation matrix `rotation` [3, 3]."""
    a, b = quaternion(rotation), quats_wxyz.astype(np.float64).T
    turned = [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
    return np.ascontiguousarray(np.stack(turned, axis=1), np.float32)


def turn_sh(sh_rest: F32, matrix: F64) -> F32:
    """float32 [N, K-1, 3]: view-dependent colour after the orthogonal `matrix` [3, 3] was applied to the scene."""
    degree = round(np.sqrt(sh_rest.shape[1] + 1)) - 1
    out, at = np.empty_like(sh_rest), 0
    for block in bands(matrix, degree)[1:]:
        stop = at + len(block)
        out[:, at:stop] = np.einsum("kl,nlc->nkc", block.astype(np.float32), sh_rest[:, at:stop])
        at = stop
    return out


def quaternion(rotation: F64) -> F64:
    """float64 [4] wxyz, unit, of a rotation matrix [3, 3]: the eigenvector that Bar-Itzhack's symmetric matrix keeps."""
    m = rotation
    k = np.array([
        [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
        [0, m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
        [0, 0, m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]],
        [0, 0, 0, m[2, 2] - m[0, 0] - m[1, 1]],
    ])
    return np.asarray(np.linalg.eigh(k, UPLO="U")[1][:, -1], np.float64)


def bands(matrix: F64, degree: int) -> list[F64]:
    """For each band l = 0..degree, float64 [2l+1, 2l+1]: coefficients after `matrix` = block @ coefficients before.

    The basis has INRIA's signs: odd orders m carry (-1)^m, so band 1 is (-y, z, -x).
    """
    order = [1, 2, 0]  # y, z, x
    first = np.asarray(matrix, np.float64)[np.ix_(order, order)]
    plain = [np.ones((1, 1)), first]
    for level in range(2, degree + 1):
        plain.append(_next_band(first, plain[-1], level))
    return [_with_phase(block, level) for level, block in enumerate(plain[:degree + 1])]


def _with_phase(block: F64, level: int) -> F64:
    phase = np.array([(-1.0) ** abs(m) for m in range(-level, level + 1)])
    return np.asarray(phase[:, None] * block * phase[None, :], np.float64)


def _next_band(first: F64, last: F64, level: int) -> F64:
    """Band `level` from band 1 and the band below, without the (-1)^m phase."""
    size = 2 * level + 1
    out = np.zeros((size, size))
    for m in range(-level, level + 1):
        for n in range(-level, level + 1):
            out[m + level, n + level] = _entry(first, last, level, m, n)
    return out


def _entry(first: F64, last: F64, level: int, m: int, n: int) -> float:
    d = 1.0 if m == 0 else 0.0
    below = (level + n) * (level - n) if abs(n) < level else 2 * level * (2 * level - 1)
    u = np.sqrt((level + m) * (level - m) / below)
    v = 0.5 * np.sqrt((1 + d) * (level + abs(m) - 1) * (level + abs(m)) / below) * (1 - 2 * d)
    w = -0.5 * np.sqrt((level - abs(m) - 1) * (level - abs(m)) / below) * (1 - d)
    terms = ((u, _u), (v, _v), (w, _w))
    return float(sum(factor * term(first, last, level, m, n) for factor, term in terms if factor))


def _p(first: F64, last: F64, level: int, i: int, a: int, b: int) -> float:
    """P of the paper: one product of band 1, order i, with the band below, order a."""
    below = level - 1
    row = last[a + below]
    if b == level:
        return float(first[i + 1, 2] * row[2 * below] - first[i + 1, 0] * row[0])
    if b == -level:
        return float(first[i + 1, 2] * row[0] + first[i + 1, 0] * row[2 * below])
    return float(first[i + 1, 1] * row[b + below])


def _u(first: F64, last: F64, level: int, m: int, n: int) -> float:
    return _p(first, last, level, 0, m, n)


def _v(first: F64, last: F64, level: int, m: int, n: int) -> float:
    if m == 0:
        return _p(first, last, level, 1, 1, n) + _p(first, last, level, -1, -1, n)
    if m > 0:
        factor = np.sqrt(2.0) if m == 1 else 1.0
        second = 0.0 if m == 1 else _p(first, last, level, -1, 1 - m, n)
        return float(_p(first, last, level, 1, m - 1, n) * factor - second)
    factor = np.sqrt(2.0) if m == -1 else 1.0
    second = 0.0 if m == -1 else _p(first, last, level, 1, m + 1, n)
    return float(second + _p(first, last, level, -1, -m - 1, n) * factor)


def _w(first: F64, last: F64, level: int, m: int, n: int) -> float:
    if m > 0:
        return _p(first, last, level, 1, m + 1, n) + _p(first, last, level, -1, -m - 1, n)
    return _p(first, last, level, 1, m - 1, n) - _p(first, last, level, -1, -m + 1, n)

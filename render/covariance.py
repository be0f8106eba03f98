"""The 3D covariance of a Gaussian from its scales and rotation."""

import numpy as np

from runs.arrays import F64, Array


def rotations(quats_wxyz: Array) -> F64:
    """float64 [N, 3, 3] from quaternions [N, 4], real part first; normalised here."""
    quats = np.asarray(quats_wxyz, np.float64)
    w, x, y, z = (quats / np.linalg.norm(quats, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def covariances(scales: Array, quats_wxyz: Array) -> F64:
    """float64 [N, 3, 3] = R S Sᵀ Rᵀ in squared world units (Kerbl et al. 2023, eq. 6)."""
    axes = rotations(quats_wxyz) * np.asarray(scales, np.float64)[:, None, :]
    return np.asarray(axes @ axes.transpose(0, 2, 1), np.float64)

"""Whether a matrix in a file is a rotation."""

import numpy as np

from runs.arrays import F64

ROTATION_TOLERANCE = 1e-3  # a file with three decimals still passes; a sheared or scaled matrix does not


def is_rotation(matrix: F64) -> bool:
    """Whether a [3, 3] matrix is orthonormal and right-handed within `ROTATION_TOLERANCE`."""
    with np.errstate(over="ignore", invalid="ignore"):
        error = np.abs(matrix @ matrix.T - np.eye(3)).max()
        return bool(error < ROTATION_TOLERANCE and np.linalg.det(matrix) > 0)

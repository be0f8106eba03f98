"""What a rasteriser draws that takes quaternions as they are: the ellipsoid of a quaternion that is not of unit length.

INRIA's CUDA rasteriser puts q into the formula of the rotation matrix without normalising it, and Deformable-3D-Gaussians adds
the network's output to a unit quaternion. For q of squared length n the formula gives (1 − n)·I + n·R, with R the rotation
of q / |q|: the ellipsoid is another one than that of R.
"""

import numpy as np
from scipy.spatial.transform import Rotation

from runs.arrays import F32

LEAST_SCALE = np.finfo(np.float32).tiny  # a scale of 0 has no logarithm, and is as invisible
UNIT = 1e-5  # squared lengths this close to 1 are unit but for rounding


def as_drawn(scales: F32, quats: F32) -> tuple[F32, F32]:
    """Log scales [n, 3] and quats wxyz [n, 4] whose ellipsoid is the one that is drawn for `scales`, of any sign, and `quats`."""
    log_scales = np.log(np.maximum(np.abs(scales), LEAST_SCALE))
    lengths = (quats.astype(np.float64) ** 2).sum(axis=1)
    rows = np.flatnonzero((np.abs(lengths - 1) > UNIT) & (lengths > 0) & np.isfinite(scales).all(axis=1) & np.isfinite(lengths))
    if not len(rows):
        return log_scales, quats
    n = lengths[rows, None, None]
    rotation = Rotation.from_quat(quats[rows], scalar_first=True).as_matrix()
    stretch = ((1 - n) * np.eye(3) + n * rotation) * scales[rows, None, :]
    squares, axes = np.linalg.eigh(stretch @ stretch.transpose(0, 2, 1))
    axes[:, :, 0] *= np.linalg.det(axes)[:, None]  # a rotation, no reflection
    log_scales[rows] = np.log(np.maximum(np.sqrt(np.maximum(squares, 0)), LEAST_SCALE))
    quats = quats.copy()
    quats[rows] = Rotation.from_matrix(axes).as_quat(scalar_first=True)
    return log_scales, quats

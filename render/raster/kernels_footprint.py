"""The shape of one raw Gaussian in the picture, shared by the training passes: activations and the projected axes."""

import math

import numpy as np

from render.splats import ABSURD_LOG_SCALE
from runs.arrays import F64, Array
from runs.kernels import inlined

# A lens is float64 [10]: focal lengths, principal point, the four slope limits of `projection`, near, dilation.
FX, FY, CX, CY, X_LOW, X_HIGH, Y_LOW, Y_HIGH, NEAR, DILATION = range(10)
# A row of `axes` for each axis of the Gaussian: its image (U, V) in px, its extent along the view axis, its scale.
U, V, ALONG, SIZE = range(4)
LEAST_NORM = 1e-6  # of a quaternion; shorter ones name no rotation, as in `render.splats`


@inlined
def to_camera(view: F64, means: Array, i: int) -> tuple[float, float, float]:
    """Mean i in camera axes; view is float64 [3, 4], camera from world."""
    x, y, z = float(means[i, 0]), float(means[i, 1]), float(means[i, 2])
    return (view[0, 0] * x + view[0, 1] * y + view[0, 2] * z + view[0, 3],
            view[1, 0] * x + view[1, 1] * y + view[1, 2] * z + view[1, 3],
            view[2, 0] * x + view[2, 1] * y + view[2, 2] * z + view[2, 3])


@inlined
def shaped(log_scales: Array, quats: Array, logits: Array, i: int) -> bool:
    """Whether the raw values of row i name a shape: finite, no zero quaternion, no absurd scale. False for NaN."""
    largest = max(log_scales[i, 0], log_scales[i, 1], log_scales[i, 2])
    total = abs(float(logits[i])) + abs(float(log_scales[i, 0])) + abs(float(log_scales[i, 1])) + abs(float(log_scales[i, 2]))
    norm2 = 0.0
    for k in range(4):
        norm2 += float(quats[i, k]) * float(quats[i, k])
    return total < np.inf and largest <= ABSURD_LOG_SCALE and LEAST_NORM**2 <= norm2 < np.inf


@inlined
def normalised(quats: Array, i: int) -> tuple[float, float, float, float, float]:
    """Unit quaternion i and the length of the raw one."""
    w, x, y, z = float(quats[i, 0]), float(quats[i, 1]), float(quats[i, 2]), float(quats[i, 3])
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    return w / norm, x / norm, y / norm, z / norm, norm


@inlined
def project_axes(
    log_scales: Array, quats: Array, i: int, view: F64, pull_x: float, pull_y: float, slope_x: float, slope_y: float,
    axes: F64,
) -> tuple[float, float, float]:
    """Σ' = J W Σ Wᵀ Jᵀ without dilation as (xx, xy, yy); fills `axes` float64 [3, 4].

    `pull_x`, `pull_y` are focal length / depth; the slopes are clamped x/z and y/z.
    """
    w, x, y, z, _ = normalised(quats, i)
    xx = xy = yy = 0.0
    for axis in range(3):
        if axis == 0:
            a, b, c = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
        elif axis == 1:
            a, b, c = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
        else:
            a, b, c = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
        size = math.exp(float(log_scales[i, axis]))
        along = size * (view[2, 0] * a + view[2, 1] * b + view[2, 2] * c)
        u = pull_x * (size * (view[0, 0] * a + view[0, 1] * b + view[0, 2] * c) - slope_x * along)
        v = pull_y * (size * (view[1, 0] * a + view[1, 1] * b + view[1, 2] * c) - slope_y * along)
        axes[axis, U], axes[axis, V], axes[axis, ALONG], axes[axis, SIZE] = u, v, along, size
        xx += u * u
        xy += u * v
        yy += v * v
    return xx, xy, yy


@inlined
def clamped(value: float, low: float, high: float) -> float:
    """value, at least low and at most high."""
    return min(max(value, low), high)


@inlined
def sigmoid(logit: float) -> float:
    """1 / (1 + exp(-logit)), safe for any finite logit."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    e = math.exp(logit)
    return e / (1 + e)

"""The kernel of MCMC's noise: random vectors stretched by each Gaussian's covariance."""

import math

from runs.arrays import Array
from runs.kernels import lane_kernel


@lane_kernel
def stretched(log_scales: Array, quats_wxyz: Array, vectors: Array, out: Array) -> None:
    """out [N, 3] = R S² Rᵀ v for each row of `vectors` [N, 3]; NaN for a zero quaternion."""
    for i in range(len(vectors)):
        w, x, y, z = quats_wxyz[i]
        inverse = 1 / math.sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = w * inverse, x * inverse, y * inverse, z * inverse
        rotation = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        out[i] = 0
        for axis in range(3):
            along = 0.0
            for k in range(3):
                along += rotation[k][axis] * vectors[i, k]
            along *= math.exp(2 * log_scales[i, axis])
            for k in range(3):
                out[i, k] += rotation[k][axis] * along

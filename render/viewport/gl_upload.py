"""Splats as the arrays that go to the GPU."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from render.splats import Splats
from runs.arrays import F32
from runs.kernels import kernel

ROW = 1024  # splats in a texture row: 12,288 texels at SH degree 3, so 16.7 M splats fit a 16,384² texture
MAX_SH_DEGREE = 3
_GROUP = 4  # four RGB coefficients fill three RGBA texels exactly


@dataclass(frozen=True, eq=False)
class Packed:
    """What both layouts upload; made off the GUI thread."""

    count: int  # M
    mean_opacity: F32  # float32 [M, 4]
    cov_a: F32  # float32 [M, 3]: xx, xy, xz in squared world units
    cov_b: F32  # float32 [M, 3]: yy, yz, zz
    sh: F32  # float32 [ceil(M / ROW), ROW · 3 · groups, 4]
    sh_degree: int
    sh_groups: int
    depth_unit: float  # world units: a typical distance in the scene

    @cached_property
    def geometry(self) -> F32:
        """float32 [ceil(M / ROW), ROW · 3, 4]: mean and opacity; cov_a; cov_b. Only the layout "tex" asks for it."""
        texels = np.zeros((self.count, 3, 4), np.float32)
        texels[:, 0], texels[:, 1, :3], texels[:, 2, :3] = self.mean_opacity, self.cov_a, self.cov_b
        return texture_rows(texels)


def pack(splats: Splats) -> Packed:
    """Texture and vertex data of `splats`; SH above degree 3 is left out, as the shaders have none."""
    covariances = covariance_triangles(splats.scales, splats.quats)
    degree = min(splats.sh_degree, MAX_SH_DEGREE)
    sh = splats.sh[:, : (degree + 1) ** 2]
    groups = -(-sh.shape[1] // _GROUP)
    padded = np.zeros((len(splats), groups * _GROUP, 3), np.float32)
    padded[:, : sh.shape[1]] = sh
    spread = float(np.median(np.abs(splats.means - np.median(splats.means, axis=0)))) if len(splats) else 1.0
    return Packed(
        count=len(splats), mean_opacity=np.column_stack([splats.means, splats.opacities]),
        cov_a=np.ascontiguousarray(covariances[:, :3]), cov_b=np.ascontiguousarray(covariances[:, 3:]),
        sh=texture_rows(padded.reshape(len(splats), 3 * groups, 4)), sh_degree=degree, sh_groups=groups,
        depth_unit=max(spread, 1e-3),
    )


def texture_rows(texels: F32) -> F32:
    """float32 [R, ROW · T, C] from T texels a splat, [M, T, C]; rows are filled up with zeros, never none."""
    count, per_splat, channels = texels.shape
    rows = max(-(-count // ROW), 1)
    filled = texels
    if count != rows * ROW:
        filled = np.zeros((rows * ROW, per_splat, channels), np.float32)
        filled[:count] = texels
    return filled.reshape(rows, ROW * per_splat, channels)


def covariance_triangles(scales: F32, quats: F32) -> F32:
    """float32 [M, 6]: xx, xy, xz, yy, yz, zz of `render.covariance.covariances`, ten times faster."""
    packed = _triangles(np.ascontiguousarray(scales), np.ascontiguousarray(quats))
    return packed.view(np.float32)  # the dtype itself, not the copy from numba's cache, which gloo misreads


@kernel
def _triangles(scales: F32, quats: F32) -> F32:
    packed = np.empty((len(scales), 6), np.float32)
    axes = np.empty((3, 3))
    for i in range(len(scales)):
        w, x, y, z = float(quats[i, 0]), float(quats[i, 1]), float(quats[i, 2]), float(quats[i, 3])
        axes[0, 0], axes[0, 1], axes[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        axes[1, 0], axes[1, 1], axes[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        axes[2, 0], axes[2, 1], axes[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
        for column in range(3):
            for row in range(3):
                axes[row, column] *= scales[i, column]
        at = 0
        for row in range(3):
            for other in range(row, 3):
                packed[i, at] = (axes[row, 0] * axes[other, 0] + axes[row, 1] * axes[other, 1]
                                 + axes[row, 2] * axes[other, 2])
                at += 1
    return packed

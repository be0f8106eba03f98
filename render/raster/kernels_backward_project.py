"""Kernel of the backward pass over splats: from the sums over pixels to the gradients of the raw parameters, in float64."""

import math

import numpy as np

from render.raster import layout_training as layout
from render.raster.kernels_footprint import (
    ALONG,
    FX,
    FY,
    SIZE,
    X_HIGH,
    X_LOW,
    Y_HIGH,
    Y_LOW,
    U,
    V,
    clamped,
    normalised,
    project_axes,
    sigmoid,
    to_camera,
)
from render.raster.kernels_harmonics import sh_pull, sh_terms
from runs.arrays import F64, Array
from runs.kernels import inlined, lane_kernel

HALF_X, SLOPE, HALF_Y, RED = layout.HALF_X, layout.SLOPE, layout.HALF_Y, layout.RED
SUM_V, SUM_VT, SUM_VTT, SUM_VY, SUM_VYY, SUM_VYT = (
    layout.SUM_V, layout.SUM_VT, layout.SUM_VTT, layout.SUM_VY, layout.SUM_VYY, layout.SUM_VYT)
SUM_RED, SUMS, CHUNKS = layout.SUM_RED, layout.SUMS, layout.CHUNKS


@lane_kernel
def pull_back(
    means: Array, log_scales: Array, quats: Array, logits: Array, _sh0: Array, sh_rest: Array, degree: int,
    view: F64, lens: F64, centre: F64, count: int, rows: F64, splat_of: Array, sums: F64,
    d_means: Array, d_log_scales: Array, d_quats: Array, d_logits: Array, d_sh0: Array, d_sh_rest: Array, d_means2d: Array,
) -> None:
    """Write the gradients of the `count` splats on the picture; `sums` is float64 [CHUNKS, count, SUMS]."""
    axes, terms, pulls = np.empty((3, 4), np.float64), np.empty(25, np.float64), np.empty(25, np.float64)
    total, point, mean = np.empty(SUMS, np.float64), np.empty(3, np.float64), np.empty(3, np.float64)
    for rank in range(count):
        i = splat_of[rank]
        for k in range(SUMS):
            total[k] = 0.0
            for chunk in range(CHUNKS):
                total[k] += sums[chunk, rank, k]
        x_px, y_px = _centre(rows, rank, total)
        d_means2d[i, 0], d_means2d[i, 1] = x_px, y_px
        d_logits[i] = total[SUM_V] * sigmoid(-float(logits[i]))
        mean[:] = 0.0
        _colour(means, sh_rest, i, degree, centre, rows, rank, total, terms, pulls, d_sh0, d_sh_rest, mean)
        _shape(means, log_scales, quats, i, view, lens, rows, rank, total, axes, point, d_log_scales, d_quats)
        _add_centre(means, i, view, lens, x_px, y_px, point)
        for k in range(3):
            d_means[i, k] = mean[k] + view[0, k] * point[0] + view[1, k] * point[1] + view[2, k] * point[2]


@inlined
def _centre(rows: F64, rank: int, total: F64) -> tuple[float, float]:
    """dL/d(projected centre), per px."""
    by_x = 2 * rows[rank, HALF_X] * total[SUM_VT]
    return by_x, 2 * rows[rank, HALF_Y] * total[SUM_VY] - rows[rank, SLOPE] * by_x


@inlined
def _add_centre(means: Array, i: int, view: F64, lens: F64, x_px: float, y_px: float, point: F64) -> None:
    """Add what the projected centre says about the mean, in camera axes."""
    x, y, z = to_camera(view, means, i)
    pull_x, pull_y = x_px * lens[FX] / z, y_px * lens[FY] / z
    point[0] += pull_x
    point[1] += pull_y
    point[2] -= (pull_x * x + pull_y * y) / z


@inlined
def _covariance(rows: F64, rank: int, total: F64) -> tuple[float, float, float]:
    """dL/d(xx), dL/d(xy), dL/d(yy) of Σ': ½·Σ v·(Σ'⁻¹Δ)(Σ'⁻¹Δ)ᵀ, the xy entry counted for both of its places.

    Σ'⁻¹Δ = (a·t, b·dy - a·slope·t) with a = 2·HALF_X and b = 2·HALF_Y.
    """
    a, b, slope = 2 * rows[rank, HALF_X], 2 * rows[rank, HALF_Y], rows[rank, SLOPE]
    tt, yt, yy = a * a * total[SUM_VTT], a * b * total[SUM_VYT], b * b * total[SUM_VYY]
    return 0.5 * tt, yt - slope * tt, 0.5 * (yy - 2 * slope * yt + slope * slope * tt)


@inlined
def _shape(
    means: Array, log_scales: Array, quats: Array, i: int, view: F64, lens: F64, rows: F64, rank: int, total: F64,
    axes: F64, point: F64, d_log_scales: Array, d_quats: Array,
) -> None:
    """The gradients of scales and quaternion; sets `point` to what the covariance says about the mean, in camera axes."""
    x, y, z = to_camera(view, means, i)
    slope_x, slope_y = clamped(x / z, lens[X_LOW], lens[X_HIGH]), clamped(y / z, lens[Y_LOW], lens[Y_HIGH])
    pull_x, pull_y = lens[FX] / z, lens[FY] / z
    project_axes(log_scales, quats, i, view, pull_x, pull_y, slope_x, slope_y, axes)
    by_xx, by_xy, by_yy = _covariance(rows, rank, total)
    by_slope_x = by_slope_y = by_pull = 0.0
    for axis in range(3):
        u, v = axes[axis, U], axes[axis, V]
        by_u, by_v = 2 * by_xx * u + by_xy * v, 2 * by_yy * v + by_xy * u
        d_log_scales[i, axis] = by_u * u + by_v * v
        by_pull += by_u * u + by_v * v
        by_slope_x -= by_u * pull_x * axes[axis, ALONG]
        by_slope_y -= by_v * pull_y * axes[axis, ALONG]
        # from here on the row holds dL/d(unit axis) in the world, which the quaternion needs
        right, down = axes[axis, SIZE] * by_u * pull_x, axes[axis, SIZE] * by_v * pull_y
        ahead = -(right * slope_x + down * slope_y)
        for k in range(3):
            axes[axis, k] = view[0, k] * right + view[1, k] * down + view[2, k] * ahead
    _quaternion(quats, i, axes, d_quats)
    if not lens[X_LOW] < x / z < lens[X_HIGH]:
        by_slope_x = 0.0
    if not lens[Y_LOW] < y / z < lens[Y_HIGH]:
        by_slope_y = 0.0
    point[0], point[1] = by_slope_x / z, by_slope_y / z
    point[2] = -(by_pull + by_slope_x * x / z + by_slope_y * y / z) / z


@inlined
def _quaternion(quats: Array, i: int, axes: F64, d_quats: Array) -> None:
    """dL/d(raw quaternion) from dL/d(axis k, component c) = axes[k, c], through rotation matrix and normalisation."""
    w, x, y, z, norm = normalised(quats, i)
    by_w = 2 * (z * (axes[0, 1] - axes[1, 0]) + y * (axes[2, 0] - axes[0, 2]) + x * (axes[1, 2] - axes[2, 1]))
    by_x = 2 * (y * (axes[1, 0] + axes[0, 1]) + z * (axes[2, 0] + axes[0, 2]) + w * (axes[1, 2] - axes[2, 1])
                - 2 * x * (axes[1, 1] + axes[2, 2]))
    by_y = 2 * (x * (axes[1, 0] + axes[0, 1]) + z * (axes[2, 1] + axes[1, 2]) + w * (axes[2, 0] - axes[0, 2])
                - 2 * y * (axes[0, 0] + axes[2, 2]))
    by_z = 2 * (x * (axes[2, 0] + axes[0, 2]) + y * (axes[2, 1] + axes[1, 2]) + w * (axes[0, 1] - axes[1, 0])
                - 2 * z * (axes[0, 0] + axes[1, 1]))
    along = w * by_w + x * by_x + y * by_y + z * by_z
    d_quats[i, 0], d_quats[i, 1] = (by_w - w * along) / norm, (by_x - x * along) / norm
    d_quats[i, 2], d_quats[i, 3] = (by_y - y * along) / norm, (by_z - z * along) / norm


@inlined
def _colour(
    means: Array, sh_rest: Array, i: int, degree: int, centre: F64, rows: F64, rank: int, total: F64, terms: F64, pulls: F64,
    d_sh0: Array, d_sh_rest: Array, d_mean: F64,
) -> None:
    """The gradients of the coefficients; adds to `d_mean` what the viewing direction says about the mean, in world axes."""
    x, y, z = float(means[i, 0]) - centre[0], float(means[i, 1]) - centre[1], float(means[i, 2]) - centre[2]
    length = max(math.sqrt(x * x + y * y + z * z), 1e-30)
    x, y, z = x / length, y / length, z / length
    sh_terms(terms, degree, x, y, z)
    used = (degree + 1) * (degree + 1)
    pulls[:used] = 0.0
    for c in range(3):
        if not rows[rank, RED + c] > 0.0:
            continue  # clamped at 0
        by_c = total[SUM_RED + c]
        d_sh0[i, c] = by_c * terms[0]
        for k in range(1, used):
            d_sh_rest[i, k - 1, c] = by_c * terms[k]
            pulls[k] += by_c * sh_rest[i, k - 1, c]
    by_x, by_y, by_z = sh_pull(pulls, degree, x, y, z)
    along = by_x * x + by_y * y + by_z * z
    d_mean[0] += (by_x - x * along) / length
    d_mean[1] += (by_y - y * along) / length
    d_mean[2] += (by_z - z * along) / length

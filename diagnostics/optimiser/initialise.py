"""The Gaussians that a training starts from."""

import numpy as np
from scipy.spatial import cKDTree

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from render.harmonics import C0
from render.raster.parameters import Parameters
from runs.arrays import F32, F64, Array

NEIGHBOURS = 3
SMALLEST_SQUARE = 1e-7  # world units²: points on one spot get no infinite log scale


def from_points(data: TrainingData, settings: OptimiserSettings, rng: np.random.Generator) -> Parameters:
    """One round Gaussian per point, as large as its neighbours are far, in the point's colour (random where the cloud has none).

    Raises ValueError for a cloud without points.
    """
    points = data.points
    if not len(points):
        raise ValueError(f"the point cloud {points.source} is empty, so there is nothing to start from")
    colours = rng.random((len(points), 3)) if points.rgb is None else points.rgb / 255.0
    scales = settings.init_scale * neighbour_distances(points.xyz)
    return gaussians_at(points.xyz, sh0_of(colours), scales, settings)


def gaussians_at(xyz: Array, sh0: Array, scales: Array, settings: OptimiserSettings) -> Parameters:
    """Round Gaussians of opacity init_opacity at xyz [N, 3] with DC coefficients sh0 [N, 3] and scales [N], world units."""
    count, coefficients = len(xyz), (settings.sh_degree + 1) ** 2
    logit = np.log(settings.init_opacity / (1 - settings.init_opacity))
    quats = np.zeros((count, 4), np.float32)
    quats[:, 0] = 1
    return Parameters(
        means=_stored(xyz), log_scales=_stored(np.repeat(np.log(scales)[:, None], 3, axis=1)), quats_wxyz=quats,
        logit_opacities=np.full(count, logit, np.float32), sh0=_stored(sh0),
        sh_rest=np.zeros((count, coefficients - 1, 3), np.float32),
    )


def sh0_of(colours: Array) -> F64:
    """DC coefficients [N, 3] that show the colours 0..1."""
    return np.asarray((colours - 0.5) / C0, np.float64)


def neighbour_distances(xyz: Array) -> F64:
    """float64 [N], world units: root mean square distance to the three nearest other points."""
    wanted = min(NEIGHBOURS, len(xyz) - 1)
    if wanted == 0:
        return np.full(len(xyz), np.sqrt(SMALLEST_SQUARE))
    distances = np.asarray(cKDTree(xyz).query(xyz, wanted + 1)[0])  # the first is the point itself
    return np.asarray(np.sqrt(np.maximum((distances[:, 1:] ** 2).mean(axis=1), SMALLEST_SQUARE)))


def _stored(values: Array) -> F32:
    return np.ascontiguousarray(values, np.float32)

"""Floaters that no one planted: what a spoiled training leaves in free space, told by the true surfaces of an analytic scene."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.frusta import project
from runs.arrays import F64, Mask
from runs.gaussians import Gaussians
from tests.lab.plan import Plan
from tests.lab.scenes import Scene, planting

CLEARLY_BEFORE = 0.1  # of the distance from the camera, to the true surface behind it, in every picture that it lies in
ON_SURFACE = 0.05  # or less, in some picture
FARTHEST = 1e6  # stands for rays that meet nothing: before an empty sky matter floats


@dataclass(frozen=True, eq=False)
class Labels:
    """What the true surfaces say about N Gaussians."""

    floating: Mask  # bool [N]
    known: Mask  # bool [N], floating or on a surface; what lies between is neither


def labels(plan: Plan, gaussians: Gaussians) -> Labels:
    """Floating: clearly before the surface for every camera, and farther from any surface than the Gaussian is large."""
    means = np.asarray(gaussians.means, np.float64)
    room = _least_room(plan.scene, means)
    away = planting.surface_distance(plan.scene, means) > gaussians.scales.max(axis=1)
    floating = np.isfinite(room) & (room > CLEARLY_BEFORE) & away
    return Labels(floating, floating | (room < ON_SURFACE))


def _least_room(scene: Scene, means: F64) -> F64:
    """float64 [N]: the smallest gap to the surface behind it, over the distance from the camera; inf where no picture has it."""
    assert scene.world is not None
    least = np.full(len(means), np.inf)
    for view in scene.data.train:
        inside = np.flatnonzero(project(means, view.camera).inside)
        ways = means[inside] - view.camera.centre
        met, _ = scene.world.hits(np.broadcast_to(view.camera.centre, ways.shape), ways)
        distances = np.linalg.norm(ways, axis=1)
        least[inside] = np.minimum(least[inside], np.minimum(met, FARTHEST) / distances - 1)
    return least

"""What moves of many cameras have in common: a drift of the whole model, and one lens for all. Neither is a camera's fault."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.probes.pose_flow import LENS, POSE
from diagnostics.probes.pose_views import Fitted
from runs.arrays import F64

DRIFT = 7  # turn of the world, shift of the world, logarithm of its scale
ROUNDS = 8  # of reweighting
RIDGE = 1e-3  # a zoom and a larger world undo each other: neither shall grow without need
SMALLEST_PX = 0.02  # keeps the weight of a view that fits perfectly finite


@dataclass(frozen=True, eq=False)
class Own:
    """What is left of each camera's move once the common part is taken out."""

    moves: F64  # float64 [views, 9], POSE that is the camera's own, and minus the LENS that all share
    lengths_px: F64  # float64 [views], as it displaces the picture
    common_px: float  # by how much the common part displaces pictures, median


@dataclass(frozen=True, eq=False)
class Asked:
    """The one lens that all cameras' moves together come nearest to."""

    lens: F64  # float64 [3], LENS
    before_px: float  # by how much the moves displace pictures, median
    left_px: float  # the same once the lens has taken its part


def lens_alone(views: Sequence[Fitted]) -> Asked:
    """What cameras do to make up for a wrong lens looks like that lens: forwards for a zoom, a turn for a shift."""
    asked, shared = _asked(views), np.zeros((len(views), POSE + LENS, LENS))
    shared[:, POSE:] = np.eye(LENS)
    found = _reweighted(views, asked, shared)
    before, left = (float(np.median(_lengths(views, moves))) for moves in (asked, asked - shared @ found))
    return Asked(found, before, left)


def own_moves(views: Sequence[Fitted]) -> Own:
    """The drift and the lens with the least sum of displacements that are left (iteratively reweighted least squares).

    A few cameras that stand wrong do not pull it towards them. A handful of views has much in common by chance: then less
    is left than they moved.
    """
    asked = _asked(views)
    shared = np.stack([_shared(view, _middle(views)) for view in views])
    found = _reweighted(views, asked, shared)
    moves = asked - shared @ found
    return Own(moves, _lengths(views, moves), float(np.median(_lengths(views, shared @ found))))


def _middle(views: Sequence[Fitted]) -> F64:
    return np.asarray(np.mean([view.camera.centre for view in views], axis=0))


def _shared(view: Fitted, middle: F64) -> F64:
    """float64 [9, 10]: the move of this camera that a drift of the world and a change of the lens ask for.

    What a lens asks for is no move of the camera, and is kept in the last three rows.
    """
    to_camera, arm = view.camera.world_from_camera[:3, :3].T, view.camera.centre - middle
    across = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    shared = np.zeros((POSE + LENS, DRIFT + LENS))
    shared[:3, :3] = to_camera
    shared[3:POSE, :3], shared[3:POSE, 3:6], shared[3:POSE, 6] = -to_camera @ across, to_camera, to_camera @ arm
    shared[POSE:, DRIFT:] = np.eye(LENS)
    return shared


def _asked(views: Sequence[Fitted]) -> F64:
    """float64 [views, 9]: the moves found; of the lens nothing was asked."""
    asked = np.zeros((len(views), POSE + LENS))
    asked[:, :POSE] = [view.pose for view in views]
    return asked


def _reweighted(views: Sequence[Fitted], asked: F64, shared: F64) -> F64:
    """The common part with the least sum of displacements that are left."""
    weights, found = np.ones(len(views)), np.zeros(shared.shape[2])
    for _ in range(ROUNDS):
        found = _solved(views, asked, shared, weights)
        weights = 1 / np.maximum(_lengths(views, asked - shared @ found), SMALLEST_PX)
    return found


def _solved(views: Sequence[Fitted], asked: F64, shared: F64, weights: F64) -> F64:
    normal = sum(w * s.T @ v.motion @ s for w, s, v in zip(weights, shared, views, strict=True))
    wanted = sum(w * s.T @ v.motion @ a for w, s, v, a in zip(weights, shared, views, asked, strict=True))
    steep = np.maximum(np.diag(np.asarray(normal)), 1e-12)
    return np.asarray(np.linalg.solve(np.asarray(normal) + np.diag(RIDGE * steep), np.asarray(wanted)))


def _lengths(views: Sequence[Fitted], moves: F64) -> F64:
    return np.sqrt([max(0.0, float(move @ view.motion @ move)) for view, move in zip(views, moves, strict=True)])

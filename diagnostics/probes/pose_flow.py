"""How the pixels of a picture move when its camera does: a small move of the camera, and the flow that each part of it makes."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from runs.arrays import F64
from runs.cameras import Camera

POSE = 6  # turns about x, y, z in radians, then shifts along x, y, z in world units, in the camera's own axes
LENS = 3  # logarithm of the factor on the focal lengths, principal point to the right and down, in widths of the picture
NOTHING: F64 = np.zeros(POSE)
SAME_LENS: F64 = np.zeros(LENS)


def moved(camera: Camera, pose: F64, lens: F64 = SAME_LENS) -> Camera:
    """The camera turned about its centre by a rotation vector and shifted, both in its own axes, behind another lens."""
    placed = camera.world_from_camera.copy()
    placed[:3, :3] = camera.world_from_camera[:3, :3] @ Rotation.from_rotvec(pose[:3]).as_matrix()
    placed[:3, 3] += camera.world_from_camera[:3, :3] @ pose[3:]
    factor, width = float(np.exp(lens[0])), camera.size_px[0]
    return replace(camera, world_from_camera=placed, fx=camera.fx * factor, fy=camera.fy * factor,
                   cx=camera.cx + lens[1] * width, cy=camera.cy + lens[2] * width)


def added(pose: F64, step: F64) -> F64:
    """The move `pose` followed by `step`, which is told in the axes that `pose` leads to."""
    turn = Rotation.from_rotvec(pose[:3])
    return np.concatenate([(turn * Rotation.from_rotvec(step[:3])).as_rotvec(), pose[3:] + turn.apply(step[3:])])


def flow(camera: Camera, inverse_depth: F64, thin: int = 1) -> F64:
    """float64 [2, h, w, 9]: px to the right and down that each pixel's content moves per unit of POSE and LENS.

    `inverse_depth` [h, w] is 1 / depth along the view axis, of every `thin`-th row and column; only shifts depend on it.
    The derivative of the pinhole projection of exp(-turn) (p - shift).
    """
    width, height = camera.size_px
    x, y = np.meshgrid((np.arange(0, width, thin) + 0.5 - camera.cx) / camera.fx,
                       (np.arange(0, height, thin) + 0.5 - camera.cy) / camera.fy)
    zero, one = np.zeros_like(x), np.ones_like(x)
    across = (x * y, -(1 + x * x), y, -inverse_depth, zero, x * inverse_depth, x, width / camera.fx * one, zero)
    down = (1 + y * y, -x * y, -x, zero, -inverse_depth, y * inverse_depth, y, zero, width / camera.fy * one)
    return np.stack([camera.fx * np.stack(across, axis=-1), camera.fy * np.stack(down, axis=-1)])

"""The usual mistakes between coordinate conventions, tried on a cloud of points."""

from collections.abc import Iterable, Mapping

import numpy as np

from diagnostics.measures.frusta import seen_by
from diagnostics.measures.shares import share
from runs.arrays import F64, Array
from runs.cameras import Camera

# As matrices on world points [3, 3].
CONVENTIONS: Mapping[str, Array] = {
    "y and z flipped (OpenGL against OpenCV)": np.diag([1.0, -1.0, -1.0]),
    "y and z swapped, z up": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "y and z swapped, z down": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "x and z flipped": np.diag([-1.0, 1.0, -1.0]),
    "mirrored": -np.eye(3),
}


def best_conversion(points: F64, cameras: Iterable[Camera]) -> tuple[str, float]:
    """The convention under which most points lie in a picture, and that share, 0..1."""
    cameras = tuple(cameras)
    shares = {name: share(seen_by(points @ matrix.T, cameras) > 0) for name, matrix in CONVENTIONS.items()}
    best = max(shares, key=lambda name: shares[name])
    return best, shares[best]

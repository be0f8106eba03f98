"""Two records of the same cameras: the best similarity between them, and what is left over per camera."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64


@dataclass(frozen=True, eq=False)
class Similarity:
    """x' = scale · rotation · x + shift."""

    scale: float
    rotation: F64  # float64 [3, 3], proper
    shift: F64  # float64 [3]

    def apply(self, points: F64) -> F64:
        return np.asarray(self.scale * points @ self.rotation.T + self.shift)


def fit_similarity(source: F64, target: F64) -> Similarity:
    """Least-squares similarity that carries source [C, 3] onto target [C, 3] (Umeyama 1991, eq. 40-43).

    Raises ValueError where the source points coincide: then no scale exists.
    """
    mean_s, mean_t = source.mean(axis=0), target.mean(axis=0)
    variance = float(((source - mean_s) ** 2).sum() / len(source))
    if not variance > 0:
        raise ValueError("all source points coincide")
    left, singular, right = np.linalg.svd((target - mean_t).T @ (source - mean_s) / len(source))
    proper = np.diag([1.0, 1.0, np.sign(np.linalg.det(left) * np.linalg.det(right)) or 1.0])
    rotation = left @ proper @ right
    scale = float(np.trace(np.diag(singular) @ proper) / variance)
    return Similarity(scale, rotation, mean_t - scale * rotation @ mean_s)


def rotation_angle_deg(first: F64, second: F64) -> float:
    """Angle between two rotation matrices [3, 3], 0..180 degrees."""
    cosine = (np.trace(first.T @ second) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))

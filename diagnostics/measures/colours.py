"""Whether photos show points in the points' own colours: the test of cameras and cloud that needs no model."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.measures.frusta import project, sample
from runs.arrays import F32, F64, Array
from runs.cameras import Camera

# Of all pairs of a point and a picture it lies in: in a third of its pictures a surface point is hardly ever hidden.
AGREEING = 0.3


@dataclass(frozen=True, eq=False)
class Shot:
    """One photo beside the camera that is said to have taken it."""

    camera: Camera
    photo: F32  # float32 [H, W, 3], 0..1, at the camera's size


def disagreement(xyz: Array, colours: F64, shots: Iterable[Shot], fewest: int = 1) -> float:
    """0..1: what the better 30 % of all pairs of a point and a picture differ by at most, mean over channels.

    NaN where there are fewer than `fewest` pairs.

    Points [N, 3] in world units and their colours [N, 3], 0..1. Occlusion is not asked: hidden pairs are among the worse 70 %.
    """
    found = [_differences(xyz, colours, shot) for shot in shots]
    pairs = np.concatenate(found) if found else np.empty(0)
    return float(np.quantile(pairs, AGREEING)) if len(pairs) >= fewest else float("nan")


def exposed_alike(xyz: Array, colours: F64, shot: Shot) -> Shot:
    """The shot with each channel scaled until points and photo are as bright, medians over what lies in the picture.

    Values may exceed 1. A channel that is black in either stays as it is; without a point in the picture, all do.
    """
    seen = project(xyz, shot.camera)
    if not seen.inside.any():
        return shot
    wanted = np.median(colours[seen.inside], axis=0)
    shown = np.median(sample(shot.photo, seen.x_px[seen.inside], seen.y_px[seen.inside]), axis=0)
    gains = np.where((wanted > 0) & (shown > 0), wanted / np.where(shown > 0, shown, 1), 1)
    return replace(shot, photo=np.asarray(shot.photo * gains, np.float32))


def shuffled(colours: F64) -> F64:
    """The colours [N, 3] dealt out anew: what chance agrees about. The same deal every time."""
    return np.asarray(np.random.default_rng(0).permutation(colours))


def _differences(xyz: Array, colours: F64, shot: Shot) -> F64:
    seen = project(xyz, shot.camera)
    shown = sample(shot.photo, seen.x_px[seen.inside], seen.y_px[seen.inside])
    return np.asarray(np.abs(shown - colours[seen.inside]).mean(axis=1), np.float64)

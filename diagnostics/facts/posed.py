"""Facts about poses that the photos' colours tell: whether the COLMAP model's fit better, and which photos are strangers."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import colours, registration, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.colours import coloured_sample
from diagnostics.facts.photos import PHOTOS
from diagnostics.facts.registration import MODEL, PoseDifference
from diagnostics.measures.alignment import Similarity
from diagnostics.measures.colours import Shot, disagreement, exposed_alike, shuffled
from diagnostics.measures.shares import quantile
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64, Array
from runs.cameras import Camera
from runs.points import PointCloud

# A trainer copies poses to some 1e-5; what is closer than this is rounding of a normalised world.
LEAST_ANGLE_DEG, LEAST_MOVE = 0.1, 0.005  # the move in parts of the cameras' median distance from their middle
FEWEST_POINTS = 30  # in a picture: fewer tell nothing about its photo


@dataclass(frozen=True)
class PoseFit:
    """Training cameras whose pose is not the COLMAP model's, and which of both the photos fit."""

    differing: tuple[str, ...]  # worst first; empty where training used the model's poses
    looked_at: int  # of them, held against their photos
    found: float  # what points and photos differ by under the poses that training used, NaN where none was looked at
    with_model: float  # the same under the model's
    source: str


@fact(missing=MODEL)
def pose_fit(
    train_cameras: tuple[Camera, ...], pose_differences: PoseDifference, shots: tuple[Shot, ...],
    posed_by_model: tuple[Shot, ...], sfm_points: PointCloud, model_world: Similarity,
) -> PoseFit | NotEvaluable:
    """Only cameras that differ are asked: the others would drown them."""
    sampled = coloured_sample(sfm_points)
    if sampled is None:
        return NotEvaluable(("COLMAP points with colours that differ",))
    differing = _differing(train_cameras, pose_differences)
    mine, theirs = ([shot for shot in each if shot.camera.name in differing] for each in (shots, posed_by_model))
    xyz = model_world.apply(sampled[0])
    found, with_model = (disagreement(xyz, sampled[1], each) for each in (mine, theirs))
    return PoseFit(differing, len(mine), found, with_model, pose_differences.source)


def _differing(cameras: tuple[Camera, ...], found: PoseDifference) -> tuple[str, ...]:
    centres = np.stack([camera.centre for camera in cameras])
    least = LEAST_MOVE * float(np.median(np.linalg.norm(centres - np.median(centres, axis=0), axis=1)))
    differ = [(found.angle_deg[camera.name], camera.name) for camera in cameras if camera.name in found.angle_deg
              and (found.angle_deg[camera.name] > LEAST_ANGLE_DEG or found.distance[camera.name] > least)]
    return tuple(name for _, name in sorted(differ, reverse=True))


@dataclass(frozen=True)
class Stranger:
    """One photo beside the points that its camera sees."""

    name: str
    times_usual: float  # what it differs by, exposure aside, over the median of all photos
    of_chance: float  # the same over what points with colours dealt out anew differ by


@fact(missing=PHOTOS)
def strangeness(
    shots: tuple[Shot, ...], start_points: PointCloud, sfm_points: PointCloud | None = None,
    model_world: Similarity | None = None,
) -> tuple[Stranger, ...] | None:
    """Each photo by itself, in the order of the cameras; those in which few points lie are left out."""
    carried = sfm_points is not None and model_world is not None
    sampled = coloured_sample(sfm_points if carried and sfm_points is not None else start_points)
    if sampled is None:
        return None
    xyz = model_world.apply(sampled[0]) if carried and model_world is not None else sampled[0]
    told = [_told(xyz, sampled[1], shot) for shot in shots]
    usual = quantile(np.array([found for found, _ in told]), 0.5)
    if not usual > 0:
        return None
    return tuple(Stranger(shot.camera.name, found / usual, found / chance)
                 for shot, (found, chance) in zip(shots, told, strict=True) if chance > 0)


def _told(xyz: Array, rgb: F64, shot: Shot) -> tuple[float, float]:
    """What points and photo differ by, and what chance gives; NaN where few points lie in it.

    A photo that was exposed otherwise is no stranger, so that its brightness is set right, unless this makes it worse:
    where most points are hidden, their colours say nothing of it.
    """
    both = [(disagreement(xyz, rgb, [each], FEWEST_POINTS), each) for each in (shot, exposed_alike(xyz, rgb, shot))]
    found, better = min(both, key=lambda pair: pair[0])
    return found, disagreement(xyz, shuffled(rgb), [better], FEWEST_POINTS)

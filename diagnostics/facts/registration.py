"""Facts about how well the poses that training used agree with the COLMAP model of the data folder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from diagnostics.facts import cameras as camera_facts  # noqa: F401  (the facts below build on cameras)
from diagnostics.measures.alignment import Similarity, fit_similarity, rotation_angle_deg
from diagnostics.measures.frusta import project
from diagnostics.registry import fact
from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.colmap import ColmapModel, find_model, read_model
from runs.run import Run

MODEL = "the COLMAP model (give the data folder with --data)"
FEWEST_SHARED = 3  # a similarity between two sets of camera centres needs three of them


@fact(missing=MODEL)
def colmap_model(run: Run) -> ColmapModel | None:
    """The model that belongs to the photos."""
    folder = None if run.data is None else find_model(run.data)
    return None if folder is None else read_model(folder)


@dataclass(frozen=True, eq=False)
class Reprojection:
    """Where the COLMAP model's points fall under the poses that training used, against where the photos show them."""

    median_px: Mapping[str, float]  # by camera name: median distance, pixels of the size that trained
    model_px: float  # the same under the model's own poses, median over all observations
    source: str


@fact(missing="the COLMAP model's keypoints (give the data folder with --data)")
def reprojection(cameras: tuple[Camera, ...], colmap_model: ColmapModel, beat: Callable[[], None]) -> Reprojection | None:
    """Per camera, over the keypoints of its photo that belong to a point; None where the model holds no keypoints.

    The run's world may be a moved, turned and scaled copy of the model's: the best similarity is applied first.
    """
    points, seen = colmap_model.points, colmap_model.observations
    if points is None or seen is None or not len(seen.point_index):
        return None
    pairs = _shared(cameras, colmap_model.cameras)
    world = _to_run(pairs)
    index_of = {name: i for i, name in enumerate(seen.image_names)}
    used, own = {}, []
    for mine, theirs in pairs:
        beat()
        rows = np.flatnonzero(seen.image_index == index_of.get(theirs.name, -1))
        if not len(rows):
            continue
        xyz, xy = points.xyz[seen.point_index[rows]], seen.xy_px[rows]
        scale = np.array(mine.size_px) / theirs.size_px
        used[mine.name] = float(np.nanmedian(_misses(world.apply(xyz), mine, xy * scale)))
        own.append(_misses(xyz, theirs, xy) * scale.mean())
    return Reprojection(used, float(np.nanmedian(np.concatenate(own))), str(colmap_model.folder)) if used else None


@dataclass(frozen=True, eq=False)
class PoseDifference:
    """How far the pose that training used is from the COLMAP model's, after the best similarity."""

    angle_deg: Mapping[str, float]  # by camera name
    distance: Mapping[str, float]  # by camera name, world units of the run
    source: str


@fact(missing=MODEL)
def pose_differences(cameras: tuple[Camera, ...], colmap_model: ColmapModel) -> PoseDifference | None:
    """Per camera; None where fewer than three cameras are in both."""
    pairs = _shared(cameras, colmap_model.cameras)
    if len(pairs) < FEWEST_SHARED:
        return None
    world = _to_run(pairs)
    angles = {mine.name: rotation_angle_deg(_rotation(mine), world.rotation @ _rotation(theirs)) for mine, theirs in pairs}
    distances = {mine.name: float(np.linalg.norm(world.apply(theirs.centre[None])[0] - mine.centre)) for mine, theirs in pairs}
    return PoseDifference(angles, distances, str(colmap_model.folder))


def _shared(cameras: tuple[Camera, ...], others: tuple[Camera, ...]) -> list[tuple[Camera, Camera]]:
    """Cameras of the run beside those of the model; names may lack folder and ending (INRIA's older cameras.json)."""
    exact, short = {c.name: c for c in others}, {Path(c.name).stem: c for c in others}
    found = ((mine, exact.get(mine.name) or short.get(Path(mine.name).stem)) for mine in cameras)
    return [(mine, theirs) for mine, theirs in found if theirs is not None]


def _to_run(pairs: list[tuple[Camera, Camera]]) -> Similarity:
    """From the model's world to the run's. Most trainers keep COLMAP's world, so that is tried first.

    The identity is kept where a majority of the cameras has not moved: a fit would smear their error over all.
    """
    same = Similarity(1.0, np.eye(3), np.zeros(3))
    theirs, mine = np.stack([p[1].centre for p in pairs]), np.stack([p[0].centre for p in pairs])
    size = float(np.linalg.norm(mine - mine.mean(axis=0), axis=1).max())
    if len(pairs) < FEWEST_SHARED or np.median(np.linalg.norm(theirs - mine, axis=1)) < 0.2 * size:
        return same
    return fit_similarity(theirs, mine)


def _misses(xyz: F64, camera: Camera, xy_px: F64) -> F64:
    """float64 [n], distance in pixels between projected points and keypoints; NaN behind the camera."""
    seen = project(xyz, camera)
    return np.asarray(np.hypot(seen.x_px - xy_px[:, 0], seen.y_px - xy_px[:, 1]))


def _rotation(camera: Camera) -> F64:
    return np.asarray(camera.world_from_camera[:3, :3])

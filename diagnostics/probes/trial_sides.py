"""The two sides of a trial: the same views, points and seed; on one of them a single thing is otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from diagnostics.facts.colours import carried_pose
from diagnostics.facts.lens import offset_px
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.facts.registration import shared_cameras
from diagnostics.measures.backgrounds import WHITE, composite
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData, View
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.material import Source, source_of, start_points, thinned
from diagnostics.probes.own_settings import OwnSettings, own_settings
from diagnostics.probes.trial_changes import FEWEST_LEFT, NO_MODEL, Change
from diagnostics.probes.trial_record import Told
from diagnostics.probes.trial_schedule import Shortening, shortened
from render.raster.measures import capped
from runs.arrays import F32, F64
from runs.cameras import Camera
from runs.points import PointCloud

MOST_HELD_OUT = 8


@dataclass(frozen=True)
class Sizes:
    """How much of the run is used."""

    longest_px: int
    most_points: int
    most_views: int


@dataclass(frozen=True, eq=False)
class Ground:
    """What both sides stand on."""

    own: OwnSettings
    train: tuple[Camera, ...]  # as the trainer drew through them
    test: tuple[Camera, ...]  # held out; none of those that are left out on one side
    stored: Mapping[str, Camera]  # as the run stores them, by name
    photos: Mapping[str, F32]  # float32 [H, W, 3 or 4], by camera
    points: PointCloud
    model_points: PointCloud | None  # only where the change asks for them
    model_poses: Mapping[str, F64]  # float64 [4, 4] in the run's world, by camera; only where the change asks for them
    background: str
    all_views: int  # training views of the run
    all_points: int

    @property
    def thinning(self) -> float:
        return len(self.points) / max(1, self.all_points)


@dataclass(frozen=True, eq=False)
class Side:
    """One training before it starts."""

    data: TrainingData
    settings: OptimiserSettings
    told: Told

    @cached_property
    def measured(self) -> tuple[View, ...]:
        """The views that results are measured on: held out, else trained."""
        return self.data.test or evenly(self.data.train, MOST_HELD_OUT)


def ground_of(bench: Bench, change: Change, sizes: Sizes) -> Ground:
    """Reads the photos. Raises OutOfReach where something is missing, or the change would change nothing here."""
    run = bench.evidence.run
    source = source_of(bench, sizes.longest_px)
    own = own_settings(run)
    _refuse(change, own, source)
    train = evenly(source.train, sizes.most_views)
    test = evenly(tuple(camera for camera in source.test if camera.name not in change.without), MOST_HELD_OUT)
    photos = _photos(bench, (*train, *test))
    points = start_points(bench)
    ground = Ground(
        own, _with_photo(train, photos), _with_photo(test, photos),
        {camera.name: capped(camera, sizes.longest_px) for camera in run.cameras}, photos, thinned(points, sizes.most_points),
        _model_points(bench, change, sizes.most_points), _model_poses(bench, change),
        source.background, len(source.train), len(points),
    )
    _check(change, ground)
    return ground


def sides_of(ground: Ground, change: Change, short: Shortening, seed: int) -> tuple[Side, Side]:
    """Control and trial. Raises OutOfReach where the change cannot be trained with."""
    try:
        control, trial = shortened(ground.own.values, change.settings, short, seed)
    except ValueError as error:
        raise OutOfReach(f"a value that can be trained with: {error}") from error
    colour = change.background or ground.background
    return _side(ground, Change("", None), control, ground.background), _side(ground, change, trial, colour)


def _side(ground: Ground, change: Change, settings: OptimiserSettings, background: str) -> Side:
    train, test = (tuple(_drawn(camera, ground, change) for camera in cameras if camera.name not in change.without)
                   for cameras in (ground.train, ground.test))
    points = ground.model_points if change.model_points and ground.model_points is not None else ground.points
    settings = replace(settings, white_background=background == WHITE)
    told = Told(settings, tuple(_told(camera, ground, change) for camera in (*train, *test)), ground.photos, points)
    views = tuple(tuple(View(camera, composite(ground.photos[camera.name], background)) for camera in part)
                  for part in (train, test))
    return Side(TrainingData(views[0], views[1], points), settings, told)


def _drawn(camera: Camera, ground: Ground, change: Change) -> Camera:
    """As this side trains through it."""
    stored = ground.stored[camera.name]
    centred = replace(camera, cx=stored.cx, cy=stored.cy) if change.principal_point else camera
    return _placed(centred, ground, change)


def _told(camera: Camera, ground: Ground, change: Change) -> Camera:
    """As this side's run would store it."""
    return replace(_placed(ground.stored[camera.name], ground, change), split=camera.split)


def _placed(camera: Camera, ground: Ground, change: Change) -> Camera:
    pose = ground.model_poses.get(camera.name, camera.world_from_camera) if change.model_poses else camera.world_from_camera
    return replace(camera, world_from_camera=pose, fx=camera.fx * change.focal, fy=camera.fy * change.focal)


def _refuse(change: Change, own: OwnSettings, source: Source) -> None:
    for name in change.settings:
        if name in own.refused:
            raise OutOfReach(f"this run's own {change.label} in the compact trainer ({own.refused[name]})")
    if change.background and change.background == source.background:
        raise OutOfReach(f"another background than the run's own {source.background}, which it was trained on already")


def _check(change: Change, ground: Ground) -> None:
    left = [camera for camera in ground.train if camera.name not in change.without]
    if change.without and len(left) == len(ground.train):
        raise OutOfReach("photos of the cameras that the fix leaves out")
    if len(left) < FEWEST_LEFT:
        raise OutOfReach(f"at least {FEWEST_LEFT} training views that stay, with their photos")
    if ground.model_points is not None and _alike(ground.points, ground.model_points):
        raise OutOfReach("other points than the COLMAP model's as its start: it started from those")
    if change.model_poses and not any(_is_elsewhere(camera, ground) for camera in ground.train):
        raise OutOfReach("poses of the COLMAP model that differ from the run's: it was trained with those")
    if change.principal_point and not any(_is_moved(camera, ground) for camera in ground.train):
        raise OutOfReach("a principal point that the training ignored: it drew around it already")


def _alike(one: PointCloud, other: PointCloud) -> bool:
    """The same places, to a millionth of their spread, and the same colours."""
    if len(one) != len(other) or (one.rgb is None) != (other.rgb is None):
        return False
    near = np.allclose(one.xyz, other.xyz, rtol=0, atol=1e-6 * float(np.ptp(one.xyz)) if len(one) else 0.0)
    return near and (one.rgb is None or other.rgb is None or bool((one.rgb == other.rgb).all()))


def _is_elsewhere(camera: Camera, ground: Ground) -> bool:
    pose = ground.model_poses.get(camera.name)
    return pose is not None and not np.allclose(pose, camera.world_from_camera, atol=1e-4)


def _is_moved(camera: Camera, ground: Ground) -> bool:
    return offset_px(camera) != offset_px(ground.stored[camera.name])


def _photos(bench: Bench, cameras: tuple[Camera, ...]) -> dict[str, F32]:
    found: dict[str, F32] = {}
    for camera in cameras:
        bench.beat()
        photo = photo_at(bench.evidence.run, camera)
        if photo is not None:
            found[camera.name] = photo
    if not found:
        raise OutOfReach(PHOTOS)
    return found


def _with_photo(cameras: tuple[Camera, ...], photos: Mapping[str, Any]) -> tuple[Camera, ...]:
    return tuple(camera for camera in cameras if camera.name in photos)


def _model_poses(bench: Bench, change: Change) -> dict[str, F64]:
    if not change.model_poses:
        return {}
    pairs, world = shared_cameras(bench.fact("cameras"), bench.fact("colmap_model").cameras), bench.fact("model_world")
    return {mine.name: carried_pose(theirs.world_from_camera, world) for mine, theirs in pairs}


def _model_points(bench: Bench, change: Change, most: int) -> PointCloud | None:
    if not change.model_points:
        return None
    points = bench.evidence.run.sfm_points
    if points is None or not len(points):
        raise OutOfReach(NO_MODEL)
    return thinned(points, most)



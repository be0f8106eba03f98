"""Material: a run's training views, smaller, and what its training started from, as the compact trainer takes them."""

from dataclasses import dataclass, replace

from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.measures.backgrounds import BLACK, COLOURS, composite
from diagnostics.optimiser.views import TrainingData, View
from diagnostics.probes.bench import Bench, OutOfReach
from render.raster.measures import capped
from render.raster.parameters import Parameters
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.points import PointCloud


@dataclass(frozen=True)
class Source:
    """Where views come from, before any photo was read."""

    train: tuple[Camera, ...]  # with a photo, at the size that is worked on
    test: tuple[Camera, ...]
    background: str  # "black" or "white"
    assumed_background: bool  # the run does not say it


def source_of(bench: Bench, longest_px: int) -> Source:
    """Cameras with photos, their longer side at most `longest_px`. Raises OutOfReach where there are none, or where
    pictures drawn here may not be held against them (facts `photos_alike`, `drawn_cameras`)."""
    bench.fact("photos_alike")
    cameras, photos = bench.fact("drawn_cameras"), bench.evidence.run.photos
    small = [capped(camera, longest_px) for camera in cameras if camera.name in photos]
    train = tuple(camera for camera in small if camera.split != "test")
    if not train:
        raise OutOfReach(PHOTOS)
    told = bench.fact_or_none("trained_background")
    return Source(train, tuple(camera for camera in small if camera.split == "test"), told or BLACK, told is None)


def views(bench: Bench, cameras: tuple[Camera, ...], background: str, most: int = 0) -> tuple[View, ...]:
    """At most `most` of the cameras (0: all), evenly chosen, with their photos; those that cannot be read are noted and
    left out."""
    found = []
    for camera in evenly(cameras, most) if most else cameras:
        bench.beat()
        photo = photo_at(bench.evidence.run, camera)
        if photo is not None:
            found.append(View(camera, composite(photo, background)))
    return tuple(found)


def background_of(name: str) -> tuple[float, float, float]:
    """RGB 0..1 of "black" or "white"."""
    level = COLOURS[name]
    return level, level, level


def start_points(bench: Bench, most: int = 0) -> PointCloud:
    """What the training started from, evenly thinned to `most` points (0: all). Raises OutOfReach."""
    return thinned(bench.fact("start_points"), most)


def thinned(points: PointCloud, most: int) -> PointCloud:
    """Every n-th point, so that at most `most` are left (0: all)."""
    if not most or len(points) <= most:
        return points
    step = -(-len(points) // most)
    return replace(points, xyz=points.xyz[::step], rgb=None if points.rgb is None else points.rgb[::step],
                   error_px=None if points.error_px is None else points.error_px[::step],
                   track_lengths=None if points.track_lengths is None else points.track_lengths[::step])


def training_data(bench: Bench, source: Source, most_views: int = 0, most_points: int = 0) -> TrainingData:
    """Training and held-out views with their photos, and the points. Raises OutOfReach."""
    train, test = (views(bench, cameras, source.background, most_views) for cameras in (source.train, source.test))
    if not train:
        raise OutOfReach(PHOTOS)
    return TrainingData(train, test, start_points(bench, most_points))


def checkpoint_of(bench: Bench) -> Checkpoint:
    """The save that was asked for, else the last one of the range. Raises OutOfReach."""
    saves: tuple[Checkpoint, ...] = bench.fact("checkpoints")
    wanted = bench.wish.iteration
    return saves[-1] if wanted is None else min(saves, key=lambda save: (abs(save.iteration - wanted), -save.iteration))


def parameters_of(checkpoint: Checkpoint) -> Parameters:
    """Its Gaussians as trainable arrays, in the order of their rows. Raises UnreadableFile."""
    return Parameters.of(checkpoint.gaussians)

"""Facts from the colours of points in the photos: whether cloud, cameras and photos belong together, and what would make them.

No model is asked, so a fault of training cannot show here. At most 24 photos and 2,000 points are looked at.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from diagnostics.facts import alike  # noqa: F401  (undistorted)
from diagnostics.facts import cameras as camera_facts  # noqa: F401  (train_cameras)
from diagnostics.facts.frames import CAMERA_AXES, flipped
from diagnostics.facts.moving import moves
from diagnostics.facts.photos import PHOTOS, evenly, photo_at
from diagnostics.facts.registration import MODEL, shared_cameras
from diagnostics.measures.alignment import Similarity
from diagnostics.measures.backgrounds import BLACK, composite
from diagnostics.measures.colours import Shot, disagreement, shuffled
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.raster.measures import capped
from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel
from runs.points import PointCloud
from runs.run import Run

Key = TypeVar("Key")

MOST_SHOTS = 24
ENOUGH_POINTS = 2_000
LEAST_SPREAD = 0.02  # standard deviation of colours: points of one colour agree with a photo anywhere
FOCALS = (0.5, 0.6, 0.7, 0.77, 0.83, 0.88, 0.92, 0.95, 0.97, 1.03, 1.05, 1.08, 1.13, 1.2, 1.3, 1.45, 1.65, 2.0)
FINER = (0.98, 0.985, 0.99, 0.995, 1.005, 1.01, 1.015, 1.02)  # around the best of them
NEAR = (0.95, 1.05)
FITS = 0.5  # of chance: below it, and best at the cameras as they are, nothing else is tried
COLOURED = "starting points with colours that differ"


@dataclass(frozen=True)
class ColourTest:
    """How well points agree with the photos they lie in, 0 (exactly) to 1."""

    found: float
    chance: float  # the same with the colours dealt out anew among the points
    points: int
    source: str

    @property
    def of_chance(self) -> float:
        """About 0.1 in sound captures, 1 where points and photos have nothing to do with each other."""
        return self.found / self.chance if self.chance > 0 else float("nan")


@dataclass(frozen=True)
class PhotoFit:
    """The points' colours under the cameras as they are, and under the two kinds of change that might be needed."""

    test: ColourTest
    focal: float  # the factor on all focal lengths under which points and photos agree best; 1 where they fit as they are
    with_focal: float  # disagreement then
    axes: str  # the flip of camera axes under which they agree best; "" where none was tried
    with_axes: float  # disagreement then; NaN where none was tried
    axes_chance: float = float("nan")  # the same with the colours dealt out anew


@fact(missing=PHOTOS)
def shots(
    run: Run, train_cameras: tuple[Camera, ...], undistorted: bool, lens_told: bool, beat: Callable[[], None],  # noqa: ARG001
) -> tuple[Shot, ...] | NotEvaluable | None:
    """At most 24 training cameras, evenly chosen, with their photos on black, at most 512 px on the longer side."""
    if (why := moves(run)) is not None:
        return why

    def found() -> Iterator[Shot]:
        for camera in evenly(tuple(c for c in train_cameras if c.name in run.photos), MOST_SHOTS):
            beat()
            shown = capped(camera)
            photo = photo_at(run, shown)
            if photo is not None:
                yield Shot(shown, composite(photo, BLACK))

    return tuple(found()) or None


@fact(missing=PHOTOS)
def start_colours(start_points: PointCloud, shots: tuple[Shot, ...]) -> ColourTest | NotEvaluable | None:
    """Of the points that training started from."""
    sampled = coloured_sample(start_points)
    return NotEvaluable((COLOURED,)) if sampled is None else _test(*sampled, shots, start_points.source)


@fact(missing=PHOTOS)
def model_colours(
    sfm_points: PointCloud, shots: tuple[Shot, ...], model_world: Similarity | None = None,
) -> ColourTest | NotEvaluable | None:
    """Of the COLMAP model's points, carried to the run's world; most trainers keep COLMAP's."""
    sampled = coloured_sample(sfm_points)
    if sampled is None:
        return NotEvaluable(("COLMAP points with colours that differ",))
    xyz = sampled[0] if model_world is None else model_world.apply(sampled[0])
    return _test(xyz, sampled[1], shots, sfm_points.source)


@fact(missing=MODEL)
def posed_by_model(
    shots: tuple[Shot, ...], colmap_model: ColmapModel, model_world: Similarity,
) -> tuple[Shot, ...] | None:
    """The same photos under the poses of the COLMAP model, carried to the run's world; the lens stays the run's."""
    pairs = shared_cameras(tuple(shot.camera for shot in shots), colmap_model.cameras)
    photos = {shot.camera.name: shot.photo for shot in shots}
    if len(pairs) < len(shots):
        return None
    return tuple(Shot(replace(mine, world_from_camera=carried_pose(theirs.world_from_camera, model_world)), photos[mine.name])
                 for mine, theirs in pairs)


@fact(missing=PHOTOS)
def photo_fit(
    start_points: PointCloud, shots: tuple[Shot, ...], sfm_points: PointCloud | None = None,
    model_world: Similarity | None = None,
) -> PhotoFit | NotEvaluable:
    """Of the COLMAP model's points where they are at hand, else of those that training started from."""
    carried = sfm_points is not None and model_world is not None
    cloud = sfm_points if carried and sfm_points is not None else start_points
    sampled = coloured_sample(cloud)
    if sampled is None:
        return NotEvaluable((COLOURED,))
    colours = sampled[1]
    xyz = model_world.apply(sampled[0]) if carried and model_world is not None else sampled[0]
    test = _test(xyz, colours, shots, cloud.source)
    if test is None:
        nowhere = ColourTest(float("nan"), float("nan"), len(cloud), cloud.source)
        return PhotoFit(nowhere, 1.0, float("nan"), *_best_axes(xyz, colours, shots))
    if test.of_chance < FITS and test.found < min(_with_focal(xyz, colours, shots, factor) for factor in NEAR):
        return PhotoFit(test, 1.0, test.found, "", float("nan"))
    focal, with_focal = _best_focal(xyz, colours, shots, test.found)
    return PhotoFit(test, focal, with_focal, *_best_axes(xyz, colours, shots))


def carried_pose(pose: F64, world: Similarity) -> F64:
    """float64 [4, 4]: a pose of the model's world in the run's."""
    moved = np.eye(4)
    moved[:3, :3] = world.rotation @ pose[:3, :3]
    moved[:3, 3] = world.apply(pose[None, :3, 3])[0]
    return moved


def coloured_sample(cloud: PointCloud) -> tuple[F64, F64] | None:
    """Positions and colours, 0..1, of enough points; None where they have no colours worth the name."""
    if cloud.rgb is None:
        return None
    step = max(1, len(cloud) // ENOUGH_POINTS)
    colours = np.asarray(cloud.rgb[::step], np.float64) / 255
    return (cloud.xyz[::step], colours) if float(colours.std(axis=0).max()) > LEAST_SPREAD else None


def _test(xyz: F64, colours: F64, shots: tuple[Shot, ...], source: str) -> ColourTest | None:
    """None where no point lies in any photo."""
    found, chance = (disagreement(xyz, dealt, shots) for dealt in (colours, shuffled(colours)))
    return ColourTest(found, chance, len(xyz), source) if np.isfinite(found) else None


def _with_focal(xyz: F64, colours: F64, shots: tuple[Shot, ...], factor: float) -> float:
    zoomed = (Shot(replace(s.camera, fx=s.camera.fx * factor, fy=s.camera.fy * factor), s.photo) for s in shots)
    return disagreement(xyz, colours, zoomed)


def _best_focal(xyz: F64, colours: F64, shots: tuple[Shot, ...], as_it_is: float) -> tuple[float, float]:
    """(factor, disagreement): coarse steps first, then finer ones around the best."""
    found = {1.0: as_it_is} | {factor: _with_focal(xyz, colours, shots, factor) for factor in FOCALS}
    middle, _ = _least(found)
    return _least(found | {middle * step: _with_focal(xyz, colours, shots, middle * step) for step in FINER})


def _best_axes(xyz: F64, colours: F64, shots: tuple[Shot, ...]) -> tuple[str, float, float]:
    """(flip, disagreement under it, and by chance)."""
    def turned(name: str) -> Iterator[Shot]:
        for shot in shots:
            pose = flipped(CAMERA_AXES[name], shot.camera.world_from_camera)
            yield Shot(replace(shot.camera, world_from_camera=pose), shot.photo)

    best, found = _least({"": float("nan")} | {name: disagreement(xyz, colours, turned(name)) for name in CAMERA_AXES})
    return best, found, disagreement(xyz, shuffled(colours), turned(best)) if best else float("nan")


def _least(found: Mapping[Key, float]) -> tuple[Key, float]:
    """The entry with the smallest finite value; the first one where there is none."""
    best = min(found, key=lambda key: found[key] if np.isfinite(found[key]) else np.inf)
    return best, found[best]

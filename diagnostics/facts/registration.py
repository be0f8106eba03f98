"""Facts about how well the poses that training used agree with the COLMAP model of the data folder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from diagnostics.facts import cameras as camera_facts
from diagnostics.measures.alignment import Similarity, fit_similarity, rotation_angle_deg
from diagnostics.measures.frusta import Projected, project
from diagnostics.measures.lens_fit import AS_IT_IS, LensFit, fit_lens
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel, find_model, read_model
from runs.run import Run

MODEL = "the COLMAP model (give the data folder with --data)"
LEAST_ZOOM = 0.02  # calibrations of one camera repeat to a few per mille; trainers that round sizes stay below 1 %
LEAST_SHIFT_PX = 0.5
EXPLAINED = 0.5  # of the median miss: poses at random leave more than 0.9 of it, whatever the lens
TIMES_STORED = 3.0  # what the model records: a lens that leaves more is not the whole truth (0.5-1.0 under sound cameras)
# Of the picture's longer side: 0.0005 in a real capture, 0.002 in small pictures; 0.009 with poses 0.4 degrees off.
PROVED = 0.004
PINHOLE = frozenset({"PINHOLE", "SIMPLE_PINHOLE"})
# Draws around the principal points of its data set, and stores cameras without them, in a world of its own. INRIA's family stores
# none either, and draws around the centre.
KEEPS_NO_POINTS = frozenset({"opensplat"})
CENTRED_PX = 0.5  # nearer than that to the centre a principal point makes no difference
UNTOLD_LENS = "the cameras' principal points, which this trainer uses and does not store"
FEWEST_SHARED = 3  # a similarity between two sets of camera centres needs three of them


@fact(missing=MODEL)
def colmap_model(run: Run) -> ColmapModel | None:
    """The model that belongs to the photos."""
    folder = None if run.data is None else find_model(run.data)
    return None if folder is None else read_model(folder)


@fact(missing=camera_facts.CAMERAS)
def lens_told(run: Run, cameras: tuple[Camera, ...], colmap_model: ColmapModel | None = None) -> bool | NotEvaluable:
    """Whether the cameras have the principal points that training used, or those are in the middle by the model."""
    if run.trainer.name not in KEEPS_NO_POINTS or all(camera.has_principal_point for camera in cameras):
        return True
    pairs = [] if colmap_model is None else shared_cameras(cameras, colmap_model.cameras)
    known = [theirs.resized(mine.size_px) for mine, theirs in pairs]
    centred = all(abs(c.cx - c.size_px[0] / 2) < CENTRED_PX and abs(c.cy - c.size_px[1] / 2) < CENTRED_PX for c in known)
    return True if known and centred else NotEvaluable((UNTOLD_LENS,))


@dataclass(frozen=True, eq=False)
class Reprojection:
    """Where the COLMAP model's points fall under the cameras that training used, against where the photos show them.

    Pixels are those of the size that trained.
    """

    median_px: Mapping[str, float]  # by camera name: median distance
    model_px: float  # the same under the model's own cameras, median over all observations
    source: str
    stored_px: float | None = None  # what the model itself says its points miss by, median; None where it does not say
    lens: LensFit = AS_IT_IS  # zoom and shift, the same for all cameras, that bring the points nearest to their keypoints
    refitted_px: Mapping[str, float] = field(default_factory=dict)  # `median_px` through that lens
    longest_px: float = 0.0  # the longer side of the pictures, median; 0 where it is not known

    @property
    def is_lens(self) -> bool:
        """One lens for all explains most of what is missed: a matter of intrinsics, and no pose is to blame."""
        off = abs(self.lens.zoom - 1) > LEAST_ZOOM or self.lens.shift_px > LEAST_SHIFT_PX
        if not off or not self.refitted_px or not self.lens.zoom > 0:
            return False
        left = _middle(self.refitted_px)
        return left < EXPLAINED * _middle(self.median_px) and (self.stored_px is None or left < TIMES_STORED * self.stored_px)

    @property
    def blamed_on_poses_px(self) -> Mapping[str, float]:
        """By camera name: what is missed, through the better lens where that explains it."""
        return self.refitted_px if self.is_lens else self.median_px

    @property
    def proves_poses(self) -> bool:
        """The photos' keypoints lie where the cameras see their points: no wrong pose would leave them there."""
        return _middle(self.blamed_on_poses_px) < PROVED * self.longest_px

    @property
    def expected_px(self) -> float:
        """What sound cameras miss by: what the model says, else what it does under its own cameras."""
        return self.model_px if self.stored_px is None else self.stored_px


@fact(missing="the COLMAP model's keypoints, of pinhole cameras (give the data folder with --data)")
def reprojection(
    cameras: tuple[Camera, ...], colmap_model: ColmapModel, lens_told: bool, beat: Callable[[], None],  # noqa: ARG001
) -> Reprojection | None:
    """Per camera, over the keypoints of its photo that belong to a point; None where the model holds no keypoints.

    The run's world may be a moved, turned and scaled copy of the model's: the best similarity is applied first.
    Keypoints of a distorted lens do not lie where a pinhole camera shows their points.
    """
    points, seen = colmap_model.points, colmap_model.observations
    pairs = [(mine, theirs) for mine, theirs in shared_cameras(cameras, colmap_model.cameras)
             if colmap_model.camera_models.get(theirs.name, "PINHOLE") in PINHOLE]
    if points is None or seen is None or not len(seen.point_index) or not pairs:
        return None
    world, index_of = to_run(pairs), {name: i for i, name in enumerate(seen.image_names)}
    marked: list[_Marked] = []
    for mine, theirs in pairs:
        beat()
        rows = np.flatnonzero(seen.image_index == index_of.get(theirs.name, -1))
        if len(rows):
            xyz = points.xyz[seen.point_index[rows]]
            own = _misses(project(xyz, theirs), seen.xy_px[rows])
            marked.append(_Marked(mine, project(world.apply(xyz), mine), seen.xy_px[rows], theirs.size_px, own))
    if not marked:
        return None
    lens = fit_lens(*(np.concatenate(parts) for parts in zip(*(one.from_principal_point() for one in marked), strict=True)))
    smaller = float(np.median([one.scale.mean() for one in marked]))
    stored = None if points.error_px is None else _median(np.asarray(points.error_px, np.float64))
    return Reprojection(
        {one.camera.name: one.median_px(AS_IT_IS) for one in marked},
        _median(np.concatenate([one.own * one.scale.mean() for one in marked])), str(colmap_model.folder),
        stored * smaller if stored is not None and np.isfinite(stored) and stored > 0 else None, lens,
        {one.camera.name: one.median_px(lens) for one in marked},
        float(np.median([max(one.camera.size_px) for one in marked])),
    )


@dataclass(frozen=True, eq=False)
class _Marked:
    """One camera of the run, the model's points as it projects them, and where its photo shows them."""

    camera: Camera
    drawn: Projected
    keypoints_px: F64  # float64 [n, 2], in pixels of the model's size
    model_size_px: tuple[int, int]
    own: F64  # float64 [n], misses under the model's own camera, in its pixels

    @property
    def scale(self) -> F64:
        """float64 [2], the run's pixels per pixel of the model."""
        return np.array(self.camera.size_px) / self.model_size_px

    def from_principal_point(self) -> tuple[F64, F64]:
        """float64 [n, 2] twice: projections and keypoints, in the run's pixels."""
        middle = np.array([self.camera.cx, self.camera.cy])
        drawn = np.stack([self.drawn.x_px, self.drawn.y_px], axis=1)
        return drawn - middle, self.keypoints_px * self.scale - middle

    def median_px(self, lens: LensFit) -> float:
        drawn, marked = self.from_principal_point()
        return _median(np.linalg.norm(lens.zoom * drawn + (lens.x_px, lens.y_px) - marked, axis=1))


@dataclass(frozen=True, eq=False)
class PoseDifference:
    """How far the pose that training used is from the COLMAP model's, after the best similarity."""

    angle_deg: Mapping[str, float]  # by camera name
    distance: Mapping[str, float]  # by camera name, world units of the run
    source: str


@fact(missing=MODEL)
def pose_differences(cameras: tuple[Camera, ...], colmap_model: ColmapModel) -> PoseDifference | None:
    """Per camera; None where fewer than three cameras are in both."""
    pairs = shared_cameras(cameras, colmap_model.cameras)
    if len(pairs) < FEWEST_SHARED:
        return None
    world = to_run(pairs)
    angles = {mine.name: rotation_angle_deg(_rotation(mine), world.rotation @ _rotation(theirs)) for mine, theirs in pairs}
    distances = {mine.name: float(np.linalg.norm(world.apply(theirs.centre[None])[0] - mine.centre)) for mine, theirs in pairs}
    return PoseDifference(angles, distances, str(colmap_model.folder))


def shared_cameras(cameras: tuple[Camera, ...], others: tuple[Camera, ...]) -> list[tuple[Camera, Camera]]:
    """Cameras of the run beside those of the model; names may lack folder and ending (INRIA's older cameras.json)."""
    exact, short = {c.name: c for c in others}, {Path(c.name).stem: c for c in others}
    found = ((mine, exact.get(mine.name) or short.get(Path(mine.name).stem)) for mine in cameras)
    return [(mine, theirs) for mine, theirs in found if theirs is not None]


def to_run(pairs: list[tuple[Camera, Camera]]) -> Similarity:
    """From the model's world to the run's. Most trainers keep COLMAP's world, so that is tried first.

    The identity is kept where a majority of the cameras has not moved: a fit would smear their error over all.
    """
    same = Similarity(1.0, np.eye(3), np.zeros(3))
    theirs, mine = np.stack([p[1].centre for p in pairs]), np.stack([p[0].centre for p in pairs])
    size = float(np.linalg.norm(mine - mine.mean(axis=0), axis=1).max())
    if len(pairs) < FEWEST_SHARED or np.median(np.linalg.norm(theirs - mine, axis=1)) < 0.2 * size:
        return same
    return fit_similarity(theirs, mine)


def _misses(drawn: Projected, xy_px: F64) -> F64:
    """float64 [n], distance in pixels between projected points and keypoints; NaN behind the camera."""
    return np.asarray(np.hypot(drawn.x_px - xy_px[:, 0], drawn.y_px - xy_px[:, 1]))


def _median(misses: F64) -> float:
    """Of the finite ones; infinite where every point lies behind its camera: those were missed altogether."""
    finite = misses[np.isfinite(misses)]
    return float(np.median(finite)) if len(finite) else float("inf")


def _middle(errors_px: Mapping[str, float]) -> float:
    return float(np.median([*errors_px.values()]))


def _rotation(camera: Camera) -> F64:
    return np.asarray(camera.world_from_camera[:3, :3])

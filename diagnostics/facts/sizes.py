"""Facts about sizes: photos against the cameras that are said to have taken them, focal lengths against the COLMAP model's."""

from dataclasses import dataclass
from math import log

import numpy as np

from diagnostics.facts import cameras as camera_facts  # noqa: F401  (cameras, colmap_model)
from diagnostics.facts.photos import PHOTOS
from diagnostics.facts.registration import MODEL, PINHOLE, shared_cameras
from diagnostics.registry import fact
from runs.arrays import F64
from runs.cameras import Camera
from runs.errors import RunError
from runs.formats.cameras.colmap import ColmapModel
from runs.photos import Photo
from runs.run import Run

Size = tuple[int, int]
ASPECT = 0.01  # more than two roundings of a halved picture of usual size, which are allowed for apart


@dataclass(frozen=True)
class Misfit:
    """One photo whose shape is not that of its camera."""

    name: str
    photo_px: Size  # width, height as stored
    camera_px: Size

    @property
    def swapped(self) -> bool:
        """Width and height changed places: an orientation tag was honoured on one side only."""
        return is_alike(self.photo_px[::-1], self.camera_px)


@dataclass(frozen=True)
class PhotoSizes:
    """Photos that were compared with their cameras, and those that do not have their shape."""

    compared: int
    misfits: tuple[Misfit, ...]
    source: str  # of the cameras' sizes


@dataclass(frozen=True, eq=False)
class FocalRatios:
    """Focal lengths of the run over those of the COLMAP model at the same size."""

    names: tuple[str, ...]
    ratios: F64  # float64 [C], mean of fx and fy
    unscaled: float  # median of the ratio that an unscaled focal length would have: width of the model over width of the run
    source: str


@fact(missing=PHOTOS)
def photo_sizes(run: Run, cameras: tuple[Camera, ...], colmap_model: ColmapModel | None = None) -> PhotoSizes | None:
    """Against the COLMAP model's cameras where they are at hand, else against the run's; a smaller copy has the same shape."""
    pairs = shared_cameras(cameras, colmap_model.cameras) if colmap_model is not None else []
    sized = {mine.name: theirs.size_px for mine, theirs in pairs} or {camera.name: camera.size_px for camera in cameras}
    stored = {name: size for name in sized if name in run.photos and (size := _stored(run, run.photos[name])) is not None}
    misfits = tuple(Misfit(name, size, sized[name]) for name, size in stored.items() if not is_alike(size, sized[name]))
    return PhotoSizes(len(stored), misfits, "COLMAP model" if pairs else "cameras") if stored else None


@fact(missing=MODEL)
def focal_ratios(cameras: tuple[Camera, ...], colmap_model: ColmapModel) -> FocalRatios | None:
    """Of pinhole cameras only: a lens that was undistorted has another focal length than before."""
    pairs = [(mine, theirs) for mine, theirs in shared_cameras(cameras, colmap_model.cameras)
             if colmap_model.camera_models.get(theirs.name) in PINHOLE and is_alike(mine.size_px, theirs.size_px)]
    if not pairs:
        return None
    at_size = [(mine, theirs.resized(mine.size_px)) for mine, theirs in pairs]
    ratios = np.array([(mine.fx / theirs.fx + mine.fy / theirs.fy) / 2 for mine, theirs in at_size])
    unscaled = float(np.median([theirs.size_px[0] / mine.size_px[0] for mine, theirs in pairs]))
    return FocalRatios(tuple(mine.name for mine, _ in pairs), ratios, unscaled, str(colmap_model.folder))


def is_alike(size: Size, other: Size) -> bool:
    """Whether one is a scaled copy of the other: 1 % of the aspect, and a rounding of each side of the smaller one."""
    rounding = sum(1 / max(1, side) for side in (*size, *other)) / 2
    return abs(log((size[0] * other[1]) / (size[1] * other[0]))) <= ASPECT + rounding


def _stored(run: Run, photo: Photo) -> Size | None:
    try:
        return photo.size_px
    except RunError as error:
        run.book.add_error(error)
        return None

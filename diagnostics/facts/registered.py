"""Facts about the data set itself: which lens its photos have, and how many of them were registered."""

from dataclasses import dataclass
from pathlib import Path

from diagnostics.facts import cameras as camera_facts
from diagnostics.facts import registration  # noqa: F401  (colmap_model)
from diagnostics.facts.habits import OF_INRIA
from diagnostics.facts.registration import PINHOLE, shared_cameras
from diagnostics.measures.distortion import corner_shift_px
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel, sub_models
from runs.formats.cameras.colmap_types import is_distorted
from runs.formats.cameras.dataset import USUAL_ORDER, DataSet, Kind, read_dataset
from runs.names import NameIndex
from runs.run import Run
from runs.trainers.shared.data_folder import photos_below

# Their readers know pinhole cameras alone: INRIA's refuses any other COLMAP model, and reads no distortion of transforms files.
DRAWS_PINHOLES = OF_INRIA | {"deformable-3dgs", "4dgaussians"}
# These straighten the photos themselves, by what their data set says of the lens (gsplat's datasets/colmap.py, nerfstudio's
# full-images data manager, OpenSplat's README).
STRAIGHTENS = frozenset({"gsplat", "gsplat-2dgs", "splatfacto", "opensplat"})
TRANSFORMS_FIRST: tuple[Kind, ...] = ("transforms", "COLMAP", "Blender")
SAME_FOCAL = 0.005  # straightening keeps it or changes it with the size; readers round it less
SAME_SHAPE = 0.003  # of width over height: straightening cuts more than a pixel off one of them
FEWEST_PHOTOS = 10
DATA = "the data set with its lenses (give the data folder with --data)"


@fact(missing=DATA)
def data_set(run: Run) -> DataSet | None:
    """What the trainer read its cameras from, as far as its order of looking is known."""
    order = TRANSFORMS_FIRST if run.trainer.name == "splatfacto" else USUAL_ORDER
    return None if run.data is None else read_dataset(run.data, order)


@dataclass(frozen=True)
class Bent:
    """Photos of a lens that bends, and what the trainer did about it."""

    trainer: str
    straightened: bool  # by the trainer, before it trained
    twice: bool  # another model of the same photos says that they are straight already
    lens: str
    shift_px: dict[str, float]  # by camera name, at the size that trained: from where a pinhole shows a corner to where it is
    taken: bool  # training used this data set's own focal lengths and shape, so also its photos
    source: str


@fact(missing=DATA)
def bent(
    run: Run, cameras: tuple[Camera, ...], data_set: DataSet, colmap_model: ColmapModel | None = None,
) -> Bent | NotEvaluable:
    """Of the cameras that training and data set share."""
    name = run.trainer.name
    if name not in DRAWS_PINHOLES | STRAIGHTENS:
        return NotEvaluable((f"what the trainer ({name}) does about distorted lenses",))
    pairs = shared_cameras(cameras, data_set.cameras)
    if not pairs:
        return NotEvaluable(("cameras of the run that are in the data set",))
    curved = [(mine, theirs) for mine, theirs in pairs
              if is_distorted(data_set.lenses[theirs.name], data_set.distortion.get(theirs.name, ()))]
    shifts = {mine.name: corner_shift_px(data_set.lenses[theirs.name], data_set.distortion.get(theirs.name, ()),
                                         theirs.resized(mine.size_px)) for mine, theirs in curved}
    known = {camera: shift for camera, shift in shifts.items() if shift is not None}
    lens = data_set.lenses[curved[0][1].name] if curved else "PINHOLE"
    if curved and not known:
        return NotEvaluable((f"how far a lens of this kind ({lens}) bends",))
    taken = sum(_same_view(mine, theirs) for mine, theirs in curved) > len(curved) / 2
    straight = colmap_model is not None and data_set.kind != "COLMAP" and _says_straight(colmap_model, curved)
    return Bent(name, name in STRAIGHTENS, straight, lens, known, taken, data_set.source.name)


def _same_view(mine: Camera, theirs: Camera) -> bool:
    """Whether focal length and shape are those of the data set: straightened photos have another shape."""
    at_size = theirs.resized(mine.size_px)
    shapes = [camera.size_px[0] / camera.size_px[1] for camera in (mine, theirs)]
    return abs(at_size.fx / mine.fx - 1) < SAME_FOCAL and abs(shapes[0] / shapes[1] - 1) < SAME_SHAPE


def _says_straight(model: ColmapModel, curved: list[tuple[Camera, Camera]]) -> bool:
    """Whether this model says of photos of the same size that they are a pinhole camera's."""
    sizes = {camera.name: camera.size_px for camera in model.cameras if model.camera_models[camera.name] in PINHOLE}
    index = NameIndex(sizes)
    same = [sizes.get(index.find(theirs.name) or "") == theirs.size_px for _, theirs in curved]
    return bool(same) and all(same)


@dataclass(frozen=True)
class Registered:
    """How many photos lie beside the model that training used, and how many of them it holds."""

    photos: int  # on disk
    registered: int  # of these
    used: str  # the model
    used_images: int
    largest: str  # the sub-model with the most images
    largest_images: int
    points_per_image: float | None
    source: str
    lost: tuple[str, ...]  # names of some photos that were not registered


@fact(missing="the COLMAP model and the folder of photos beside it (give the data folder with --data)")
def registered(run: Run, cameras: tuple[Camera, ...], colmap_model: ColmapModel) -> Registered | NotEvaluable | None:
    """None where the photos are not there; training must have used this model."""
    if len(shared_cameras(cameras, colmap_model.cameras)) < len(cameras) / 2:
        return NotEvaluable((f"{camera_facts.CAMERAS} of the model that training used",))
    told = run.settings.value("images")
    folder = (run.data or colmap_model.folder) / (told if isinstance(told, str) and told else "images")
    photos = tuple(photos_below(folder))
    index = NameIndex(colmap_model.image_ids)
    lost = tuple(name for name in photos if index.find(name) is None)
    if len(photos) < FEWEST_PHOTOS or len(lost) == len(photos):
        return None
    own = len(colmap_model.image_ids)
    models = sub_models(colmap_model.folder.parent) if colmap_model.folder.name.isdigit() else ()
    largest, most = models[0] if models else (colmap_model.folder, own)
    points = colmap_model.points
    return Registered(
        len(photos), len(photos) - len(lost), _shown(colmap_model.folder), own, _shown(largest), most,
        len(points) / own if points is not None and own else None, f"{folder.name}/", lost[:100],
    )


def _shown(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"

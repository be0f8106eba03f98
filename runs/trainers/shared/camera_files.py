"""The cameras of an INRIA run: poses and focal lengths as written, principal point and split as far as the data tells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from runs.cameras import Camera, Split
from runs.formats.cameras.cameras_json import read_cameras_json
from runs.formats.cameras.colmap import ColmapModel
from runs.formats.cameras.dataset import DataSet
from runs.names import NameIndex
from runs.notes import NoteBook
from runs.settings import Settings
from runs.trainers.shared.splits import split_by_rule, with_splits

FAR_FROM_CENTRE_PX = 0.5
DISTORTED = ("its lens is distorted: the cameras shown here are without the distortion, so they fit the photos only near their "
             "middle; undistort the photos with COLMAP for an exact view")
FROM_DATA = "stores no cameras; those of the data set in {} are used"


def read_cameras(
    path: Path, settings: Settings, model: ColmapModel | None, book: NoteBook, data_set: DataSet | None = None,
) -> tuple[Camera, ...]:
    """The cameras in cameras.json, once each; where that file is absent, those of the data set. Trouble goes to the notebook."""
    evaluated = settings.value("eval")
    if data_set is not None and not path.is_file():
        return cameras_of_data(data_set, evaluated, path.parent, book)
    nothing: tuple[tuple[Camera, ...], tuple[str, ...]] = ((), ())
    stored, notes = book.attempt(read_cameras_json, path, nothing)
    placed, says = _with_principal_points(_once(stored, evaluated), model)
    cameras, unknown = with_splits(placed, evaluated=evaluated, model=model)
    for note in (*notes, says, unknown):
        if note:
            book.add(str(path), note)
    return cameras


def cameras_of_data(data_set: DataSet, evaluated: object, run: Path, book: NoteBook) -> tuple[Camera, ...]:
    """The data set's cameras for a run that stores none and that lies in the data set's world.

    `evaluated` is the trainer's setting `eval`; where the data set declares no split, INRIA's rule applies with it.
    """
    book.add(str(run), FROM_DATA.format(data_set.folder))
    if data_set.is_distorted:
        book.add(str(data_set.source), DISTORTED)
    return split_by_rule(data_set.cameras, evaluated=evaluated)


def _once(cameras: Sequence[Camera], evaluated: object) -> tuple[Camera, ...]:
    """Each camera once: with train_test_exp the test cameras are listed again among those trained.

    Cameras of one name in two places are those of a Blender set, whose parts use the same names: INRIA's trainer writes
    them one part after the other, the test part first where it held it out.
    """
    first: dict[str, Camera] = {}
    again: list[Camera] = []
    for camera in cameras:
        known = first.setdefault(camera.name, camera)
        if known is not camera and not np.allclose(known.world_from_camera, camera.world_from_camera, atol=1e-6):
            again.append(camera)
    if not again or evaluated is None:
        return (*first.values(), *(replace(camera, name=f"{camera.name} (2)") for camera in again))
    return _by_part(cameras, bool(evaluated))


def _by_part(cameras: Sequence[Camera], evaluated: bool) -> tuple[Camera, ...]:
    """Names with the folder of their part; the second part begins with the first name that comes again."""
    parts: tuple[Split, Split] = ("test", "train") if evaluated else ("train", "test")
    found: dict[str, Camera] = {}
    seen: set[str] = set()
    second = False
    for camera in cameras:
        second = second or camera.name in seen
        seen.add(camera.name)
        part = parts[second]
        name = f"{part}/{camera.name}"
        found.setdefault(name, replace(camera, name=name, split=part if evaluated else "train"))
    return tuple(found.values())


def _with_principal_points(cameras: Sequence[Camera], model: ColmapModel | None) -> tuple[tuple[Camera, ...], str | None]:
    """The cameras, each without a principal point with that of the COLMAP model; poses and focal lengths stay."""
    known: Mapping[str, Camera] = {} if model is None else {camera.name: camera for camera in model.cameras}
    index = NameIndex(known)
    placed = [_placed(camera, known.get(index.find(camera.name) or "")) for camera in cameras]
    stored = sum(camera.has_principal_point for camera in placed)
    if cameras and not stored:
        return tuple(placed), "stores no principal point; the image centre is used (name the data folder to read it)"
    told = (new for new, old in zip(placed, cameras, strict=True) if not old.has_principal_point)
    off = max(map(_off_centre_px, told), default=0.0)
    if off > FAR_FROM_CENTRE_PX:
        return tuple(placed), (
            f"stores no principal point; that of the COLMAP model is used, up to {off:.1f} px from the image centre "
            "(INRIA's own renderer assumes the centre)"
        )
    return tuple(placed), None


def _placed(camera: Camera, known: Camera | None) -> Camera:
    if known is None or camera.has_principal_point:
        return camera
    at_size = known.resized(camera.size_px)
    return replace(camera, cx=at_size.cx, cy=at_size.cy, has_principal_point=True)


def _off_centre_px(camera: Camera) -> float:
    return max(abs(camera.cx - camera.size_px[0] / 2), abs(camera.cy - camera.size_px[1] / 2))

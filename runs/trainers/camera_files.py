"""The cameras of an INRIA run: poses and focal lengths as written, principal point and split as far as the data tells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from runs.advice import cannot_open
from runs.cameras import Camera
from runs.errors import RunError
from runs.formats.cameras_json import read_cameras_json
from runs.formats.colmap import ColmapModel, find_model, read_model
from runs.names import NameIndex
from runs.notes import NoteBook
from runs.settings import Settings
from runs.trainers.splits import with_splits

FAR_FROM_CENTRE_PX = 0.5


def read_model_of(data: Path | None, book: NoteBook) -> ColmapModel | None:
    """The COLMAP model in the data folder, if there is one."""
    try:
        folder = None if data is None else find_model(data)
        model = None if folder is None else read_model(folder)
    except RunError as error:
        book.add_error(error)
        return None
    except OSError as error:
        book.add(str(data), cannot_open(error, "folder"))
        return None
    for says in () if model is None else model.notes:
        book.add(str(folder), says)
    return model


def read_cameras(path: Path, settings: Settings, model: ColmapModel | None, book: NoteBook) -> tuple[Camera, ...]:
    """The cameras in cameras.json, once each. Trouble goes to the notebook."""
    nothing: tuple[tuple[Camera, ...], tuple[str, ...]] = ((), ())
    stored, notes = book.attempt(read_cameras_json, path, nothing)
    placed, says = _with_principal_points(_once(stored), model)
    cameras, unknown = with_splits(placed, evaluated=settings.value("eval"), model=model)
    for note in (*notes, says, unknown):
        if note:
            book.add(str(path), note)
    return cameras


def _once(cameras: Sequence[Camera]) -> tuple[Camera, ...]:
    """The first camera of each name: with train_test_exp the test cameras are listed again among those trained."""
    first: dict[str, Camera] = {}
    for camera in cameras:
        first.setdefault(camera.name, camera)
    return tuple(first.values())


def _with_principal_points(cameras: Sequence[Camera], model: ColmapModel | None) -> tuple[tuple[Camera, ...], str | None]:
    """The cameras with the COLMAP model's principal point, scaled to their size; poses and focal lengths stay."""
    known: Mapping[str, Camera] = {} if model is None else {camera.name: camera for camera in model.cameras}
    index = NameIndex(known)
    placed = [_placed(camera, known.get(index.find(camera.name) or "")) for camera in cameras]
    stored = sum(camera.has_principal_point for camera in placed)
    if cameras and not stored:
        return tuple(placed), "stores no principal point; the image centre is used (name the data folder to read it)"
    off = max((_off_centre_px(camera) for camera in placed), default=0.0)
    if off > FAR_FROM_CENTRE_PX:
        return tuple(placed), (
            f"stores no principal point; that of the COLMAP model is used, up to {off:.1f} px from the image centre "
            "(INRIA's own renderer assumes the centre)"
        )
    return tuple(placed), None


def _placed(camera: Camera, known: Camera | None) -> Camera:
    if known is None:
        return camera
    at_size = known.resized(camera.size_px)
    return replace(camera, cx=at_size.cx, cy=at_size.cy, has_principal_point=True)


def _off_centre_px(camera: Camera) -> float:
    return max(abs(camera.cx - camera.size_px[0] / 2), abs(camera.cy - camera.size_px[1] / 2))

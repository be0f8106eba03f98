"""splat-trainer (uc-vision): `checkpoint/checkpoint_N.pt`, splats of the same step under point_cloud/, cameras.json.

Facts: `splat_trainer/trainer/trainer.py`, `scene/sh_scene.py`, `scene/io.py`; taichi-splatting `optim/parameter_class.py`.
Quaternions are xyzw in checkpoints and wxyz in splat files; features are [N, 3, K], or of a network with no colour of their own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from runs.advice import FOREIGN
from runs.cameras import Camera
from runs.errors import UnreadableFile
from runs.formats.ply import read_points
from runs.formats.torch_file import read_torch_file
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import Run, Sources, Trainer
from runs.settings import Settings
from runs.trainers.shared.camera_files import read_cameras
from runs.trainers.shared.data_folder import find_data, find_photos
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import checkpoints, numbered, splat_files
from runs.trainers.shared.sources import few_sources
from runs.trainers.shared.tensor_columns import REST, Columns, Layout, Parameter, TensorLook, find_columns, is_rows

CHECKPOINT = re.compile(r"[A-Za-z]\w*?_(\d{1,12})\.pt")
LAYOUT: Layout = {
    "means": Parameter(("position",), ((3,),)), "log_scales": Parameter(("log_scaling",), ((3,),)),
    "quats_wxyz": Parameter(("rotation",), ((4,),)), "logit_opacities": Parameter(("alpha_logit",), ((1,), ())),
}
FEATURE = "feature"
BESIDE = ("cameras.json", "checkpoint/cameras.json", "point_cloud", "input.ply")  # at least one is there
NO_COLOUR = "this checkpoint's colours come from a network, which is not run; save splats, or open those under point_cloud/"


def recognise(folder: Path) -> Trainer | None:
    """By the names of its checkpoints and of a file beside them."""
    named = any(CHECKPOINT.fullmatch(path.name) for path in (folder / "checkpoint").glob("*.pt"))
    if named and any((folder / name).exists() for name in BESIDE):
        return Trainer("splat-trainer", 0.7, "checkpoints named checkpoint/NAME_N.pt, as splat-trainer writes them")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    folders = numbered((path / "point_cloud").glob("iteration_*"), r"iteration_(\d{1,12})")
    plys = {folder / "point_cloud.ply": step for step, folder in sorted(folders)}
    looks = [(plys[file.path], file) for file in splat_files((ply for ply in plys if ply.is_file()), book)]
    known = {step for step, _ in looks}
    saved = {file: step for step, file in sorted(numbered((path / "checkpoint").glob("*.pt"), CHECKPOINT.pattern))
             if step not in known}
    looks += [(saved[file.path], file) for file in splat_files(saved, book, TensorLook(columns_of))]
    folder = SplatTrainerFolder(path, data, book)
    return Run(path, trainer, checkpoints(looks, book), (), folder.data, folder.sources, book, data is not None)


def columns_of(path: Path) -> Columns:
    """The Gaussians of one checkpoint. Raises UnreadableFile or RefusedFile."""
    saved = read_torch_file(path)
    scene = saved.get("scene") if isinstance(saved, dict) else None
    points = scene.get("points") if isinstance(scene, dict) else None
    tensors = points.get("tensors") if isinstance(points, dict) else None
    if not isinstance(tensors, dict):
        raise UnreadableFile(f"this is no checkpoint of splat-trainer (it has no points of a scene); {FOREIGN}", path)
    found = find_columns(tensors, LAYOUT, path)
    feature: Any = tensors.get(FEATURE)
    if not is_rows(feature, (3, None)):
        raise UnreadableFile(NO_COLOUR, path)
    split = {"sh0": feature[:, :, 0], REST: feature[:, :, 1:].transpose(0, 2, 1)}
    harmonics = find_columns(split, {"sh0": Parameter(("sh0",), ((3,),)), REST: Parameter((REST,), ((None, 3),))}, path)
    if len(feature) != len(found["means"]):
        raise UnreadableFile(f"this checkpoint has features of another number of points; {FOREIGN}", path)
    step = saved.get("step")
    return Columns({**found, **harmonics}, real_part_last=True, iteration=step if isinstance(step, int) else None)


@dataclass(frozen=True, eq=False)
class SplatTrainerFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    given_data: Path | None
    book: NoteBook

    @cached_property
    def data(self) -> Path | None:
        return find_data(self.path, None, self.given_data, tuple, self.book)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """With their principal points; which of them were held out, nothing tells."""
        place = next((self.path / name for name in BESIDE[:2] if (self.path / name).is_file()), self.path / BESIDE[0])
        return tuple(replace(c, split=None) for c in read_cameras(place, Settings(), None, self.book))

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book, tags=())

    @property
    def sources(self) -> Sources:
        return few_sources(self.logged, cameras=lambda: self.cameras, input_points=self._input_points, photos=self._photos)

    def _input_points(self) -> PointCloud | None:
        return self.book.attempt(read_points, self.path / "input.ply", None)

    def _photos(self) -> Mapping[str, Photo]:
        names = tuple(camera.name for camera in self.cameras)
        return find_photos(self.data, None, names, self.book)


FAMILY = Family("splat-trainer", recognise, read)

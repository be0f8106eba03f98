"""INRIA's trainer and the forks that kept its folder: cfg_args, point_cloud/iteration_N, chkpntN.pth, cameras.json."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runs.advice import cannot_open
from runs.cameras import Camera
from runs.checkpoints import Checkpoint, StateFile
from runs.defaults import defaults_for
from runs.errors import RunError
from runs.formats.cameras.colmap import ColmapModel
from runs.formats.cameras.dataset import DataSet
from runs.formats.cameras.exposure import read_exposures
from runs.formats.logs.results import read_per_view
from runs.formats.ply import read_points
from runs.formats.zip_members import numbers_left
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import UNKNOWN_TRAINER, PerView, Run, Sources, Trainer
from runs.settings import Settings
from runs.trainers.inria.fork_settings import DEFAULTS, read_stored
from runs.trainers.inria.forks import SURE, fork_of_files, fork_of_folder, fork_of_state
from runs.trainers.inria.lightgaussian import with_importance
from runs.trainers.inria.linear_opacity import with_logits
from runs.trainers.inria.state import state_files
from runs.trainers.shared.camera_files import read_cameras
from runs.trainers.shared.data_folder import find_data, find_photos, read_data_set
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import checkpoints, numbered, splat_files
from runs.trainers.shared.splits import named_by_split

LINEAR = "its late saves store opacities of 0..1, as Taming-3DGS does from iteration 15,000 on"


def recognise(folder: Path) -> Trainer | None:
    """By cfg_args, else by its layout of saved files."""
    if (folder / "cfg_args").is_file():
        return fork_of_folder(folder)
    if any((folder / "point_cloud").glob("iteration_*")):
        return Trainer("unknown", 0.3, "saves under point_cloud/iteration_N as INRIA's trainer does, but there is no cfg_args")
    if any(folder.glob("chkpnt*.pth")):
        return Trainer("unknown", 0.3, "checkpoints named chkpntN.pth as INRIA's trainer writes them, but there is no cfg_args")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    iterations = _splat_files(path, book)
    files = [(iterations[file.path], file) for file in splat_files(iterations, book)]
    states = state_files(path, book)
    refined = fork_of_files(_refined(trainer, states, book), path, [file for _, file in files])
    shown, linear = with_logits(files, taming=refined.name == "taming", book=book) if _may_be_taming(refined) else (files, False)
    known = refined if not linear or refined.name == "taming" else Trainer("taming", 0.7, LINEAR)
    return assembled(path, known, with_importance(path, checkpoints(shown, book), book), states, data, book)


def assembled(
    path: Path, trainer: Trainer, splats: tuple[Checkpoint, ...], states: tuple[StateFile, ...], data: Path | None,
    book: NoteBook,
) -> Run:
    """A run of these saves, with what lies beside them in a folder as INRIA's trainer leaves it."""
    folder = InriaFolder(path, trainer, data, book)
    return Run(path, trainer, splats, states, folder.data, folder.sources, book, data is not None)


def iteration_folders(path: Path, book: NoteBook) -> list[tuple[int, Path]]:
    """The folders point_cloud/iteration_N, by iteration."""
    return sorted(numbered(_children(path / "point_cloud", book), r"iteration_(\d{1,12})"))


def _splat_files(path: Path, book: NoteBook) -> dict[Path, int]:
    """The iteration of each saved splat file."""
    found = {}
    for iteration, folder in iteration_folders(path, book):
        file = folder / "point_cloud.ply"
        try:
            if file.is_file():
                found[file] = iteration
            else:
                book.add(str(folder), "holds no point_cloud.ply; open the run again once it is saved")
        except OSError as error:
            book.add(str(folder), cannot_open(error, "folder"))
    return found


def _children(folder: Path, book: NoteBook) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []  # a run that has not saved yet
    except OSError as error:
        book.add(str(folder), cannot_open(error, "folder"))
        return []


def _refined(trainer: Trainer, states: tuple[StateFile, ...], book: NoteBook) -> Trainer:
    """Forks that share INRIA's old settings betray themselves by their checkpoints."""
    if trainer.name not in ("inria", "unknown") or trainer.confidence >= SURE or not states:
        return trainer
    try:
        with numbers_left():  # its kind is all that is asked, and of a remote state that is a small part
            return fork_of_state(states[-1].read()) or trainer
    except RunError as error:
        book.add_error(error)
        return trainer


def _may_be_taming(trainer: Trainer) -> bool:
    return trainer.name == "taming" or (trainer.name in ("inria", "unknown") and trainer.confidence < SURE)


@dataclass(frozen=True, eq=False)
class InriaFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    trainer: Trainer
    given_data: Path | None
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        defaults = defaults_for(self.trainer.name, self.stored) or DEFAULTS.get(self.trainer.name, {})
        return self.stored.with_defaults(defaults)

    @cached_property
    def stored(self) -> Settings:
        return read_stored(self.path, self.book)

    @cached_property
    def data(self) -> Path | None:
        return find_data(self.path, self.stored.value("source_path"), self.given_data, self._names, self.book)

    def _names(self) -> tuple[str, ...]:
        """The cameras' names, without a model and without notes: both come later."""
        return tuple(camera.name for camera in read_cameras(self.path / "cameras.json", Settings(), None, NoteBook()))

    @cached_property
    def data_set(self) -> DataSet | None:
        return read_data_set(self.data, self.book)

    @property
    def model(self) -> ColmapModel | None:
        return None if self.data_set is None else self.data_set.model

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """As stored; of a trainer that is not known the world may have moved, so that the data set's would not fit."""
        own = None if self.trainer.name == UNKNOWN_TRAINER.name else self.data_set
        return read_cameras(self.path / "cameras.json", self.settings, self.model, self.book, own)

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book)

    @property
    def sources(self) -> Sources:
        return Sources(
            cameras=lambda: self.cameras, settings=lambda: self.settings, series=lambda: self.logged.series,
            events=lambda: self.logged.events, input_points=self._input_points, sfm_points=self._sfm_points,
            photos=self._photos, exposures=lambda: self.book.attempt(read_exposures, self.path / "exposure.json", {}),
            per_view=self._per_view,
        )

    def _input_points(self) -> PointCloud | None:
        return self.book.attempt(read_points, self.path / "input.ply", None)

    def _sfm_points(self) -> PointCloud | None:
        model = self.model
        return None if model is None else self.book.caught(lambda: model.points, None)

    def _photos(self) -> Mapping[str, Photo]:
        names = tuple(camera.name for camera in self.cameras)
        images = self.settings.value("images")
        recorded = None if self.data_set is None else self.data_set.photo_paths
        return find_photos(self.data, images if isinstance(images, str) else None, names, self.book, recorded)

    def _per_view(self) -> PerView:
        return named_by_split(self.book.attempt(read_per_view, self.path / "per_view.json", {}), self.cameras)


FAMILY = Family("inria", recognise, read)

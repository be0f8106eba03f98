"""4DGaussians: a coarse and a fine stage, each counting its iterations from one, on one axis; a HexPlane moves the fine one."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from runs.advice import UNFINISHED, cannot_open
from runs.cameras import Camera
from runs.checkpoints import Checkpoint, StateFile, TrainingState
from runs.formats.logs.results import read_per_view
from runs.formats.splat_file import Stamp
from runs.formats.torch_file import is_unfinished
from runs.notes import NoteBook
from runs.run import PerView, Run, Trainer
from runs.settings import Settings
from runs.trainers.inria.folder import InriaFolder
from runs.trainers.inria.forks import fork_of_folder
from runs.trainers.inria.state import read_state
from runs.trainers.moving.four_d_logs import StagedLogs
from runs.trainers.moving.four_d_motion import read_motion
from runs.trainers.moving.saved_motion import motion_or_note
from runs.trainers.shared.data_world import DataWorld
from runs.trainers.shared.family import Family
from runs.trainers.shared.saved import LEFT_OUT, checkpoints, splat_files
from runs.trainers.shared.splits import named_by_split, split_by_rule

NAME = "4dgaussians"
SAVE = re.compile(r"(?P<coarse>coarse_)?iteration_(?P<number>\d{1,12})")
STATE = re.compile(r"chkpnt_(?P<stage>coarse|fine)_(?P<number>\d{1,12})\.pth")
DEFORMATION = "deformation.pth"


@dataclass(frozen=True)
class Stage:
    """Where something was saved: in which stage, and at which of its own iterations."""

    name: str  # "coarse" or "fine"
    number: int

    def iteration(self, coarse: int) -> int:
        """On the run's axis, where the coarse stage took `coarse` iterations."""
        return self.number + (coarse if self.name == "fine" else 0)

    @property
    def label(self) -> str:
        return f"{self.name} {self.number:,}"


def recognise(folder: Path) -> Trainer | None:
    """By its deformation files or checkpoints, else by its settings."""
    if any((folder / "point_cloud").glob(f"*iteration_*/{DEFORMATION}")):
        return Trainer(NAME, 0.95, f"saves {DEFORMATION} beside its point clouds")
    if any(STATE.fullmatch(path.name) for path in folder.glob("chkpnt_*.pth")):
        return Trainer(NAME, 0.9, "checkpoints named chkpnt_coarse_N.pth and chkpnt_fine_N.pth")
    if not (folder / "cfg_args").is_file():
        return None
    told = fork_of_folder(folder)
    return told if told.name == NAME else None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    folder = InriaFolder(path, trainer, data, book)
    saved, resumable = _named(path / "point_cloud", SAVE, book), _named(path, STATE, book)
    coarse = _coarse_iterations(folder.stored, [*saved.values(), *resumable.values()])
    logs, seen = StagedLogs(path, book, coarse=coarse), _Seen(folder)
    sources = replace(
        folder.sources, cameras=lambda: seen.cameras, photos=lambda: seen.world.photos, sfm_points=lambda: seen.world.sfm_points,
        series=lambda: logs.series, events=lambda: logs.events,
        per_view=lambda: named_by_split(_later(book.attempt(read_per_view, path / "per_view.json", {}), coarse), seen.cameras),
    )
    splats = _checkpoints(saved, coarse, folder.stored, book)
    return Run(path, trainer, splats, _states(resumable, coarse, book), folder.data, sources, book, data is not None)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What the data set shows: the trainer stores no cameras, and leaves the world where the data set has it."""

    folder: InriaFolder

    @cached_property
    def world(self) -> DataWorld:
        images = self.folder.stored.value("images")
        return DataWorld(self.folder.path, self.folder.data, images if isinstance(images, str) else None, self.folder.book)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        return split_by_rule(self.world.cameras, evaluated=self.folder.stored.value("eval"))


def _named(folder: Path, pattern: re.Pattern[str], book: NoteBook) -> dict[Path, Stage]:
    """The stage of each child of `folder` that is named so."""
    try:
        matches = {path: pattern.fullmatch(path.name) for path in sorted(folder.iterdir())}
    except FileNotFoundError:
        return {}  # a run that has not saved yet
    except OSError as error:
        book.add(str(folder), cannot_open(error, "folder"))
        return {}
    return {path: _stage(match.groupdict()) for path, match in matches.items() if match}


def _stage(named: Mapping[str, str | None]) -> Stage:
    stage = named.get("stage") or ("coarse" if named.get("coarse") else "fine")
    return Stage(stage, int(named["number"] or 0))


def _coarse_iterations(stored: Settings, found: Iterable[Stage]) -> int:
    """How long the coarse stage took: as stored, else as far as it was saved."""
    told = stored.value("coarse_iterations")
    if isinstance(told, int) and not isinstance(told, bool) and told >= 0:
        return told
    return max((stage.number for stage in found if stage.name == "coarse"), default=0)


def _checkpoints(saved: Mapping[Path, Stage], coarse: int, settings: Settings, book: NoteBook) -> tuple[Checkpoint, ...]:
    stages = {folder / "point_cloud.ply": stage for folder, stage in saved.items()}
    present = [path for path in stages if path.is_file()]
    for path in sorted(set(stages) - set(present)):
        book.add(str(path.parent), "holds no point_cloud.ply; open the run again once it is saved")
    files = ((stages[file.path].iteration(coarse), file) for file in splat_files(present, book))
    return tuple(_staged(one, stages[one.path], settings, book) for one in checkpoints(files, book))


def _staged(checkpoint: Checkpoint, stage: Stage, settings: Settings, book: NoteBook) -> Checkpoint:
    """In the coarse stage the trainer draws the canonical set as it is, at every moment."""
    network = checkpoint.path.with_name(DEFORMATION)
    motion = motion_or_note(network, lambda path: read_motion(path, settings), book) if stage.name == "fine" else None
    return replace(checkpoint, label=stage.label, motion=motion)


@dataclass(frozen=True)
class ReadStage:
    """Reads one resumable state; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp
    iteration: int  # on the run's axis; the file has the stage's own

    def __call__(self) -> TrainingState:
        return replace(read_state(self.path), iteration=self.iteration)


def _states(named: Mapping[Path, Stage], coarse: int, book: NoteBook) -> tuple[StateFile, ...]:
    return tuple(sorted(_state_files(named, coarse, book), key=lambda state: state.iteration))


def _state_files(named: Mapping[Path, Stage], coarse: int, book: NoteBook) -> Iterator[StateFile]:
    for path, stage in named.items():
        if is_unfinished(path):
            book.add(str(path), f"{LEFT_OUT}this checkpoint is not whole; {UNFINISHED}")
        else:
            iteration = stage.iteration(coarse)
            yield StateFile(iteration, path, ReadStage(path, Stamp.of(path.stat()), iteration))


def _later(scores: PerView, coarse: int) -> PerView:
    """metrics.py measures renders of the fine stage."""
    return {iteration + coarse: metrics for iteration, metrics in scores.items()}


FAMILY = Family(NAME, recognise, read)

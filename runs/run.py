"""Run: what one folder holds, lazily; partial failures become notes and the rest opens."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from runs.arrays import F64
from runs.cameras import Camera
from runs.checkpoints import Checkpoint, StateFile
from runs.events import LogEvent
from runs.notes import Note, NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.series import Series
from runs.settings import Settings


@dataclass(frozen=True)
class Trainer:
    """Who wrote the run, as far as the files tell."""

    name: str  # "inria", …, or "unknown"
    confidence: float  # 0..1
    why: str  # the files and keys that say so


# Camera name, or place among the trained cameras where the names are not known -> float64 [6] (translation in world units,
# rotation vector in radians; nerfstudio) or [9] (translation in the camera's axes, 6D rotation less identity; gsplat).
PoseDeltas = Mapping[str | int, F64]
PerView = Mapping[int, Mapping[str, Mapping[str, float]]]  # iteration -> metric -> image -> score

UNKNOWN_TRAINER = Trainer("unknown", 0.0, "no file names the trainer")


@dataclass(frozen=True)
class Sources:
    """Where each lazy part of a run comes from; a loader reports trouble to the notebook and returns what it could read."""

    cameras: Callable[[], tuple[Camera, ...]]
    settings: Callable[[], Settings]
    series: Callable[[], Mapping[str, Series]]
    events: Callable[[], tuple[LogEvent, ...]]
    input_points: Callable[[], PointCloud | None]
    sfm_points: Callable[[], PointCloud | None]
    photos: Callable[[], Mapping[str, Photo]]
    exposures: Callable[[], Mapping[str, F64]]
    per_view: Callable[[], PerView] = dict
    pose_deltas: Callable[[], PoseDeltas] = dict


@dataclass(frozen=True, eq=False)
class Run:
    """One training run. Opening it reads headers only; everything else is read on first use and kept."""

    path: Path
    trainer: Trainer
    checkpoints: tuple[Checkpoint, ...]  # by iteration
    state_files: tuple[StateFile, ...]  # by iteration
    data: Path | None  # folder with the photos and the COLMAP model, if one was found
    sources: Sources = field(repr=False)
    book: NoteBook = field(repr=False)
    data_was_named: bool = False  # by the user; else it was found
    asked: int | None = None  # iteration of the file by which the user named the run; None: its folder was named
    references: tuple["Run", ...] = ()  # runs that the user chose to hold this one against

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def iterations(self) -> tuple[int, ...]:
        """Iterations with a saved set of Gaussians."""
        return tuple(checkpoint.iteration for checkpoint in self.checkpoints)

    def checkpoint(self, iteration: int) -> Checkpoint | None:
        """The checkpoint saved exactly at `iteration`."""
        return next((c for c in self.checkpoints if c.iteration == iteration), None)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """As the trainer used them; the principal point comes from COLMAP where that model is at hand."""
        with self.book.reading("cameras"):
            return self.sources.cameras()

    @cached_property
    def settings(self) -> Settings:
        with self.book.reading("settings"):
            return self.sources.settings()

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """By canonical name."""
        return self.sources.series()

    @cached_property
    def events(self) -> tuple[LogEvent, ...]:
        return self.sources.events()

    @cached_property
    def input_points(self) -> PointCloud | None:
        """The cloud that the Gaussians were initialised from (input.ply)."""
        with self.book.reading("input_points"):
            return self.sources.input_points()

    @cached_property
    def sfm_points(self) -> PointCloud | None:
        """The COLMAP model's points, with reprojection errors and track lengths."""
        with self.book.reading("sfm_points"):
            return self.sources.sfm_points()

    @cached_property
    def photos(self) -> Mapping[str, Photo]:
        """Photos found on this machine, by camera name."""
        with self.book.reading("photos"):
            return self.sources.photos()

    @cached_property
    def exposures(self) -> Mapping[str, F64]:
        """float64 [3, 4] per camera name: rgb' = rgb @ E[:, :3] + E[:, 3]."""
        with self.book.reading("exposures"):
            return self.sources.exposures()

    @cached_property
    def per_view(self) -> PerView:
        """"psnr" (dB), "ssim" and "lpips" of each test image, as the trainer's metrics.py measured its renders.

        Images are camera names; where the split is not known, they keep their number in it ("00000.png").
        """
        with self.book.reading("per_view"):
            return self.sources.per_view()

    @cached_property
    def pose_deltas(self) -> PoseDeltas:
        """How far training moved each camera in the last save; empty where it moved none, or did not keep it."""
        return self.sources.pose_deltas()

    def adopt(self, other: "Run", parts: Iterable[str]) -> None:
        """Take over what `other` has read of these parts, with the notes about it, so that it is not read again.

        For a run whose files of these parts have not changed since.
        """
        for part in parts:
            if part in vars(other):
                vars(self)[part] = vars(other)[part]
                with self.book.reading(part):
                    for note in other.book.told_for(part):
                        self.book.add(note.file, note.says)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What could not be read so far; grows while lazy parts are read."""
        return tuple(self.book)

"""3DGRUT (NVIDIA): parsed.yaml, ours_N/ckpt_N.pt, ckpt_last.pt, export_last.ply; cameras only in its data set."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from runs.cameras import Camera
from runs.checkpoints import Checkpoint, StateFile
from runs.formats.cameras.dataset import Kind
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import Run, Sources, Trainer
from runs.settings import Settings
from runs.tags import GRUT_TAGS
from runs.trainers.grut.saved import columns_of, read_state
from runs.trainers.grut.settings import CONFIG, read_settings
from runs.trainers.shared.data_folder import find_data
from runs.trainers.shared.data_world import NO_CAMERAS, DataWorld, Words
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import ReadState, checkpoints, splat_files
from runs.trainers.shared.scaled_cameras import scaled
from runs.trainers.shared.signs import head_of
from runs.trainers.shared.sources import few_sources
from runs.trainers.shared.splits import held_out_every
from runs.trainers.shared.tensor_columns import TensorLook

SAVES = "ours_*/ckpt_*.pt"
LAST, EXPORT = "ckpt_last.pt", "export_last.ply"
HEAD_BYTES = 65_536
KEYS = (b"n_iterations:", b"density_activation:")  # of parsed.yaml before anything was saved
KINDS: Mapping[str, tuple[Kind, ...]] = {"colmap": ("COLMAP",), "nerf": ("Blender",)}
NO_KIND = "was trained on a data set of the kind {}, which is not read here, so it has no cameras"
MOVED = "was trained in a world that was moved to a normal position and size and stored nowhere, so it has no cameras here"
DISTORTED = ("its lens is distorted, and 3DGRUT traced it as it is: the cameras shown here are without the distortion, so they "
             "fit the photos only near their middle")
TRACED = ("was trained by ray tracing (render.method 3dgrt): its particles fall off in another way than splats do, so pictures "
          "drawn here differ from the trainer's own")


def recognise(folder: Path) -> Trainer | None:
    """By its settings and its checkpoints; before the first by the settings alone."""
    path = folder / CONFIG
    if not path.is_file():
        return None
    if (folder / LAST).is_file() or any(folder.glob(SAVES)):
        return Trainer("3dgrut", 0.95, f"there is a {CONFIG} beside {SAVES}")
    head = head_of(path, HEAD_BYTES)
    return Trainer("3dgrut", 0.8, f"{CONFIG} has settings of 3DGRUT") if all(key in head for key in KEYS) else None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    folder = GrutFolder(path, data, book)
    looks = _looks(path, book)
    states = tuple(StateFile(iteration, look.path, ReadState(look.path, look.stamp, read_state)) for iteration, look in looks)
    found = checkpoints(looks, book) or _exported(path, folder.settings, book)
    if folder.settings.value("render.method") == "3dgrt":
        book.add(str(path), TRACED)
    return Run(path, trainer, found, states, folder.data, folder.sources, book, data is not None)


def _looks(path: Path, book: NoteBook) -> list[tuple[int, SplatFile]]:
    """By iteration, once each: the last checkpoint is that of an iteration which may have one of its own."""
    files = [*sorted(path.glob(SAVES)), path / LAST]
    looks = splat_files((file for file in files if file.is_file()), book, TensorLook(columns_of))
    found: dict[int, SplatFile] = {}
    for look in looks:
        found.setdefault(look.iteration or 0, look)
    return sorted(found.items())


def _exported(path: Path, settings: Settings, book: NoteBook) -> tuple[Checkpoint, ...]:
    """Written when training has come to its end, so it is of the last iteration."""
    file, last = path / EXPORT, settings.value("n_iterations")
    iteration = last if isinstance(last, int) and not isinstance(last, bool) else 0
    return checkpoints(((iteration, look) for look in splat_files([file] if file.is_file() else [], book)), book)


@dataclass(frozen=True, eq=False)
class GrutFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    given_data: Path | None
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        return read_settings(self.path, self.book)

    @cached_property
    def data(self) -> Path | None:
        return find_data(self.path, self.settings.value("source_path"), self.given_data, tuple, self.book)

    @cached_property
    def seen(self) -> DataWorld:
        """Without a folder where the data set cannot show this run, for which its words give the reason."""
        kind = str(self.settings.value("dataset.type") or "colmap")
        moved = any("normaliz" in name and setting.value is True for name, setting in self.settings.items() if "dataset." in name)
        why = NO_KIND.format(kind) if kind not in KINDS else MOVED if moved else None
        words = Words(no_folder=why or NO_CAMERAS, distorted=DISTORTED)
        return DataWorld(self.path, None if why else self.data, None, self.book, KINDS.get(kind, ()), words)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """By name, in the data set's world, at the size that trained; every n-th by name is held out, if any is."""
        every = self.settings.value("dataset.test_split_interval")
        cameras = self.seen.cameras
        if self.seen.data is not None and self.seen.data.model is not None and isinstance(every, int):
            cameras = held_out_every(cameras, every) if every > 0 else tuple(replace(c, split="train") for c in cameras)
        return tuple(scaled(camera, 1 / self.factor) for camera in cameras)

    @property
    def factor(self) -> int:
        stored = self.settings.value("dataset.downsample_factor")
        return stored if isinstance(stored, int) and not isinstance(stored, bool) and stored > 0 else 1

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book, tags=GRUT_TAGS)

    @property
    def sources(self) -> Sources:
        return few_sources(
            self.logged, cameras=lambda: self.cameras, settings=lambda: self.settings, input_points=self._input_points,
            sfm_points=lambda: self.seen.sfm_points, photos=self._photos,
        )

    def _input_points(self) -> PointCloud | None:
        """The model's points, where training began from them."""
        return self.seen.sfm_points if self.settings.value("initialization.method") == "colmap" else None

    def _photos(self) -> Mapping[str, Photo]:
        return self.seen.photos_of(self.cameras, f"images_{self.factor}" if self.factor > 1 else "images")


FAMILY = Family("3DGRUT", recognise, read)

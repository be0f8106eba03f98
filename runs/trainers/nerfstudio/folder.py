"""nerfstudio's Gaussians (splatfacto): config.yml, nerfstudio_models/step-N.ckpt; cameras only in its data set."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runs.checkpoints import Checkpoint, StateFile
from runs.errors import NotARun, RunError
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.run import PoseDeltas, Run, Sources, Trainer
from runs.series import Series
from runs.settings import Settings
from runs.tags import NERFSTUDIO_TAGS
from runs.trainers.nerfstudio.data import NerfstudioData
from runs.trainers.nerfstudio.saved import CHECKPOINT, columns_of, read_pose_deltas, read_state
from runs.trainers.nerfstudio.settings import CONFIG, method_of, read_settings, trains_splats
from runs.trainers.nerfstudio.world import TRANSFORMS
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import ReadState, checkpoints, numbered, splat_files
from runs.trainers.shared.signs import head_of
from runs.trainers.shared.tensor_columns import TensorLook

HEAD_BYTES = 65_536
TAG = b"!!python/object:nerfstudio."
MODELS = "nerfstudio_models"
EXPORTS = ("splat.ply", "exports/splat/splat.ply")  # `ns-export gaussian-splat`
NAME = "splatfacto"


def recognise(folder: Path) -> Trainer | None:
    """By the classes in config.yml, else by the names of its files; whatever the method is."""
    if TAG in head_of(folder / CONFIG, HEAD_BYTES):
        return Trainer(NAME, 0.95, f"{CONFIG} holds settings of nerfstudio")
    if any(CHECKPOINT.fullmatch(path.name) and path.is_file() for path in (folder / MODELS).glob("step-*.ckpt")):
        return Trainer(NAME, 0.7, f"checkpoints named {MODELS}/step-N.ckpt, as nerfstudio writes them")
    if (folder / TRANSFORMS).is_file():
        return Trainer(NAME, 0.6, f"there is a {TRANSFORMS}, as nerfstudio writes it")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use.

    Raises NotARun for a method without Gaussians, UnreadableFile if `data` is given and absent.
    """
    book = NoteBook()
    folder = NerfstudioFolder(path, data, book)
    saved, states = _saved(path, book)
    if not saved and trains_splats(folder.settings) is False:
        method = method_of(folder.settings)
        raise NotARun(f"this run of nerfstudio trained {method}, which has no Gaussians; open a run of splatfacto", path)
    found = saved or _exported(path, book)
    refined = _refined(trainer, folder)
    return Run(path, refined, found, states, folder.data.folder, folder.sources(found), book, data is not None)


def _saved(path: Path, book: NoteBook) -> tuple[tuple[Checkpoint, ...], tuple[StateFile, ...]]:
    """Each file is both: the Gaussians, and what a resume starts from. By default only the last one is kept."""
    paths = dict(sorted((file, step) for step, file in numbered((path / MODELS).glob("step-*.ckpt"), CHECKPOINT.pattern)
                        if file.is_file()))
    looks: list[SplatFile] = splat_files(paths, book, TensorLook(columns_of))
    done = {look.path: paths[look.path] + 1 if look.iteration is None else look.iteration for look in looks}
    states = (StateFile(done[look.path], look.path, ReadState(look.path, look.stamp, read_state)) for look in looks)
    return checkpoints(((done[look.path], look) for look in looks), book), tuple(states)


def _exported(path: Path, book: NoteBook) -> tuple[Checkpoint, ...]:
    """A splat file beside a run whose checkpoints are gone; of which step it is, nothing tells."""
    files = [path / name for name in EXPORTS if (path / name).is_file()]
    return checkpoints(((0, look) for look in splat_files(files[:1], book)), book)


def _refined(trainer: Trainer, folder: "NerfstudioFolder") -> Trainer:
    """Methods made of splatfacto share its files, not its troubles."""
    method = method_of(folder.settings)
    if method is None or "splatfacto" in method.lower():
        return trainer
    return Trainer("unknown", 0.5, f"{CONFIG} names the method {method} of nerfstudio")


@dataclass(frozen=True, eq=False)
class NerfstudioFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    given_data: Path | None
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        return read_settings(self.path, self.book)

    @cached_property
    def data(self) -> NerfstudioData:
        return NerfstudioData(self.path, self.given_data, self.settings, self.book)

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book, tags=NERFSTUDIO_TAGS, first_step=0)

    def sources(self, saved: tuple[Checkpoint, ...]) -> Sources:
        data = self.data
        return Sources(
            cameras=lambda: data.cameras, settings=lambda: self.settings, series=self._series, events=lambda: self.logged.events,
            input_points=lambda: data.input_points, sfm_points=lambda: data.sfm_points, photos=lambda: data.photos,
            exposures=dict, pose_deltas=lambda: self._pose_deltas(saved),
        )

    def _series(self) -> Mapping[str, Series]:
        return self.logged.series

    def _pose_deltas(self, saved: tuple[Checkpoint, ...]) -> PoseDeltas:
        if not saved or not CHECKPOINT.fullmatch(saved[-1].path.name):
            return {}
        try:
            return read_pose_deltas(saved[-1].path, self.data.trained_names)
        except RunError as error:
            self.book.add_error(error)
            return {}


FAMILY = Family("nerfstudio", recognise, read)

"""gaussian-splatting-lightning: INRIA's folder with PyTorch Lightning's checkpoints, one per process, and logs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from runs.cameras import Camera
from runs.checkpoints import Checkpoint, StateFile
from runs.errors import RunError
from runs.formats.cfg_args import read_cfg_args
from runs.formats.ply import read_points
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import Run, Sources, Trainer
from runs.settings import Settings
from runs.tags import LIGHTNING_TAGS, row
from runs.trainers.lightning.saved import CHECKPOINT, columns_of, read_hyper_parameters, read_state
from runs.trainers.shared.camera_files import read_cameras
from runs.trainers.shared.data_folder import find_data, find_photos
from runs.trainers.shared.data_world import DataWorld
from runs.trainers.shared.family import Family
from runs.trainers.shared.flat_settings import aliased, flat_settings
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import ReadState, checkpoints, numbered, splat_files
from runs.trainers.shared.shards import Ranked, merged, note_missing, ranked
from runs.trainers.shared.sources import few_sources
from runs.trainers.shared.tensor_columns import TensorLook

SAVES = "checkpoints"
EVENTS = "lightning_logs/version_*/events.out.tfevents.*"
# INRIA's and gsplat's names for settings that have the same meaning and unit, by the last part of their dotted names
# (internal/models/vanilla_gaussian.py, internal/density_controllers/vanilla_density_controller.py).
LAST_PARTS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("densify_from_iter", "densify_until_iter", "densification_interval", "opacity_reset_interval",
                                  "percent_dense", "lambda_dssim")},
    "opacity_cull": ("cull_opacity_threshold",), "position_lr_init": ("means_lr_init", "position_lr_init"),
    "feature_lr": ("shs_dc_lr", "feature_lr"), "shN_lr": ("shs_rest_lr",), "opacity_lr": ("opacities_lr", "opacity_lr"),
    "scaling_lr": ("scales_lr", "scaling_lr"), "rotation_lr": ("rotations_lr", "rotation_lr"),
    "sh_interval": ("sh_degree_up_interval",),
}
THRESHOLD = "densify_grad_threshold"  # of absolute gradients with absgrad: then it is not INRIA's


def recognise(folder: Path) -> Trainer | None:
    """By the names of its checkpoints."""
    if any(CHECKPOINT.fullmatch(path.name) for path in (folder / SAVES).glob("epoch=*-step=*.ckpt")):
        return Trainer("gs-lightning", 0.9, f"checkpoints named {SAVES}/epoch=E-step=S.ckpt, as PyTorch Lightning writes them")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    saved = ranked(path / SAVES, CHECKPOINT, book)
    places = {file: (step, rank) for step, files in saved.items() for rank, file in files.items()}
    looks = splat_files(places, book, TensorLook(columns_of))
    splats = _with_plys(path, tuple(_checkpoints(saved, looks, places, book)), book)
    states = tuple(
        StateFile(places[look.path][0], look.path, ReadState(look.path, look.stamp, read_state))
        for look in looks if len(saved[places[look.path][0]]) == 1)
    folder = LightningFolder(path, data, tuple(look.path for look in looks), book)
    return Run(path, trainer, splats, states, folder.data, folder.sources, book, data is not None)


def _checkpoints(
    saved: Ranked, looks: list[SplatFile], places: Mapping[Path, tuple[int, int]], book: NoteBook,
) -> Iterator[Checkpoint]:
    """One per step, of all its processes."""
    for step, files in saved.items():
        shards = {places[look.path][1]: look for look in looks if places[look.path][0] == step}
        expected = max(files) + 1
        if shards:
            note_missing(files, expected, partial(_file_of, next(iter(files.values()))), book)
        whole = merged(step, shards, expected, book)
        if whole is not None:
            yield whole


def _file_of(other: Path, rank: int) -> Path:
    return other.with_name(f"{other.stem.partition('-rank=')[0]}-rank={rank}.ckpt")


def _with_plys(path: Path, saved: tuple[Checkpoint, ...], book: NoteBook) -> tuple[Checkpoint, ...]:
    """Splat files of the iterations that have no checkpoint; they are written under another name first, so they are whole."""
    known = {checkpoint.iteration for checkpoint in saved}
    folders = numbered((path / "point_cloud").glob("iteration_*"), r"iteration_(\d{1,12})")
    files = {folder / "point_cloud.ply": iteration for iteration, folder in sorted(folders) if iteration not in known}
    plys = splat_files((file for file in files if file.is_file()), book)
    return tuple(sorted((*saved, *checkpoints(((files[file.path], file) for file in plys), book)), key=lambda c: c.iteration))


@dataclass(frozen=True, eq=False)
class LightningFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    given_data: Path | None
    saves: tuple[Path, ...]
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        """cfg_args is a stub for viewers; the settings themselves lie in each checkpoint."""
        viewers = self.book.attempt(read_cfg_args, self.path / "cfg_args", Settings())
        try:
            held = flat_settings(read_hyper_parameters(self.saves[-1]), self.saves[-1].name) if self.saves else Settings()
        except RunError as error:
            self.book.add_error(error)
            held = Settings()
        both = Settings({**viewers.by_name, **held.by_name})
        ends = {asked: _ending(both, *lasts) for asked, lasts in LAST_PARTS.items()}
        return aliased(both, {**ends, **({} if _ends_true(both, "absgrad") else {THRESHOLD: _ending(both, THRESHOLD)})})

    @cached_property
    def data(self) -> Path | None:
        return find_data(self.path, self.settings.value("source_path"), self.given_data, self._names, self.book)

    @cached_property
    def seen(self) -> DataWorld:
        return DataWorld(self.path, self.data, "images", self.book, ("COLMAP",))

    def _names(self) -> tuple[str, ...]:
        return tuple(camera.name for camera in read_cameras(self.path / "cameras.json", Settings(), None, NoteBook()))

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """The file holds those that were trained on, whatever `eval` in cfg_args says."""
        model = None if self.seen.data is None else self.seen.data.model
        cameras = read_cameras(self.path / "cameras.json", Settings(), model, self.book)
        return tuple(replace(camera, split="train") for camera in cameras)

    @cached_property
    def logged(self) -> Logged:
        squared = any(self.settings.value(name) == "l2" for name in _ending(self.settings, "rgb_diff_loss"))
        own = (row("train/rgb_diff", "loss/l2"), row("val/rgb_diff", "test/l2")) if squared else ()
        return Logged(self.path, self.book, EVENTS, (*own, *LIGHTNING_TAGS), first_step=0)

    @property
    def sources(self) -> Sources:
        return few_sources(
            self.logged, cameras=lambda: self.cameras, settings=lambda: self.settings, input_points=self._input_points,
            sfm_points=lambda: self.seen.sfm_points, photos=self._photos,
        )

    def _input_points(self) -> PointCloud | None:
        return self.book.attempt(read_points, self.path / "input.ply", None)

    def _photos(self) -> Mapping[str, Photo]:
        names = tuple(camera.name for camera in self.cameras)
        return find_photos(self.data, "images", names, self.book)


def _ending(settings: Settings, *lasts: str) -> tuple[str, ...]:
    """The settings whose dotted name ends in one of these, those of the first before those of the next."""
    return tuple(name for last in lasts for name in settings if name.rpartition(".")[2] == last)


def _ends_true(settings: Settings, last: str) -> bool:
    return any(settings.value(name) is True for name in _ending(settings, last))


FAMILY = Family("gaussian-splatting-lightning", recognise, read)
